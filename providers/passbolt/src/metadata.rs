//! Encrypted metadata of version 5: the keys a user shares with others, and the session keys that the
//! server keeps for the user (encrypted to it), which save the costly half of a decryption.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_provider_api::http::Method;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::Api;
use crate::error::check;
use crate::openpgp::{PrivateKey, SessionKey};
use crate::resource::{Resource, check_id};

const SESSION_KEYS: &str = "/metadata/session-keys.json";
/// Rust's and Go's encoders escape the brackets alike.
const KEYS: &str = "/metadata/keys.json?contain%5Bmetadata_private_keys%5D=true";
/// The user's own key in place of a shared one.
const USER_KEY: &str = "user_key";

/// What a session knows about metadata.
pub(crate) struct Metadata {
    user: String,
    own: Arc<PrivateKey>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    session_keys: BTreeMap<String, SessionKey>,
    shared: Option<Arc<Vec<SharedKey>>>,
    opened: BTreeMap<String, Arc<PrivateKey>>,
    /// Session keys that the server does not have yet.
    found: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct SharedKey {
    #[serde(default)]
    id: String,
    #[serde(default)]
    metadata_private_keys: Vec<SealedKey>,
}

#[derive(Deserialize)]
struct SealedKey {
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    data: String,
}

#[derive(Deserialize)]
struct PlainKey {
    #[serde(default)]
    armored_key: String,
    #[serde(default)]
    passphrase: Option<String>,
}

#[derive(Deserialize)]
struct Bundle {
    #[serde(default)]
    id: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    modified: Value,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Entries {
    object_type: String,
    session_keys: Vec<Entry>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default)]
struct Entry {
    foreign_model: String,
    foreign_id: String,
    session_key: String,
    modified: Value,
}

impl Metadata {
    pub(crate) fn new(user: String, own: Arc<PrivateKey>) -> Self {
        Self {
            user,
            own,
            state: Mutex::default(),
        }
    }

    /// Reads what the server keeps. A server without it (version 4) has resources in the clear, so
    /// that a failure matters only where something encrypted is read.
    pub(crate) async fn prepare(&self, api: &Api) {
        if let Ok(bundles) = api.get::<Vec<Bundle>>("GetSessionKeys", SESSION_KEYS).await {
            let mut state = self.state.lock();
            for entry in bundles.iter().flat_map(|bundle| self.entries(bundle)) {
                let key = SessionKey::parse(&entry.session_key);
                if let Some(key) = key.filter(|_| entry.foreign_model == "Resource") {
                    state.session_keys.insert(entry.foreign_id, key);
                }
            }
        }
        self.shared(api).await.ok();
    }

    /// The plain metadata of a resource.
    pub(crate) async fn open(&self, api: &Api, resource: &Resource) -> Result<SecretValue> {
        let armored = resource.metadata.as_deref().unwrap_or_default();
        let known = self.state.lock().session_keys.get(&resource.id).cloned();
        if let Some(plain) = known.and_then(|key| key.open(armored).ok()) {
            return Ok(plain);
        }
        let key = if resource.metadata_key_type.as_deref() == Some(USER_KEY) {
            Arc::clone(&self.own)
        } else {
            let id = resource.metadata_key_id.as_deref().unwrap_or_default();
            let key = self.shared_key(api, id).await;
            key.map_err(|error| error.context("get Metadata Key by ID"))?
        };
        let opened = key.open(armored);
        let opened = opened.map_err(|error| error.context("decrypt Metadata"))?;
        self.note(&resource.id, &opened.session_key, api);
        Ok(opened.plain)
    }

