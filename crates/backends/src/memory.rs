//! A backend in memory for tests: secrets with states, and a log of what was done to them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use futures_util::future::BoxFuture;
use lockstep_provider_api::lifecycle::{
    Backend as Facts, Description, Lifecycle, Owner, Purging, Shape, State, Undo, Writing,
    differing,
};
use lockstep_provider_api::{
    Error, ErrorKind, PushItem, Pushed, RemoteRef, Result, SecretValue, Store,
};

use crate::observe::Backend;

/// One secret.
#[derive(Clone)]
pub(crate) struct Secret {
    pub(crate) state: State,
    pub(crate) owner: Owner,
    pub(crate) value: SecretValue,
    pub(crate) tags: BTreeMap<String, String>,
}

/// Secrets by name.
#[derive(Default)]
pub(crate) struct Memory {
    secrets: Mutex<BTreeMap<String, Secret>>,
    log: Mutex<Vec<String>>,
}

impl Memory {
    /// A store of its own, and the memory behind it.
    pub(crate) fn open() -> (Arc<Self>, Backend) {
        let memory: Arc<Self> = Arc::default();
        let store = MemoryStore(Arc::clone(&memory));
        let backend = Backend::new(Arc::new(store)).unwrap();
        (memory, backend)
    }

    pub(crate) fn put(&self, name: &str, state: State, value: &str) {
        let secret = Secret {
            state,
            owner: Owner::Ours,
            value: value.into(),
            tags: BTreeMap::new(),
        };
        self.secrets.lock().unwrap().insert(name.to_owned(), secret);
    }

    pub(crate) fn hand_over(&self, name: &str) {
        if let Some(secret) = self.secrets.lock().unwrap().get_mut(name) {
            secret.owner = Owner::Foreign;
        }
    }

    pub(crate) fn value(&self, name: &str) -> String {
        let secrets = self.secrets.lock().unwrap();
        let value = secrets[name].value.clone();
        value.expose_utf8().unwrap().to_owned()
    }

    pub(crate) fn state(&self, name: &str) -> State {
        let secrets = self.secrets.lock().unwrap();
        secrets.get(name).map_or(State::Missing, |one| one.state)
    }

    pub(crate) fn tags(&self, name: &str) -> BTreeMap<String, String> {
        let secrets = self.secrets.lock().unwrap();
        let found = secrets.get(name);
        found.map(|one| one.tags.clone()).unwrap_or_default()
    }

    /// What was done since this was last asked.
    pub(crate) fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    fn note(&self, what: &str, key: &str) {
        self.log.lock().unwrap().push(format!("{what} {key}"));
    }

    fn turn(&self, what: &str, key: &str, state: State) -> State {
        self.note(what, key);
        if let Some(secret) = self.secrets.lock().unwrap().get_mut(key) {
            secret.state = state;
        }
        self.state(key)
    }
}

pub(crate) const UNTIL: State = State::PendingDeletion { until: None };

/// The tags that a push names.
fn wanted(item: &PushItem) -> BTreeMap<String, String> {
    let tags = item
        .metadata
        .as_ref()
        .map(|metadata| &metadata["spec"]["tags"]);
    let tags = tags.and_then(|tags| serde_json::from_value(tags.clone()).ok());
    tags.unwrap_or_default()
}

struct MemoryStore(Arc<Memory>);

impl Store for MemoryStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let secrets = self.0.secrets.lock().unwrap();
        let found = secrets.get(&reference.key).ok_or_else(Error::not_found)?;
        Ok(found.value.clone())
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        Some(self)
    }
}

impl Lifecycle for MemoryStore {
    fn backend(&self) -> Facts {
        Facts {
            name: "Memory",
            shape: Shape::Any,
            window: None,
        }
    }

    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>> {
        Box::pin(async move {
            let secrets = self.0.secrets.lock().unwrap();
            let Some(secret) = secrets.get(key) else {
                return Ok(Description::missing(Undo::Open));
            };
            let is_deleted = matches!(secret.state, State::PendingDeletion { .. });
            Ok(Description {
                state: secret.state,
                owner: secret.owner,
                readable: Some(u64::from(secret.state == State::Available)),
                undo: Undo::Open,
                writing: if is_deleted {
                    Writing::AfterRestore
                } else {
                    Writing::Direct
                },
                purging: Purging::Allowed,
            })
        })
    }

    fn list<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async { Ok(self.0.secrets.lock().unwrap().keys().cloned().collect()) })
    }

    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async move {
            let key = &item.target.remote_key;
            self.0.note("put", key);
            if key.contains("denied") {
                return Err(Error::new(ErrorKind::Denied, "403\nForbidden"));
            }
            let value = item.value()?;
            let mut secrets = self.0.secrets.lock().unwrap();
            let secret = Secret {
                state: State::Available,
                owner: Owner::Ours,
                value,
                tags: secrets
                    .get(key)
                    .map(|one| one.tags.clone())
                    .unwrap_or_default(),
            };
            Ok(match secrets.insert(key.clone(), secret) {
                None => Pushed::Created,
                Some(_) => Pushed::Updated,
            })
        })
    }

    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let present = self.0.tags(&item.target.remote_key);
            Ok(differing(&present, &wanted(item)))
        })
    }

    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let key = &item.target.remote_key;
            self.0.note("tag", key);
            if let Some(secret) = self.0.secrets.lock().unwrap().get_mut(key) {
                secret.tags.extend(wanted(item));
            }
            Ok(())
        })
    }

    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.0.note("adopt", key);
            if let Some(secret) = self.0.secrets.lock().unwrap().get_mut(key) {
                secret.owner = Owner::Ours;
            }
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a str, _: Option<u32>) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { Ok(self.0.turn("delete", key, UNTIL)) })
    }

    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { Ok(self.0.turn("restore", key, State::Available)) })
    }

    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            self.0.note("purge", key);
            self.0.secrets.lock().unwrap().remove(key);
            Ok(State::Missing)
        })
    }
}
