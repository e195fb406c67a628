use std::cell::Cell;
use std::fmt::Write as _;

use lockstep_provider_api::lifecycle::State;
use lockstep_toolbox::output::Paint;
use serde_json::json;
use tokio::task::yield_now;

use super::*;
use crate::execute::each;
use crate::manifest::{ExtraFields, Generator};
use crate::memory::{Memory, UNTIL};
use crate::progress::Progress;
use crate::remove::{self, Verb};
use crate::report::{Complete, Report, Subject};
use crate::restore;
use crate::sources::{Part, Wanted};

const SETTINGS: Settings = Settings {
    restore: Switch::On,
    adopt: Switch::Off,
    plan: Switch::Off,
};

fn whole(name: &str, value: &str) -> Desired {
    Desired {
        name: name.to_owned(),
        content: Wanted::Whole(Part::Given(value.into())),
        metadata: None,
    }
}

fn generated(name: &str) -> Desired {
    let password = Part::Made(Generator {
        kind: "Password".to_owned(),
        spec: json!({ "length": 24 }),
        key: None,
    });
    let user = Part::Given("u".into());
    let fields = [("password", password), ("user", user)];
    let fields = fields.map(|(name, part)| (name.to_owned(), part));
    Desired {
        name: name.to_owned(),
        content: Wanted::Fields {
            fields: fields.into(),
            extra: ExtraFields::Keep,
        },
        metadata: None,
    }
}

#[tokio::test]
async fn a_deleted_secret_is_restored_and_then_updated() {
    let (memory, backend) = Memory::open();
    memory.put("a", UNTIL, "old");

    let row = one(&backend, &whole("a", "new"), SETTINGS).await;

    assert_eq!(memory.take_log(), ["restore a", "put a"]);
    assert_eq!(row.actions, [Action::Restore, Action::Update]);
    assert_eq!(
        (row.before, row.after),
        (Some(UNTIL), Some(State::Available))
    );
    assert_eq!(memory.value("a"), "new");
}

#[tokio::test]
async fn a_deleted_secret_that_holds_the_value_is_restored_only() {
    let (memory, backend) = Memory::open();
    memory.put("a", UNTIL, "same");

    let row = one(&backend, &whole("a", "same"), SETTINGS).await;

    assert_eq!(memory.take_log(), ["restore a"]);
    assert_eq!(row.outcome, Outcome::Changed);
}

fn tagged(name: &str, value: &str, team: &str) -> Desired {
    Desired {
        metadata: Some(json!({ "tags": { "team": team } })),
        ..whole(name, value)
    }
}

#[tokio::test]
async fn tags_alone_are_set_without_a_write_of_the_value() {
    let (memory, backend) = Memory::open();
    memory.put("a", State::Available, "same");

    let row = one(&backend, &tagged("a", "same", "blue"), SETTINGS).await;
    let again = one(&backend, &tagged("a", "same", "blue"), SETTINGS).await;

    assert_eq!(memory.take_log(), ["tag a"]);
    assert_eq!(row.actions, [Action::Tag]);
    assert_eq!(
        row.reason,
        "tag differs: team; the value is the desired one"
    );
    assert_eq!(again.outcome, Outcome::Unchanged);
    assert_eq!(memory.tags("a")["team"], "blue");
}

#[tokio::test]
async fn a_backend_that_takes_no_tags_with_a_value_gets_them_after_it() {
    let (memory, backend) = Memory::open();

    let row = one(&backend, &tagged("a", "new", "blue"), SETTINGS).await;

    assert_eq!(memory.take_log(), ["put a", "tag a"]);
    assert_eq!(row.actions, [Action::Create, Action::Tag]);
    assert_eq!(row.after, Some(State::Available));
}

#[tokio::test]
async fn a_second_run_does_nothing() {
    let (memory, backend) = Memory::open();
    for desired in [whole("a", "v"), generated("b")] {
        one(&backend, &desired, SETTINGS).await;
        let before = memory.value(&desired.name);
        memory.take_log();

        let row = one(&backend, &desired, SETTINGS).await;

        assert_eq!(row.outcome, Outcome::Unchanged);
        assert!(memory.take_log().is_empty());
        assert_eq!(memory.value(&desired.name), before);
    }
}

#[tokio::test]
async fn a_generated_value_survives_a_deletion() {
    let (memory, backend) = Memory::open();
    one(&backend, &generated("a"), SETTINGS).await;
    let made = memory.value("a");
    memory.put("a", State::Disabled, &made);

    one(&backend, &generated("a"), SETTINGS).await;

    assert_eq!(memory.value("a"), made);
    assert_eq!(memory.state("a"), State::Available);
}

