//! Everything that happened to Secrets, from a watch of its own, and the judgement on it: who may
//! vanish, and what a Secret may hold. Outages of the API server are bridged by lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_testkit::api::Api;
use lockstep_testkit::kubeconfig::Access;
use serde_json::Value;

/// Pause before a server that went away is asked again.
const AGAIN: Duration = Duration::from_millis(200);

/// A Secret's place: `namespace/name`.
pub(crate) type Place = String;

/// A Secret as it was.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) place: Place,
    pub(crate) uid: String,
    pub(crate) version: String,
    pub(crate) owner: Option<String>,
    pub(crate) data: BTreeMap<String, String>,
    pub(crate) gone: bool,
}

/// What may be seen of the target of one object.
#[derive(Default)]
pub(crate) struct Rule {
    /// Marks by key: one set for each spec the object had.
    pub(crate) shapes: Vec<BTreeMap<String, String>>,
    /// Remote secrets were missing, and the policy acts on that.
    pub(crate) absent: bool,
    /// It is nobody's target any more.
    pub(crate) former: bool,
    /// Others own it, with a key of theirs.
    pub(crate) foreign: bool,
}

/// What the test itself did, and what follows from it.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) rules: BTreeMap<Place, Rule>,
    /// Secrets the test deleted.
    pub(crate) deleted: BTreeSet<String>,
    /// ExternalSecrets the test deleted, whose Secrets go with them.
    pub(crate) owners: BTreeSet<String>,
    /// Versions the test wrote.
    pub(crate) written: BTreeSet<String>,
}

impl Ledger {
    /// What was wrong about a sight, if anything was.
    pub(crate) fn judge(&self, sight: &Sight) -> Option<String> {
        let rule = self.rules.get(&sight.place)?;
        if sight.gone {
            let meant = self.deleted.contains(&sight.uid)
                || sight
                    .owner
                    .as_ref()
                    .is_some_and(|uid| self.owners.contains(uid))
                || rule.former
                || rule.absent && !rule.foreign;
            return (!meant).then(|| format!("Secret {} was deleted", sight.place));
        }
        if rule.former || rule.absent || self.written.contains(&sight.version) {
            return None;
        }
        let mut data = sight.data.clone();
        let own = data.remove("own");
        if rule.foreign && own.is_none() {
            return Some(format!("Secret {} lost the key of its owner", sight.place));
        }
        if rule.foreign && data.is_empty() {
            // Nobody has merged anything yet.
            return None;
        }
        let fits = |shape: &BTreeMap<String, String>| {
            let keys = shape.keys().eq(data.keys());
            keys && shape
                .values()
                .zip(data.values())
                .all(|(mark, value)| value.contains(mark))
        };
        if rule.shapes.iter().any(fits) {
            return None;
        }
        Some(format!(
            "Secret {} held {:?}, which no spec asked for: {:?}",
            sight.place, sight.data, rule.shapes
        ))
    }
}

/// A watch of all Secrets of some namespaces, in a thread.
pub(crate) struct Watcher {
    seen: Arc<Mutex<Vec<Sight>>>,
    /// Ends the thread when it is dropped.
    _stop: Sender<()>,
}

impl Watcher {
    pub(crate) fn start(kubeconfig: PathBuf, prefix: String) -> Self {
        let seen = Arc::<Mutex<Vec<Sight>>>::default();
        let ((stop, end), note) = (channel(), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut known = BTreeMap::new();
            loop {
                // A server that is away is asked again.
                drop(follow(&kubeconfig, &prefix, &mut known, &note));
                if end.recv_timeout(AGAIN) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self { seen, _stop: stop }
    }

    /// What was seen since the last call.
    pub(crate) fn take(&self) -> Vec<Sight> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

fn follow(
    kubeconfig: &std::path::Path,
    prefix: &str,
    known: &mut BTreeMap<Place, Sight>,
    note: &Mutex<Vec<Sight>>,
) -> anyhow::Result<()> {
    // Connections to a server that was killed are of no use.
    let api = Api::new(Access::read(kubeconfig)?)?;
    let list = api.get("/api/v1/secrets")?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let now: BTreeMap<Place, Sight> = items
        .iter()
        .map(sight)
        .filter(|sight| sight.place.starts_with(prefix))
        .map(|sight| (sight.place.clone(), sight))
        .collect();
    let missed: Vec<Sight> = known
        .values()
        .filter(|old| now.get(&old.place).is_none_or(|new| new.uid != old.uid))
        .map(|old| Sight {
            gone: true,
            ..old.clone()
        })
        .collect();
    let fresh = now.values().filter(|new| {
        known
            .get(&new.place)
            .is_none_or(|old| old.version != new.version)
    });
    note.lock()
        .unwrap()
        .extend(missed.into_iter().chain(fresh.cloned()));
    *known = now;
    let version = list["metadata"]["resourceVersion"]
        .as_str()
        .unwrap_or_default();
    let path = format!("/api/v1/secrets?watch=true&resourceVersion={version}");
    for event in api.watch(&path)? {
        let event = event?;
        let mut sight = sight(&event["object"]);
        anyhow::ensure!(event["type"] != "ERROR", "the watch ended");
        if !sight.place.starts_with(prefix) {
            continue;
        }
        sight.gone = event["type"] == "DELETED";
        if sight.gone {
            known.remove(&sight.place);
        } else {
            known.insert(sight.place.clone(), sight.clone());
        }
        note.lock().unwrap().push(sight);
    }
    Ok(())
}

pub(crate) fn sight(secret: &Value) -> Sight {
    let meta = &secret["metadata"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Sight {
        place: format!("{}/{}", text(&meta["namespace"]), text(&meta["name"])),
        uid: text(&meta["uid"]),
        version: text(&meta["resourceVersion"]),
        owner: meta["ownerReferences"][0]["uid"]
            .as_str()
            .map(str::to_owned),
        data: data(secret),
        gone: false,
    }
}

/// The decoded data of a Secret.
pub(crate) fn data(secret: &Value) -> BTreeMap<String, String> {
    let data = secret["data"].as_object().into_iter().flatten();
    data.map(|(key, value)| {
        let bytes = STANDARD.decode(value.as_str().unwrap_or_default()).unwrap();
        (key.clone(), String::from_utf8_lossy(&bytes).into_owned())
    })
    .collect()
}
