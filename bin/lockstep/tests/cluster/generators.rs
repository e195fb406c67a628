//! Generators on a real API server: the examples apply, credentials have states until they are taken back,
//! refreshes follow the credential's own end, and random faults leave no credential behind at the server.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::stub::{Answer, Request, Stub};
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

const GENERATORS: &str = "generators.external-secrets.io/v1alpha1";
const GRACE: &str = "--generator-gc-grace-period=1s";

/// What a server of deploy tokens holds.
#[derive(Default)]
struct Tokens {
    made: u64,
    live: BTreeSet<u64>,
    /// Status of every answer while something is wrong.
    failing: Option<u16>,
}

/// A server of GitLab's deploy tokens.
struct Gitlab {
    stub: Stub,
    tokens: Arc<Mutex<Tokens>>,
}

impl Gitlab {
    fn start() -> Self {
        let tokens = Arc::<Mutex<Tokens>>::default();
        let own = Arc::clone(&tokens);
        let stub = Stub::start(move |request| answer(&request, &mut own.lock().unwrap()));
        Self {
            stub: stub.unwrap(),
            tokens,
        }
    }

    fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().unwrap()
    }

    /// A generator at this server, with its Secret.
    fn generator(&self, room: &Room) {
        room.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "gitlab"},
            "stringData": {"token": "glpat"},
        }));
        room.apply(&json!({
            "apiVersion": GENERATORS, "kind": "GitlabDeployToken", "metadata": {"name": "deploy"},
            "spec": {
                "url": self.stub.url(), "projectID": "1", "name": "eso",
                "scopes": ["read_registry"],
                "auth": {"token": {"secretRef": {"name": "gitlab", "key": "token"}}},
            },
        }));
    }
}

fn answer(request: &Request, tokens: &mut Tokens) -> Answer {
    if let Some(status) = tokens.failing {
        return Answer::json(status, &json!({"message": "not now"}));
    }
    if request.method == "DELETE" {
        let id = request.path.rsplit('/').next().unwrap().parse().unwrap();
        let status = if tokens.live.remove(&id) { 204 } else { 404 };
        return Answer::json(status, &json!({}));
    }
    tokens.made += 1;
    let id = tokens.made;
    tokens.live.insert(id);
    let token = format!("token-{id}");
    Answer::json(201, &json!({"id": id, "username": "user", "token": token}))
}

fn reader(name: &str, interval: &str, kind: &str, generator: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {"refreshInterval": interval, "dataFrom": [{"sourceRef": {"generatorRef": {
            "apiVersion": GENERATORS, "kind": kind, "name": generator,
        }}}]},
    })
}

/// Ids of the tokens that GeneratorStates of the room hold.
fn held(room: &Room) -> BTreeSet<u64> {
    let states = room.list(&format!("/apis/{GENERATORS}"), "generatorstates");
    let ids = states
        .iter()
        .map(|state| &state["spec"]["state"]["tokenID"]);
    ids.filter_map(Value::as_u64).collect()
}

/// Waits until the server has exactly what states hold, and so many of them.
fn settled(room: &Room, gitlab: &Gitlab, fits: impl Fn(usize) -> bool) {
    until("a state for each credential", || {
        let (held, live) = (held(room), gitlab.tokens().live.clone());
        if held == live && fits(live.len()) {
            Ok((held, live))
        } else {
            Err((held, live))
        }
    });
}

fn force(room: &Room, name: &str, number: u32) {
    let path = format!(
        "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets/{name}",
        room.namespace
    );
    let annotations = json!({"force-sync": number.to_string()});
    let change = json!({"metadata": {"annotations": annotations}});
    room.api.merge(&path, &change).unwrap();
}

#[test]
fn the_example_of_each_kind_is_accepted_by_the_api_server() {
    let room = Room::new(Cluster::shared().unwrap());
    let mut kinds = BTreeSet::new();

    for entry in std::fs::read_dir(place::workspace().join("examples/generators")).unwrap() {
        for mut object in manifest::read(&entry.unwrap().path()).unwrap() {
            let kind = manifest::text(&object, "/kind").to_owned();
            if object["metadata"]["namespace"].is_string() {
                object["metadata"]["namespace"] = json!(room.namespace);
            }
            let strict = "fieldManager=examples&fieldValidation=Strict&dryRun=All";
            room.api.apply_with(&object, strict).unwrap();
            kinds.insert(kind);
        }
    }

    let crds = place::workspace().join("deploy/crds");
    for entry in std::fs::read_dir(crds).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(plural) = name.strip_suffix(".generators.external-secrets.io.yaml") else {
            continue;
        };
        // A state is written by the operator alone.
        let shown = kinds
            .iter()
            .any(|kind| format!("{}s", kind.to_lowercase()) == plural);
        let is_state = plural == "generatorstates";
        assert!(shown || is_state, "{plural} has no example");
    }
}

