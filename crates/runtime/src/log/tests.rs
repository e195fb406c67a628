//! Lines as they leave the program.

use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::Value;

use super::*;

/// What `body` logs under the settings.
fn logged(settings: Settings, body: impl FnOnce()) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let layer = layer::Output::new(settings, move |line: &[u8]| {
        let line = String::from_utf8(line.to_vec()).unwrap();
        kept.lock().push(line);
    });
    tracing::subscriber::with_default(Registry::default().with(layer), body);
    let lines = lines.lock();
    lines.clone()
}

#[test]
fn a_line_is_json_with_zaps_keys_and_fields_inline() {
    let lines = logged(Settings::default(), || {
        tracing::info!(
            target: "controllers.ExternalSecret",
            count = 3, ratio = 0.5, done = true, name = "a\"b",
            "reconciled secret"
        );
    });

    let line: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(line["level"], "info");
    assert_eq!(line["logger"], "controllers.ExternalSecret");
    assert_eq!(line["msg"], "reconciled secret");
    assert_eq!(line["count"], 3);
    assert_eq!(line["ratio"], 0.5);
    assert_eq!(line["done"], true);
    assert_eq!(line["name"], "a\"b");
    assert!(line["ts"].as_f64().unwrap() > 1.7e9);
    assert!(lines[0].starts_with(r#"{"level":"info","ts":"#));
}

#[test]
fn our_modules_are_loggers_and_the_fields_of_spans_come_along() {
    let lines = logged(Settings::default(), || {
        let span = tracing::info_span!("run", namespace = "ns");
        let _entered = span.enter();
        tracing::warn!("late");
    });

    let line: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(line["logger"], "runtime.log.tests");
    assert_eq!(line["level"], "warn");
    assert_eq!(line["namespace"], "ns");
}

#[test]
fn libraries_are_not_heard_because_they_log_what_they_receive() {
    let settings = Settings {
        level: Level::Debug,
        ..Settings::default()
    };

    let lines = logged(settings, || {
        tracing::error!(target: "kube_client::client", "{{\"data\":\"canary\"}}");
        tracing::warn!(target: "hyper", "canary");
        tracing::debug!(target: "setup", "heard");
    });

    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("heard"));
}

#[test]
fn lines_below_the_level_are_left_out() {
    let at = |level| {
        let settings = Settings {
            level,
            ..Settings::default()
        };
        logged(settings, || {
            tracing::debug!("d");
            tracing::info!("i");
            tracing::warn!("w");
            tracing::error!("e");
        })
        .len()
    };

    assert_eq!(at(Level::Debug), 4);
    assert_eq!(at(Level::Info), 3);
    assert_eq!(at(Level::Error), 1);
    assert_eq!(at(Level::Fatal), 0);
}

#[test]
fn the_console_form_has_columns() {
    let settings = Settings {
        format: Format::Console,
        ..Settings::default()
    };

    let lines = logged(settings, || {
        tracing::info!(target: "setup", port = 8080, "serving");
        tracing::info!(target: "setup", "plain");
    });

    assert!(lines[0].ends_with("Z\tinfo\tsetup\tserving\t{\"port\":8080}\n"));
    assert!(lines[1].ends_with("\tplain\n"));
}

#[test]
fn times_are_written_in_zaps_encodings() {
    let at = Timestamp::from_nanosecond(1_690_000_000_120_000_000).unwrap();
    let written = |name: &str| {
        let mut out = String::new();
        name.parse::<TimeEncoding>().unwrap().write(&mut out, at);
        out
    };

    assert_eq!(written("epoch"), "1690000000.12");
    assert_eq!(written("millis"), "1690000000120");
    assert_eq!(written("nano"), "1690000000120000000");
    assert_eq!(written("iso8601"), "\"2023-07-22T04:26:40.120Z\"");
    assert_eq!(written("rfc3339"), "\"2023-07-22T04:26:40Z\"");
    assert_eq!(written("rfc3339nano"), "\"2023-07-22T04:26:40.12Z\"");
    let mut whole = String::new();
    let second = Timestamp::from_second(10).unwrap();
    TimeEncoding::Rfc3339Nano.write(&mut whole, second);
    assert_eq!(whole, "\"1970-01-01T00:00:10Z\"");
}

#[test]
fn unknown_levels_are_refused_and_unknown_encodings_mean_epoch() {
    assert_eq!(
        "loud".parse::<Level>(),
        Err(
            "unrecognized level: \"loud\"; use debug, info, warn, error, dpanic, panic or fatal"
                .to_owned()
        )
    );
    assert_eq!("DEBUG".parse::<Level>(), Ok(Level::Debug));
    assert_eq!("warning".parse::<Level>(), Ok(Level::Warn));
    assert_eq!("stardate".parse(), Ok(TimeEncoding::Epoch));
    assert_eq!("nanos".parse(), Ok(TimeEncoding::Nano));
}