    /// Gives the server the session keys that it did not have.
    pub(crate) async fn save(&self, api: &Api) -> Result<()> {
        let found = std::mem::take(&mut self.state.lock().found);
        if found.is_empty() {
            return Ok(());
        }
        let bundles: Vec<Bundle> = api.get("GetSessionKeys", SESSION_KEYS).await?;
        let held = bundles.iter().flat_map(|bundle| self.entries(bundle));
        let mut all: BTreeMap<String, Entry> = held
            .map(|entry| (entry.foreign_id.clone(), entry))
            .collect();
        all.extend(found);
        let entries = Entries {
            object_type: "PASSBOLT_SESSION_KEYS".to_owned(),
            session_keys: all.into_values().collect(),
        };
        let text = serde_json::to_vec(&entries)
            .map_err(|_| Error::invalid_data("session keys have no JSON form"))?;
        let data = self.own.seal(&SecretValue::new(text))?;
        let request = match bundles.first() {
            None => api
                .request(Method::POST, SESSION_KEYS)
                .json(&json!({ "data": data })),
            Some(first) => api
                .request(Method::PUT, &bundle_path(&first.id)?)
                .json(&json!({ "data": data, "modified": first.modified })),
        };
        api.send("SaveSessionKeys", request, check).await?;
        for old in bundles.iter().skip(1) {
            let request = api.request(Method::DELETE, &bundle_path(&old.id)?);
            api.send("SaveSessionKeys", request, check).await.ok();
        }
        Ok(())
    }

    /// The entries of a bundle; none where it cannot be read, as it only saves work.
    fn entries(&self, bundle: &Bundle) -> Vec<Entry> {
        let opened = self.own.open(&bundle.data).ok();
        let entries =
            opened.and_then(|opened| serde_json::from_slice::<Entries>(opened.plain.expose()).ok());
        entries.unwrap_or_default().session_keys
    }

    fn note(&self, resource: &str, key: &SessionKey, api: &Api) {
        let mut state = self.state.lock();
        state.session_keys.insert(resource.to_owned(), key.clone());
        let Some(session_key) = key.to_text() else {
            return;
        };
        // The server's clock has no parts of a second.
        let now = jiff::Timestamp::from_second(api.ctx().now().as_second()).unwrap_or_default();
        let entry = Entry {
            foreign_model: "Resource".to_owned(),
            foreign_id: resource.to_owned(),
            session_key,
            modified: json!(now.to_string()),
        };
        state.found.insert(resource.to_owned(), entry);
    }

    async fn shared(&self, api: &Api) -> Result<Arc<Vec<SharedKey>>> {
        if let Some(keys) = &self.state.lock().shared {
            return Ok(Arc::clone(keys));
        }
        let keys: Vec<SharedKey> = api
            .get("GetMetadataKeys", KEYS)
            .await
            .map_err(not_absence)?;
        let keys = Arc::new(keys);
        self.state.lock().shared = Some(Arc::clone(&keys));
        Ok(keys)
    }

    /// A shared key, opened with the user's own.
    async fn shared_key(&self, api: &Api, id: &str) -> Result<Arc<PrivateKey>> {
        if let Some(key) = self.state.lock().opened.get(id) {
            return Ok(Arc::clone(key));
        }
        let keys = self.shared(api).await;
        let keys = keys.map_err(|error| error.context("get Metadata Keys"))?;
        let shared = keys.iter().find(|key| key.id == id);
        let shared =
            shared.ok_or_else(|| Error::invalid_data(format!("metadata key not found: {id}")))?;
        let mut sealed = shared.metadata_private_keys.iter();
        let sealed = sealed
            .find(|sealed| sealed.user_id.as_deref() == Some(&self.user))
            .ok_or_else(|| Error::invalid_data("no metadata private key for user"))?;
        let opened = self.own.open(&sealed.data);
        let opened = opened.map_err(|error| error.context("decrypt Metadata Private Key Data"))?;
        let plain: PlainKey = serde_json::from_slice(opened.plain.expose())
            .map_err(|_| Error::invalid_data("parse Metadata Private Key Data: it is no JSON"))?;
        let passphrase = SecretValue::from(plain.passphrase.unwrap_or_default());
        let key = PrivateKey::unlock(&SecretValue::from(plain.armored_key), &passphrase)
            .map_err(|error| Error::invalid_data(format!("get Metadata Private Key: {error}")))?;
        let key = Arc::new(key);
        let mut state = self.state.lock();
        state.opened.insert(id.to_owned(), Arc::clone(&key));
        Ok(key)
    }
}

/// The id comes from the server, and goes into a path only where it is one.
fn bundle_path(id: &str) -> Result<String> {
    check_id(id)?;
    Ok(format!("/metadata/session-keys/{id}.json"))
}
