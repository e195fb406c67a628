//! The result for programs. Keys and sizes of Secrets; values only where they were asked for.

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::conditions::Condition;
use lockstep_golang::base64::{self, Encoding};
use serde_json::{Value, json};

use super::manifests::Manifests;
use super::name::Name;
use super::out::{Out, Written};
use super::view::{Health, ObjectLine, StoreLine, View};

/// What the document is made from.
pub(crate) struct Result<'a> {
    pub(crate) view: &'a View,
    pub(crate) manifests: &'a Manifests,
    pub(crate) written: Option<(&'a Out, &'a Written)>,
    pub(crate) is_ready: bool,
    pub(crate) reveal: bool,
}

impl Result<'_> {
    /// The document.
    pub(crate) fn document(&self) -> Value {
        let view = self.view;
        let mut document = json!({
            "ready": self.is_ready,
            "stores": view.stores.iter().map(store).collect::<Vec<_>>(),
            "externalSecrets": view.objects.iter().map(object).collect::<Vec<_>>(),
            "secrets": view.secrets.iter().map(|pair| self.secret(pair)).collect::<Vec<_>>(),
            "problems": self.manifests.problems,
            "skipped": self.manifests.skipped,
        });
        if let Some((out, written)) = self.written {
            let failures = written.failures.iter().map(|(name, text)| {
                json!({ "namespace": name.namespace, "name": name.name, "message": text })
            });
            document["out"] = json!({
                "folder": out.folder(),
                "files": written.files,
                "removed": written.removed,
                "failures": failures.collect::<Vec<_>>(),
            });
        }
        document
    }

    fn secret(&self, (name, secret): (&Name, &Secret)) -> Value {
        let data = secret.data.iter().flatten();
        let keys = data.map(|(key, value)| {
            let mut entry = json!({ "key": key, "bytes": value.0.len() });
            if self.reveal {
                entry["base64"] = base64::encode(Encoding::Standard, &value.0).into();
            }
            entry
        });
        json!({
            "namespace": name.namespace,
            "name": name.name,
            "type": secret.type_,
            "keys": keys.collect::<Vec<_>>(),
        })
    }
}

fn store(line: &StoreLine) -> Value {
    let mut entry = json!({
        "kind": line.key.kind.as_str(),
        "namespace": line.key.namespace,
        "name": line.key.name,
        "capabilities": line.capabilities,
    });
    health(&mut entry, &line.health);
    entry
}

fn object(line: &ObjectLine) -> Value {
    let mut entry = json!({
        "namespace": line.name.namespace,
        "name": line.name.name,
        "storeKind": line.store_kind,
        "store": line.store,
        "refreshInterval": line.interval,
        "target": line.target,
        "refreshTime": line.last_sync.as_ref().map(|Time(at)| at.to_string()),
    });
    health(&mut entry, &line.health);
    entry
}

fn health(entry: &mut Value, health: &Health) {
    entry["ready"] = health.ready.as_ref().is_some_and(Condition::is_true).into();
    entry["leftAlone"] = health.is_foreign.into();
    entry["conditions"] = json!(health.ready.iter().collect::<Vec<_>>());
    if let Some(hint) = &health.hint {
        entry["hint"] = hint.as_str().into();
    }
}
