//! Servers that hang, throttle, flap, talk nonsense or take their time: what they cost is time, and
//! never a Secret.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::stub::Answer;
use serde_json::json;

use crate::process::{Room, metric, operator, until};
use crate::server::{Server, asked_again, hang, is_quiet, peak_memory};

/// `one` and `two` in base64.
const ONE: &str = "b25l";
const TWO: &str = "dHdv";

#[test]
fn a_server_that_never_answers_holds_up_nobody_and_costs_no_secret() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let mut operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "2s");
    room.readers(8, "1s");
    room.all_ready(8);
    let before = room.versions();

    server.does(hang);
    asked_again(&server, server.requests().len(), 1);
    // A new object of another store is served meanwhile.
    room.fill();
    room.synced();

    let message = room.failed("es-7", "Unreachable");
    assert!(
        message.starts_with("could not get secret data from provider"),
        "{message}"
    );
    assert_eq!(room.versions(), before);

    server.says("one");
    room.all_ready(9);
    assert_eq!(room.versions(), before);
    operator.check().unwrap();
}

#[test]
fn another_store_is_served_while_seventy_new_objects_wait_for_one_that_hangs() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let _operator = operator(cluster, &[&room.flag()]);
    server.does(hang);
    room.store_over(&server, "10m");
    room.readers(70, "1h");
    // As many slots as one store of a namespace gets.
    asked_again(&server, 0, 24);
    let began = Instant::now();

    room.fill();
    room.synced();

    // Sooner than the calls that hang are given up, which is after 30 s.
    assert!(began.elapsed() < Duration::from_secs(25), "{began:?}");
    assert!(room.secrets().is_empty());
}

#[test]
fn a_server_that_throttles_is_left_alone_for_as_long_as_it_asks() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let _operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "10s");
    room.readers(30, "2s");
    room.all_ready(30);
    let (before, told) = (room.versions(), room.warnings());

    let refused = Arc::<Mutex<Vec<Instant>>>::default();
    let note = Arc::clone(&refused);
    server.does(move |_| {
        note.lock().unwrap().push(Instant::now());
        Answer {
            headers: vec![("Retry-After", "8".to_owned())],
            ..Answer::text(429, "slow down")
        }
    });
    let first = until("a throttle", || {
        let first = refused.lock().unwrap().first().copied();
        first.ok_or(Instant::now())
    });
    // Calls on their way when the first was refused may still come in; then nothing does.
    let settled = first + Duration::from_secs(4);
    until("the end of the pause", || {
        let passed = first.elapsed();
        if passed > Duration::from_secs(8) {
            Ok(passed)
        } else {
            Err(passed)
        }
    });
    assert!(is_quiet(&server, settled, Duration::from_millis(3800)));
    let burst = refused
        .lock()
        .unwrap()
        .iter()
        .filter(|at| **at < settled)
        .count();
    assert!(burst <= 32, "{burst} calls at once");
    // A throttled store is no reason to call anyone unready.
    assert_eq!(room.with_ready("True").len(), 30);
    assert_eq!(room.versions(), before);

    server.says("two");
    room.all_say(30, TWO);
    assert_eq!(room.warnings(), told);
}

#[test]
fn a_server_that_fails_every_other_time_causes_no_storm() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "10s");
    room.readers(15, "1s");
    room.all_ready(15);
    let (before, told) = (room.versions(), room.warnings());
    let patches = || metric(&operator, "rest_client_requests_total", "method=\"PATCH\"");
    let (written, calls) = (patches(), AtomicUsize::default());

    server.does(move |_| match calls.fetch_add(1, Ordering::Relaxed) % 2 {
        0 => Answer::text(500, "no"),
        _ => Answer::text(200, "one"),
    });
    asked_again(&server, server.requests().len(), 90);

    assert_eq!(room.versions(), before);
    let warnings = room.warnings() - told;
    assert!(warnings <= 15, "{warnings} warnings");
    // A word on each object, and one when it is well again, would be the most.
    assert!(patches() - written <= 30, "{} writes", patches() - written);

    server.says("two");
    room.all_say(15, TWO);
    room.all_ready(15);
}

#[test]
fn nonsense_is_told_and_the_secret_stays() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start(r#"{"a": "one"}"#));
    let mut operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "10s");
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es-0"},
        "spec": {
            "refreshInterval": "1s", "secretStoreRef": {"name": "remote"},
            "dataFrom": [{"extract": {"key": "k"}}], "target": {"deletionPolicy": "Delete"},
        },
    }));
    room.all_ready(1);
    let before = room.versions();

    let mut huge = br#"{"a": ""#.to_vec();
    huge.resize(10_000_000, b'x');
    huge.extend_from_slice(br#""}"#);
    let endless = vec![b' '; 20_000_000];
    let nonsense: [(&[u8], &str); 6] = [
        (br#"{"a": "on"#, "InvalidData"),
        (br#"["a", "one"]"#, "wrong type"),
        (b"", "InvalidData"),
        (b"\xff\xfe\x00{\"a\": 1}", "InvalidData"),
        (&huge, "and may have"),
        (&endless, "16777216 bytes"),
    ];
    for (body, word) in nonsense {
        let body = body.to_vec();
        server.does(move |_| Answer {
            body: body.clone(),
            ..Answer::text(200, "")
        });
        room.force("es-0", word);
        let message = room.failed("es-0", word);
        assert!(message.len() <= 1024, "{}", message.len());
        assert_eq!(room.versions(), before, "{word}");
    }

    server.says(r#"{"a": "two"}"#);
    room.force("es-0", "well again");
    room.all_say(1, TWO);
    operator.check().unwrap();
    let peak = peak_memory(&operator);
    assert!(peak < 300, "{peak} MiB");
}

#[test]
fn slow_answers_do_not_hold_up_quick_ones() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let _operator = operator(cluster, &[&room.flag()]);
    // The first answers when the test lets it, the others at once.
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    server.does(move |request| {
        if request.path == "/key-0" {
            // Open for good once the test has dropped its side.
            gate.lock().unwrap().recv().unwrap_or_default();
        }
        Answer::text(200, "one")
    });
    room.store_over(&server, "30s");
    room.readers(12, "1h");
    room.fill();

    room.synced();
    room.all_ready(12);
    let slowest = &room.external_secret("es-0")["status"]["conditions"][0]["status"];
    assert_ne!(slowest, "True", "it has no answer yet");
    drop(open);
    room.all_ready(13);
    room.all_say(12, ONE);
}

#[test]
fn a_server_that_knows_nothing_any_more_takes_no_secret_with_it() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let _operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "10s");
    room.readers(15, "2s");
    room.all_ready(15);
    let before = room.versions();

    server.does(|_| Answer::text(404, "unknown"));
    until("a word on every object", || {
        let failed = room.with_ready("False").len();
        if failed == 15 {
            Ok(failed)
        } else {
            Err(failed)
        }
    });
    let message = room.failed("es-3", "DeletionHeld");
    assert!(message.contains("allow-mass-deletion"), "{message}");
    assert_eq!(room.versions(), before);

    server.says("one");
    room.all_ready(15);
    assert_eq!(room.versions(), before);
}
