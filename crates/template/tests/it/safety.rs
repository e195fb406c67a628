//! A template reads nothing but what it is given: no environment, files, network or clock.

use std::fs;
use std::path::{Path, PathBuf};

use lockstep_template::{Env, ErrorKind, Limits, Options, StrMap, Template, Value};

use crate::support::{Fixed, run};

#[test]
fn functions_that_reach_outside_are_refused_and_say_why() {
    for (name, why) in [
        ("env", "templates cannot read the environment"),
        ("expandenv", "templates cannot read the environment"),
        ("getHostByName", "templates cannot use the network"),
    ] {
        let error = run(&format!("{{{{ {name} \"HOME\" }}}}"), &[]).unwrap_err();

        assert_eq!(
            error.to_string(),
            format!("template: tpl:1: function {name:?} not defined: {why}")
        );
        assert_eq!(error.kind(), ErrorKind::Parse);
    }
}

#[test]
fn a_misspelt_function_gets_the_name_that_was_meant() {
    let told = |source: &str| run(source, &[]).unwrap_err().to_string();

    assert_eq!(
        told(r#"{{ "x" | uper }}"#),
        r#"template: tpl:1: function "uper" not defined; did you mean "upper"?"#
    );
    assert_eq!(
        told("{{ frobnicate 1 }}"),
        r#"template: tpl:1: function "frobnicate" not defined"#
    );
}

#[test]
fn functions_on_paths_work_on_text_alone() {
    let source =
        r#"{{ base "/proc/self/environ" }} {{ dir "/proc/self/environ" }} {{ isAbs "/proc" }}"#;

    assert_eq!(run(source, &[]).unwrap(), b"environ /proc/self true");
}

#[test]
fn now_is_the_time_that_was_given() {
    let template = Template::parse(
        "tpl",
        r#"{{ now.Unix }} {{ now | date "2006-01-02" }} {{ ago now }} {{ date "15:04" "no date" }}"#,
        &Options::default(),
    )
    .unwrap();
    let env = Env {
        now: jiff::Timestamp::from_second(1_700_000_000).unwrap(),
        random: &Fixed,
        limits: Limits::default(),
    };

    let text = template
        .execute(&Value::from(StrMap::default()), &env)
        .unwrap();

    assert_eq!(text, b"1700000000 2023-11-14 0s 22:13");
}

#[test]
fn a_failed_source_of_randomness_is_an_error() {
    struct Broken;
    impl lockstep_template::Random for Broken {
        fn fill(&self, _: &mut [u8]) -> Result<(), lockstep_template::RandomError> {
            Err(lockstep_template::RandomError("it is broken".to_owned()))
        }
    }
    let template = Template::parse("tpl", "{{ randBytes 8 }}", &Options::default()).unwrap();
    let env = Env {
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &Broken,
        limits: Limits::default(),
    };

    let error = template
        .execute(&Value::from(StrMap::default()), &env)
        .unwrap_err();

    assert!(error.to_string().ends_with("it is broken"), "{error}");
}

/// What reaches outside is not even named in the code of the engine and what it is built on.
#[test]
fn the_code_names_no_environment_file_network_or_clock() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&own.join("src"), &mut files);
    sources(&own.join("../golang/src"), &mut files);

    assert!(files.len() > 100, "{}", files.len());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for word in [
            "std::env",
            "std::fs",
            "TcpStream",
            "UdpSocket",
            "ToSocketAddrs",
            "std::process",
            "std::io::std",
            "SystemTime",
            "Instant",
            "Timestamp::now",
            "Zoned::now",
            "TimeZone::system",
            "getrandom",
        ] {
            assert!(!text.contains(word), "{} names {word}", file.display());
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn an_execution_that_fails_late_leaves_no_output() {
    let error = run("a{{ .user }}b{{ fail \"stop\" }}", &[("user", "alice")]).unwrap_err();

    assert_eq!(
        error.to_string(),
        "template: tpl:1:16: executing \"tpl\" at <fail \"stop\">: error calling fail: stop"
    );
}
