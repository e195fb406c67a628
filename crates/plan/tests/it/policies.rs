//! Every creation, deletion and refresh policy against everything that can happen to an object: what
//! is read, what becomes of Secrets and what the condition says, each derived from the rules alone
//! and compared with a run.

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};

use crate::properties::store;
use crate::remote::{Held, Remote};
use crate::world::World;

const CREATION: [&str; 5] = ["Owner", "Orphan", "CreateOrMerge", "Merge", "None"];
const DELETION: [&str; 3] = ["Retain", "Delete", "Merge"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refresh {
    Hourly,
    Zero,
    CreatedOnce,
    OnChange,
    /// Hourly, but never by time alone.
    WindowClosed,
}

const REFRESH: [Refresh; 5] = [
    Refresh::Hourly,
    Refresh::Zero,
    Refresh::CreatedOnce,
    Refresh::OnChange,
    Refresh::WindowClosed,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A new object, and no Secret of the target's name.
    New,
    /// A new object, and a Secret that nobody owns.
    NewOverAnother,
    /// An hour goes by; the provider has another value.
    HourLater,
    /// An hour goes by; the provider has the secret no more.
    RemoteGone,
    /// An hour goes by; the provider refuses.
    Denied,
    /// An annotation changes; the provider has another value.
    Annotated,
    /// Someone edits the target.
    TargetEdited,
    /// Someone deletes the target.
    TargetGone,
    /// The target gets another name.
    Renamed,
    /// The object is deleted.
    Deleted,
}

const EVENTS: [Event; 10] = [
    Event::New,
    Event::NewOverAnother,
    Event::HourLater,
    Event::RemoteGone,
    Event::Denied,
    Event::Annotated,
    Event::TargetEdited,
    Event::TargetGone,
    Event::Renamed,
    Event::Deleted,
];

#[derive(Clone, Copy, Debug)]
struct Combination {
    creation: &'static str,
    deletion: &'static str,
    refresh: Refresh,
    event: Event,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    fetched: bool,
    /// `es` and `two`, where they are there: their keys and values.
    secrets: Vec<String>,
    ready: &'static str,
}

fn combinations() -> impl Iterator<Item = Combination> {
    let policies = CREATION
        .into_iter()
        .flat_map(|creation| DELETION.map(|deletion| (creation, deletion)));
    let refreshed = policies
        .flat_map(|(creation, deletion)| REFRESH.map(|refresh| (creation, deletion, refresh)));
    refreshed.flat_map(|(creation, deletion, refresh)| {
        EVENTS.map(|event| Combination {
            creation,
            deletion,
            refresh,
            event,
        })
    })
}

impl Combination {
    fn is_new(self) -> bool {
        matches!(self.event, Event::New | Event::NewOverAnother)
    }

    /// Whether a Secret is there that the object did not make.
    fn another(self) -> bool {
        match self.event {
            Event::New => false,
            Event::NewOverAnother => true,
            // Something to merge into, so that the object gets anywhere.
            _ => self.creation == "Merge",
        }
    }

    fn object(self) -> ExternalSecret {
        let refresh = match self.refresh {
            Refresh::Hourly => "refreshInterval: 1h",
            Refresh::Zero => "refreshInterval: '0'",
            Refresh::CreatedOnce => "refreshPolicy: CreatedOnce",
            Refresh::OnChange => "refreshPolicy: OnChange",
            Refresh::WindowClosed => {
                "syncWindows: {kind: deny, windows: [{schedule: '* * * * *', duration: 24h}]}"
            }
        };
        serde_saphyr::from_str(&format!(
            "metadata: {{name: es, namespace: ns, uid: es-uid, generation: 1}}
spec:
  secretStoreRef: {{name: s}}
  {refresh}
  target: {{creationPolicy: {}, deletionPolicy: {}}}
  data: [{{secretKey: a, remoteRef: {{key: k}}}}]",
            self.creation, self.deletion
        ))
        .unwrap()
    }

    fn run(self) -> Outcome {
        let mut world = World::new(self.object(), holding(Some("1"))).with_store(&store());
        if self.another() {
            world.put(secret([("foreign", "x")]));
        }
        if !self.is_new() {
            world.run(at("12:00:00"));
        }
        let now = self.happens(&mut world);
        let trace = world.run(now);
        Outcome {
            fetched: trace.reads(),
            secrets: world.secrets.values().map(shown).collect(),
            ready: ready(&world.object),
        }
    }

    /// Lets the event happen; returns when the object runs next.
    fn happens(self, world: &mut World) -> Timestamp {
        let metadata = &mut world.object.metadata;
        match self.event {
            Event::New | Event::NewOverAnother => return at("12:00:00"),
            Event::HourLater => world.remote = holding(Some("2")),
            Event::RemoteGone => world.remote = holding(None),
            Event::Denied => {
                let failure = Held::Failure {
                    error: "Denied".to_owned(),
                    text: "no".to_owned(),
                };
                world.remote =
                    Remote([("s".to_owned(), [("k".to_owned(), failure)].into())].into());
            }
            Event::Annotated => {
                metadata.annotations = Some([("force-sync".to_owned(), "1".to_owned())].into());
                world.remote = holding(Some("2"));
            }
            Event::TargetEdited => {
                if let Some(mut target) = world.secrets.get("es").cloned() {
                    let data = target.data.get_or_insert_default();
                    data.insert("a".to_owned(), ByteString(b"edited".to_vec()));
                    world.put(target);
                }
            }
            Event::TargetGone => {
                world.secrets.remove("es");
            }
            Event::Renamed => {
                metadata.generation = Some(2);
                world.object.spec.target.get_or_insert_default().name = Some("two".to_owned());
            }
            Event::Deleted => metadata.deletion_timestamp = Some(Time(at("12:10:00"))),
        }
        match self.event {
            Event::HourLater | Event::RemoteGone | Event::Denied => at("13:01:00"),
            _ => at("12:10:00"),
        }
    }

    /// Whether admission would refuse the policies, and the controller does.
    fn is_refused(self) -> bool {
        match self.deletion {
            "Delete" => !matches!(self.creation, "Owner" | "Orphan"),
            "Merge" => self.creation == "None",
            _ => false,
        }
    }

    /// Secrets of others, to which a refused object does nothing.
    fn foreign(self) -> Vec<&'static str> {
        match self.event {
            _ if !self.another() => Vec::new(),
            Event::TargetGone => Vec::new(),
            Event::TargetEdited => vec!["es a=edited foreign=x"],
            _ => vec!["es foreign=x"],
        }
    }

    /// The same from the rules.
    fn expected(self) -> Outcome {
        if self.is_refused() {
            return Outcome {
                fetched: false,
                secrets: self.foreign().into_iter().map(str::to_owned).collect(),
                ready: "SecretSyncedError",
            };
        }
        let fetched = self.fetches();
        let (secrets, ready) = if fetched {
            self.after_fetch()
        } else {
            (self.untouched(), "SecretSynced")
        };
        Outcome {
            fetched,
            secrets: secrets.into_iter().map(str::to_owned).collect(),
            ready,
        }
    }

    /// Whether the provider is asked: the refresh policy wants it, or the target is not as it was left.
    fn fetches(self) -> bool {
        use Refresh::{Hourly, OnChange, WindowClosed};
        let changes = matches!(self.refresh, Hourly | OnChange | WindowClosed);
        match self.event {
            Event::New | Event::NewOverAnother => true,
            Event::HourLater | Event::RemoteGone | Event::Denied => self.refresh == Hourly,
            Event::Annotated => changes,
            Event::TargetEdited | Event::TargetGone => !matches!(self.creation, "Orphan" | "None"),
            Event::Renamed => changes || !matches!(self.creation, "Orphan" | "None"),
            Event::Deleted => false,
        }
    }

    /// Secrets after the event alone.
    fn untouched(self) -> Vec<&'static str> {
        let released = self.event == Event::Deleted && self.deletion == "Delete";
        match (self.creation, self.event) {
            (_, Event::TargetGone) | ("None", _) => Vec::new(),
            ("Owner", _) if released => Vec::new(),
            ("Merge", Event::TargetEdited) => vec!["es a=edited foreign=x"],
            (_, Event::TargetEdited) => vec!["es a=edited"],
            ("Merge", _) => vec!["es a=1 foreign=x"],
            _ => vec!["es a=1"],
        }
    }

    fn after_fetch(self) -> (Vec<&'static str>, &'static str) {
        const SYNCED: &str = "SecretSynced";
        const FAILED: &str = "SecretSyncedError";
        match (self.event, self.creation) {
            (Event::Denied, _) => (self.untouched(), FAILED),
            (Event::RemoteGone, creation) => match (self.deletion, creation) {
                ("Delete", "Owner") => (Vec::new(), "SecretDeleted"),
                // The missing secret is an error under Retain.
                ("Retain" | "Delete", _) => (self.untouched(), FAILED),
                (_, "Merge") => (vec!["es foreign=x"], SYNCED),
                (_, "None") => (Vec::new(), SYNCED),
                _ => (vec!["es"], SYNCED),
            },
            (Event::NewOverAnother, "Owner" | "Orphan") => (vec!["es a=1"], SYNCED),
            (Event::NewOverAnother, "None") => (vec!["es foreign=x"], SYNCED),
            (Event::NewOverAnother, _) => (vec!["es a=1 foreign=x"], SYNCED),
            (_, "None") => (Vec::new(), SYNCED),
            (Event::New | Event::TargetGone, "Merge") => (Vec::new(), "SecretMissing"),
            (Event::Renamed, "Merge") => (vec!["es a=1 foreign=x"], "SecretMissing"),
            (Event::Renamed, "Owner") => (vec!["two a=1"], SYNCED),
            (Event::Renamed, _) => (vec!["es a=1", "two a=1"], SYNCED),
            (Event::HourLater | Event::Annotated, "Merge") => (vec!["es a=2 foreign=x"], SYNCED),
            (Event::HourLater | Event::Annotated, _) => (vec!["es a=2"], SYNCED),
            (_, "Merge") => (vec!["es a=1 foreign=x"], SYNCED),
            _ => (vec!["es a=1"], SYNCED),
        }
    }
}

