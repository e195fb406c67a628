//! Executions that share a budget are bounded together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_template::{Budget, Env, Error, ErrorKind, Limits, Options, StrMap, Template, Value};

use crate::support::Fixed;

fn execute(source: &str, budget: &Budget) -> Result<Vec<u8>, Error> {
    let template = Template::parse("tpl", source, &Options::default())?;
    let data = Value::from([("s", "secret")].into_iter().collect::<StrMap>());
    let env = Env {
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &Fixed,
        limits: Limits::default(),
    };
    template.execute_within(&data, &env, budget)
}

/// Executes `source` until the budget ends it, and returns how often that went well and why it
/// ended.
fn until_refused(source: &str, limits: Limits) -> (usize, String) {
    let budget = Budget::new(limits);
    let refused = (0..10_000).find_map(|times| {
        let error = execute(source, &budget).err();
        assert_eq!(budget.is_exhausted(), error.is_some());
        error.map(|error| (times, error))
    });
    let (times, error) = refused.unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    (times, error.message().to_owned())
}

#[test]
fn thirty_large_values_in_thirty_templates_exceed_the_memory_of_one_object() {
    let limits = Limits::default();

    let (times, why) = until_refused(r#"{{ repeat 16000000 "x" | len }}"#, limits);

    assert_eq!(times, 1);
    assert_eq!(
        why,
        format!("values exceed the memory limit of {} bytes", limits.memory)
    );
}

#[test]
fn the_output_of_all_templates_counts_together() {
    let limits = Limits {
        output: 1_000,
        ..Limits::default()
    };

    for source in [r#"{{ repeat 100 "x" }}"#, "{{ list (repeat 98 `x`) }}"] {
        let (times, why) = until_refused(source, limits);

        assert_eq!(times, 10, "{source}");
        assert_eq!(why, "output exceeds the limit of 1000 bytes");
    }
}

#[test]
fn the_steps_of_all_templates_count_together() {
    let limits = Limits {
        steps: 1_000,
        ..Limits::default()
    };

    let (times, why) = until_refused("{{ range 40 }}{{ end }}", limits);

    assert!((5..25).contains(&times), "{times}");
    assert_eq!(why, "execution exceeds the limit of 1000 steps");
}

#[test]
fn a_failed_execution_has_used_what_it_used() {
    let budget = Budget::new(Limits {
        memory: 10_000,
        ..Limits::default()
    });

    let failed = execute(r#"{{ $x := repeat 9000 "x" }}{{ fail "no" }}"#, &budget).unwrap_err();
    let refused = execute(r#"{{ repeat 2000 "x" }}"#, &budget).unwrap_err();

    assert_eq!(failed.kind(), ErrorKind::Execute);
    assert_eq!(refused.kind(), ErrorKind::Limit);
}

#[test]
fn an_execution_ends_when_its_time_is_up() {
    let looks = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&looks);
    let passed = move || seen.fetch_add(1, Ordering::Relaxed) >= 3;
    let budget = Budget::new(Limits::default()).with_deadline(Duration::from_secs(30), passed);

    let error = execute("{{ range 1000000 }}{{ end }}", &budget).unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.message(), "execution takes longer than 30 s");
    assert_eq!(looks.load(Ordering::Relaxed), 4);
}

#[test]
fn many_short_executions_end_when_their_time_is_up() {
    let passed = || true;
    let budget = Budget::new(Limits::default()).with_deadline(Duration::from_secs(30), passed);

    let ended = (0..10_000).find_map(|_| execute("{{ .s }}", &budget).err());

    assert_eq!(ended.unwrap().message(), "execution takes longer than 30 s");
}

#[test]
fn work_of_the_caller_counts_as_well() {
    let budget = Budget::new(Limits {
        steps: 100,
        ..Limits::default()
    });

    budget.spend(90, 0).unwrap();

    let error = execute("{{ range 40 }}{{ end }}", &budget).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(budget.spend(90, 0).is_err());
}

/// One call on a large text is as much work as many steps, whatever the function does with it.
#[test]
fn going_through_large_arguments_is_work() {
    let limits = Limits {
        steps: 300_000,
        ..Limits::default()
    };
    let text = r#"{{ $x := repeat 1000000 "x" }}"#;
    for call in [
        r#"contains "y" $x"#,
        "sha256sum $x",
        "eq $x (print $x)",
        r#"regexMatch "y" $x"#,
        r#"hasPrefix "y" $x"#,
    ] {
        let (times, why) = until_refused(&format!("{text}{{{{ {call} }}}}"), limits);

        assert!(times < 5, "{call}: {times}");
        assert!(why.contains("limit of"), "{why}");
    }
}

#[test]
fn one_text_many_times_in_a_list_is_counted_before_it_is_joined() {
    let limits = Limits {
        memory: 4_000_000,
        ..Limits::default()
    };
    let texts = r#"{{ $x := repeat 1000000 "x" }}{{ $l := list }}{{ range 100 }}{{ $l = append $l $x }}{{ end }}"#;
    for call in [
        r#"join "" $l"#,
        "toJson $l",
        "toYaml $l",
        "print $l",
        "quote $l",
    ] {
        let (times, why) = until_refused(&format!("{texts}{{{{ {call} | len }}}}"), limits);

        assert_eq!(times, 0, "{call}");
        assert_eq!(why, "values exceed the memory limit of 4000000 bytes");
    }
}

#[test]
fn a_document_that_becomes_a_large_tree_is_counted_before_it_is_read() {
    let limits = Limits {
        memory: 4_000_000,
        ..Limits::default()
    };
    for call in ["fromJson", "fromYaml"] {
        let source = format!(r#"{{{{ printf "[%s0]" (repeat 300000 "0,") | {call} | len }}}}"#);
        let (times, why) = until_refused(&source, limits);

        assert_eq!(times, 0, "{call}");
        assert_eq!(why, "values exceed the memory limit of 4000000 bytes");
    }
}

/// Measures how much this thread may hold, by the limit alone: each of these is refused before
/// gigabytes are asked for.
#[cfg(feature = "crypto")]
#[test]
fn keys_in_a_loop_are_refused_after_a_few() {
    let limits = Limits {
        steps: 2_500_000,
        ..Limits::default()
    };

    let (times, why) = until_refused(r#"{{ genPrivateKey "ecdsa" | len }}"#, limits);

    assert!((100..300).contains(&times), "{times}");
    assert_eq!(why, "execution exceeds the limit of 2500000 steps");
}