#[tokio::test]
async fn somebody_elses_secret_is_adopted_before_it_is_written() {
    let (memory, backend) = Memory::open();
    memory.put("a", State::Available, "theirs");
    memory.hand_over("a");
    let adopting = Settings {
        adopt: Switch::On,
        ..SETTINGS
    };

    let refused = one(&backend, &whole("a", "ours"), SETTINGS).await;
    let taken = one(&backend, &whole("a", "ours"), adopting).await;

    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(taken.actions, [Action::Adopt, Action::Update]);
    assert_eq!(memory.take_log(), ["adopt a", "put a"]);
}

#[tokio::test]
async fn a_plan_changes_nothing() {
    let (memory, backend) = Memory::open();
    memory.put("a", UNTIL, "old");
    let planning = Settings {
        plan: Switch::On,
        ..SETTINGS
    };

    let row = one(&backend, &whole("a", "new"), planning).await;

    assert_eq!(
        (row.outcome, row.actions),
        (Outcome::Planned, vec![Action::Restore])
    );
    assert!(memory.take_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_never_rests_ends_in_a_reason() {
    let (memory, backend) = Memory::open();
    memory.put("a", State::Changing, "v");

    let row = one(&backend, &whole("a", "v"), SETTINGS).await;

    assert_eq!(row.outcome, Outcome::Refused);
    assert!(row.reason.contains("still working"), "{}", row.reason);
}

/// A run of which the fifth and the sixth entry wait for its interruption.
#[derive(Default)]
struct Interruption {
    started: Cell<usize>,
    interrupted: Cell<bool>,
}

impl Interruption {
    async fn come(&self) {
        while self.started.get() < 6 {
            yield_now().await;
        }
        self.interrupted.set(true);
    }

    async fn begin(&self) {
        self.started.set(self.started.get() + 1);
        while self.started.get() > 4 && !self.interrupted.get() {
            yield_now().await;
        }
    }
}

async fn apply_all(backend: &Backend, interrupt: impl Future, run: &Interruption) -> Vec<Row> {
    let all: Vec<_> = (0..12).map(|at| generated(&format!("s{at}"))).collect();
    let rows = each(all, 2, &mut Progress::hidden(), interrupt, |desired| {
        let backend = backend.clone();
        async move {
            run.begin().await;
            one(&backend, &desired, SETTINGS).await
        }
    })
    .await;
    rows.into_iter().flatten().collect()
}

#[tokio::test]
async fn an_interrupted_run_is_finished_by_repeating_it() {
    let (memory, backend) = Memory::open();
    let run = Interruption::default();

    let first = apply_all(&backend, run.come(), &run).await;
    let written = memory.take_log();
    let kept = memory.value("s0");
    let second = apply_all(&backend, std::future::pending::<()>(), &run).await;

    assert_eq!((first.len(), written.len()), (6, 6));
    assert_eq!(memory.take_log().len(), 6);
    assert_eq!(memory.value("s0"), kept);
    let unchanged = second
        .iter()
        .filter(|row| row.outcome == Outcome::Unchanged);
    assert_eq!((second.len(), unchanged.count()), (12, 6));
}

#[tokio::test]
async fn no_output_holds_a_value() {
    const CANARY: &str = "canary-4f2a";
    let (memory, backend) = Memory::open();
    memory.put("deleted", UNTIL, "canary-old");
    memory.put("plain", State::Available, "canary-plain");
    let field = |name: &str| Desired {
        content: Wanted::Fields {
            fields: [("password".to_owned(), Part::Given(CANARY.into()))].into(),
            extra: ExtraFields::Keep,
        },
        ..whole(name, "")
    };
    let all = [
        whole("deleted", CANARY),
        whole("denied", CANARY),
        field("plain"),
        field("new"),
    ];
    let removal = remove::Settings {
        verb: Verb::Delete,
        unmanaged: Switch::Off,
        days: None,
    };

    let mut rows = Vec::new();
    let mut printed = String::new();
    for desired in &all {
        let observed = backend.observe(desired).await;
        let _ = write!(printed, "{desired:?} {observed:?}");
        rows.push(one(&backend, desired, SETTINGS).await);
        let planned = remove::plan(&backend, &desired.name, removal).await;
        printed += &remove::warning(&[planned], Verb::Delete, jiff::Timestamp::UNIX_EPOCH);
        rows.push(remove::one(&backend, &desired.name, removal).await);
        rows.push(restore::one(&backend, &desired.name, Switch::Off).await);
    }
    let subject = Subject {
        verb: "apply",
        store: "SecretStore a/b".to_owned(),
        backend: "Memory",
    };
    let report = Report {
        subject: &subject,
        rows: &rows,
    };
    printed += &report.text(Paint::ON);
    printed += &report.document(jiff::Timestamp::UNIX_EPOCH, Complete::Yes);
    let _ = write!(printed, "{rows:?}");

    assert_eq!(memory.value("deleted"), CANARY);
    assert!(printed.contains("password"));
    assert!(!printed.contains("canary"), "{printed}");
}