fn at(time: &str) -> Timestamp {
    format!("2026-05-01T{time}Z").parse().unwrap()
}

fn holding(value: Option<&str>) -> Remote {
    let held = value.map(|value| ("k".to_owned(), Held::Value(value.to_owned())));
    Remote([("s".to_owned(), held.into_iter().collect())].into())
}

fn secret<const N: usize>(data: [(&str, &str); N]) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some("es".to_owned());
    secret.metadata.namespace = Some("ns".to_owned());
    let data = data.map(|(key, value)| (key.to_owned(), value.to_owned()));
    secret.string_data = Some(data.into());
    secret
}

fn shown(secret: &Secret) -> String {
    let mut text = secret.metadata.name.clone().unwrap();
    for (key, value) in secret.data.iter().flatten() {
        text = format!("{text} {key}={}", String::from_utf8_lossy(&value.0));
    }
    text
}

fn ready(object: &ExternalSecret) -> &'static str {
    let conditions = object.status.iter().flat_map(|status| &status.conditions);
    let conditions: Vec<Condition> = conditions.cloned().collect();
    let reason = Condition::find(&conditions, READY).and_then(|ready| ready.reason.clone());
    match reason.as_deref() {
        Some("SecretSynced") => "SecretSynced",
        Some("SecretSyncedError") => "SecretSyncedError",
        Some("SecretDeleted") => "SecretDeleted",
        Some("SecretMissing") => "SecretMissing",
        other => panic!("unexpected reason {other:?}"),
    }
}

#[test]
fn every_combination_of_policies_does_what_the_rules_say() {
    let mut wrong = Vec::new();
    for combination in combinations() {
        let (found, expected) = (combination.run(), combination.expected());
        if found != expected {
            wrong.push(format!(
                "{combination:?}\n  found {found:?}\n  wants {expected:?}"
            ));
        }
    }

    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