#[test]
fn a_credential_has_a_state_until_it_is_taken_back() {
    let cluster = Cluster::shared().unwrap();
    let (room, gitlab) = (Room::new(cluster), Gitlab::start());
    gitlab.generator(&room);
    let _operator = operator(cluster, &[&room.flag(), GRACE]);
    room.apply(&reader("es", "1h", "GitlabDeployToken", "deploy"));
    room.synced();
    settled(&room, &gitlab, |live| live == 1);

    // The one before the newest stays, for consumers that have not changed yet.
    for number in 1..4 {
        force(&room, "es", number);
        until("a new credential", || {
            let made = gitlab.tokens().made;
            if made > u64::from(number) {
                Ok(made)
            } else {
                Err(made)
            }
        });
        settled(&room, &gitlab, |live| live == 2);
    }
    let secret = room.secret("es").unwrap();
    assert_eq!(secret["data"]["token"], "dG9rZW4tNA==");

    let path = format!(
        "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets/es",
        room.namespace
    );
    room.api.delete(&path).unwrap();
    settled(&room, &gitlab, |live| live == 0);
    assert_eq!(gitlab.tokens().made, 4);
}

#[test]
fn a_credential_that_ends_soon_is_replaced_before_its_interval() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let key = include_str!("../../../../crates/generators/src/testing/rsa.pem");
    let made = Arc::<Mutex<u64>>::default();
    let count = Arc::clone(&made);
    let github = Stub::start(move |_| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let end = std::time::SystemTime::now() + std::time::Duration::from_secs(20);
        let end = end.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let end = jiff::Timestamp::from_second(end.try_into().unwrap()).unwrap();
        let token = format!("ghs-{count}");
        Answer::json(201, &json!({"token": token, "expires_at": end.to_string()}))
    });
    let github = github.unwrap();
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app"},
        "stringData": {"pem": key},
    }));
    room.apply(&json!({
        "apiVersion": GENERATORS, "kind": "GithubAccessToken", "metadata": {"name": "github"},
        "spec": {
            "appID": "1", "installID": "2", "url": github.url(),
            "auth": {"privateKey": {"secretRef": {"name": "app", "key": "pem"}}},
        },
    }));
    let _operator = operator(cluster, &[&room.flag()]);
    room.apply(&reader("es", "1h", "GithubAccessToken", "github"));
    room.synced();

    until("a second credential within the hour", || {
        let secret = room.secret("es").unwrap_or_default();
        let token = secret["data"]["token"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if token == "Z2hzLTI=" {
            Ok(token)
        } else {
            Err(token)
        }
    });
}

#[test]
fn random_faults_leave_no_credential_behind() {
    const OBJECTS: usize = 6;
    let cluster = Cluster::shared().unwrap();
    let (room, gitlab) = (Room::new(cluster), Gitlab::start());
    gitlab.generator(&room);
    let mut running = operator(cluster, &[&room.flag(), GRACE]);
    for seed in 0..3 {
        let mut random = fastrand::Rng::with_seed(seed);
        for number in 0..OBJECTS {
            let object = reader(&format!("es-{number}"), "5s", "GitlabDeployToken", "deploy");
            room.apply(&object);
        }
        for step in 0..24 {
            let name = format!("es-{}", random.usize(0..OBJECTS));
            let namespace = &room.namespace;
            match random.u32(0..6) {
                0 => {
                    gitlab.tokens().failing =
                        Some(*random.choice(&[401, 403, 429, 500, 503]).unwrap());
                }
                1 => gitlab.tokens().failing = None,
                2 => {
                    let path = format!("/api/v1/namespaces/{namespace}/secrets/{name}");
                    room.api.delete(&path).unwrap();
                }
                3 => {
                    let group = "/apis/external-secrets.io/v1";
                    let path = format!("{group}/namespaces/{namespace}/externalsecrets/{name}");
                    room.api.delete(&path).unwrap();
                    until("its end", || match room.api.find(&path).unwrap() {
                        None => Ok(Value::Null),
                        Some(object) => Err(object),
                    });
                    room.apply(&reader(&name, "5s", "GitlabDeployToken", "deploy"));
                }
                4 => {
                    running.terminate().unwrap();
                    running = operator(cluster, &[&room.flag(), GRACE]);
                }
                _ => force(&room, &name, step),
            }
        }
        gitlab.tokens().failing = None;
        until("readiness of all", || {
            let objects = room.list("/apis/external-secrets.io/v1", "externalsecrets");
            let unready = objects
                .iter()
                .map(|object| &object["status"]["conditions"][0]);
            let unready: Vec<_> = unready.filter(|ready| ready["status"] != "True").collect();
            if unready.is_empty() {
                Ok(String::new())
            } else {
                Err(format!("{unready:?}"))
            }
        });
        let group = "/apis/external-secrets.io/v1";
        for object in room.list(group, "externalsecrets") {
            let name = object["metadata"]["name"].as_str().unwrap();
            let path = format!(
                "{group}/namespaces/{}/externalsecrets/{name}",
                room.namespace
            );
            let still = json!({"spec": {"refreshInterval": "1h"}});
            room.api.merge(&path, &still).unwrap();
        }
        settled(&room, &gitlab, |live| live >= OBJECTS);
        let live = gitlab.tokens().live.clone();
        let used = room.secrets().len();
        assert_eq!(used, OBJECTS, "{live:?}");
    }
    running.check().unwrap();
}
