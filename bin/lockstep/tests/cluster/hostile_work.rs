//! Objects that ask for endless work or memory beside a healthy tenant: they fail by themselves, and
//! neither the tenant nor the lease nor the health endpoint notices.

use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::stub::Answer;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};
use crate::server::{Server, peak_memory};

/// The most memory an operator may have had, in MiB, as claimed.
const MOST_MEMORY: u64 = 128;
/// How late an answer of the health endpoint or a renewal may be on a busy machine; both are due
/// within a second.
const LATE: Duration = Duration::from_secs(8);
/// Time between two questions to the health endpoint.
const PROBE_EVERY: Duration = Duration::from_millis(100);
/// How long a new object of the healthy tenant may take on a busy machine; two seconds are claimed.
const SOON: Duration = Duration::from_secs(15);

/// Templates that ask for too much, each in its own way.
fn hostile() -> Vec<Value> {
    let one = |text: &str| json!({"data": {"x": text}});
    let many = |count: usize, text: &str| {
        let data = (0..count).map(|number| (format!("k{number}"), json!(text)));
        json!({"data": data.collect::<serde_json::Map<String, Value>>()})
    };
    vec![
        one(r#"{{ range until 1000 }}{{ genPrivateKey "rsa" }}{{ end }}"#),
        many(30, r#"{{ repeat 16000000 "x" }}"#),
        many(30, r#"{{ repeat 16000000 "x" | len }}"#),
        one(r#"{{ range until 1000 }}{{ derivePassword 1 "long" "p" "u" "s" }}{{ end }}"#),
        one(r#"{{ range until 1000 }}{{ bcrypt "p" }}{{ end }}"#),
        one("{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}"),
        one(r"{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"),
        one(
            r#"{{ $x := repeat 1000000 "a" }}{{ range until 100000 }}{{ regexMatch "(a|b|ab)*c" $x }}{{ end }}"#,
        ),
        json!({"metadata": {"annotations": {"x": r#"{{ repeat 20000000 "x" }}"#}}}),
    ]
}

impl Room {
    fn ask_for(&self, name: &str, template: &Value) {
        self.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name},
            "spec": {
                "refreshInterval": "1m", "secretStoreRef": {"name": "store"},
                "target": {"template": template},
                "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            },
        }));
    }

    /// A fake store of a class of its own.
    fn own_store(&self, class: &str) {
        self.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "store"},
            "spec": {
                "controller": class,
                "provider": {"fake": {"data": [{"key": "k", "value": "v"}]}},
            },
        }));
    }

    /// Makes a new object and returns how long it took until it was ready.
    fn time_to_ready(&self, name: &str) -> Duration {
        let began = Instant::now();
        self.ask_for(name, &json!({"data": {"url": "https://{{ .a }}@db"}}));
        until("readiness of a healthy object", || {
            let object = self.external_secret(name);
            let is_ready = object["status"]["conditions"][0]["status"] == "True";
            if is_ready { Ok(()) } else { Err(()) }
        });
        began.elapsed()
    }
}

/// Asks the health endpoint all the time, and notes the longest time without an answer.
struct Pulse {
    stop: Sender<()>,
    longest: JoinHandle<Duration>,
}

impl Pulse {
    fn of(operator: &Operator) -> Self {
        let (stop, ended) = std::sync::mpsc::channel();
        let health = operator.health();
        let longest = std::thread::spawn(move || {
            let (mut longest, mut last) = (Duration::ZERO, Instant::now());
            // Asks ten times a second until it is stopped.
            while ended.recv_timeout(PROBE_EVERY) == Err(RecvTimeoutError::Timeout) {
                let answer = health.probe("/healthz", LATE);
                if answer.is_ok_and(|(status, _)| status == 200) {
                    longest = longest.max(last.elapsed());
                    last = Instant::now();
                }
            }
            longest.max(last.elapsed())
        });
        Self { stop, longest }
    }

    fn end(self) -> Duration {
        drop(self.stop);
        self.longest.join().unwrap()
    }
}

#[test]
fn hostile_templates_delay_neither_a_healthy_tenant_nor_lease_and_health() {
    let cluster = Cluster::shared().unwrap();
    let (bad, good) = (Room::new(cluster), Room::new(cluster));
    let class = bad.namespace.clone();
    let flags = [
        format!("--controller-class={class}"),
        format!("--leader-election-id={class}"),
        "--enable-leader-election".to_owned(),
    ];
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut operator = operator(cluster, &flags);
    let pulse = Pulse::of(&operator);
    bad.own_store(&class);
    good.own_store(&class);
    good.time_to_ready("first");
    bad.ask_for("first", &hostile()[1]);
    let message = bad.failed("first", "Template");
    assert!(message.contains("exceed"), "{message}");

    for round in 0..3 {
        for (number, template) in hostile().iter().enumerate() {
            bad.ask_for(&format!("bad-{round}-{number}"), template);
        }
    }
    let mut slowest = Duration::ZERO;
    for number in 0..10 {
        slowest = slowest.max(good.time_to_ready(&format!("good-{number}")));
    }

    assert!(slowest < SOON, "{slowest:?}");
    operator.check().unwrap();
    let (silent, memory) = (pulse.end(), peak_memory(&operator));
    assert!(silent < LATE, "{silent:?} without an answer to a probe");
    assert!(memory < MOST_MEMORY, "{memory} MiB");
    let metrics = operator.metrics().unwrap();
    let leads = "leader_election_master_status";
    assert!(
        metrics
            .lines()
            .any(|line| line.starts_with(leads) && line.ends_with(" 1")),
        "the lease was lost"
    );
}

#[test]
fn answers_of_sixteen_mebibytes_stay_within_the_memory_of_the_process() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let mut operator = operator(cluster, &[&room.flag()]);
    server.does(|_| Answer::text(200, "x".repeat(16 * 1024 * 1024 - 1)));
    room.store_over(&server, "60s");
    room.readers(24, "10s");
    let message = room.failed("es-0", "InvalidData");

    assert!(message.contains("bytes"), "{message}");
    room.fill();
    room.synced();
    room.failed("es-23", "");
    operator.check().unwrap();
    let memory = peak_memory(&operator);
    assert!(memory < MOST_MEMORY, "{memory} MiB");
}
