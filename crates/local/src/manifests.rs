//! Turns documents into the objects local mode works with. A document with a fault becomes a
//! problem and no object, as an API server would refuse it; documents of other kinds are skipped.

mod identity;
mod near_miss;
mod refusal;
mod typed;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_plan::StoreKey;
use lockstep_provider_api::SecretMap;
use lockstep_remote::StoreRecord;
use serde::Serialize;
use serde_json::Value;

use super::documents::{Document, Documents};
use super::name::Name;
use super::problem::{FIRST_IS_USED, Origin, Problem};
use super::schemas::Schemas;
use super::strict::Fault;
pub(crate) use identity::Identity;

/// Kind of an object that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    ExternalSecret,
    SecretStore,
    ClusterSecretStore,
    Secret,
    ConfigMap,
    Namespace,
    ServiceAccount,
    /// A kind that only a cluster reconciles: its fields are checked, and nothing more.
    Checked(&'static str),
    /// A generator, by the word of its kind.
    Generator(&'static str),
}

/// A document that local mode does not use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Skipped {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    pub(crate) kind: String,
}

/// The objects of a folder.
#[derive(Default)]
pub(crate) struct Manifests {
    pub(crate) external_secrets: BTreeMap<Name, ExternalSecret>,
    pub(crate) stores: BTreeMap<StoreKey, StoreRecord>,
    pub(crate) secrets: BTreeMap<Name, Secret>,
    /// Data of ConfigMaps.
    pub(crate) config_maps: BTreeMap<Name, SecretMap>,
    /// Labels of namespaces.
    pub(crate) namespaces: BTreeMap<String, BTreeMap<String, String>>,
    /// Annotations of ServiceAccounts.
    pub(crate) service_accounts: BTreeMap<Name, BTreeMap<String, String>>,
    /// Specs of generators, by kind.
    pub(crate) generators: BTreeMap<(&'static str, Name), Value>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) skipped: Vec<Skipped>,
    /// Objects whose manifest has a fault.
    pub(crate) broken: BTreeSet<(Kind, Name)>,
    /// Number of manifest files.
    pub(crate) files: usize,
    places: BTreeMap<(Kind, Name), Origin>,
}

impl Manifests {
    /// Reads documents; objects that name no namespace get the default one.
    pub(crate) fn of(documents: Documents, namespace: &str) -> Self {
        let schemas = Schemas::new();
        let mut manifests = Self {
            problems: documents.problems,
            files: documents.files,
            ..Self::default()
        };
        for document in documents.read {
            manifests.take(document, namespace, &schemas);
        }
        manifests.problems.sort();
        manifests
    }

    /// Whether everything that was written could be read.
    pub(crate) fn is_complete(&self) -> bool {
        self.problems.is_empty()
    }

    fn take(&mut self, mut document: Document, namespace: &str, schemas: &Schemas) {
        let identity = match Identity::of(&mut document.value, namespace) {
            Ok(Some(identity)) => identity,
            Ok(None) => {
                let kind = document.value["kind"].as_str().unwrap_or_default();
                self.skip(document.origin.clone(), kind);
                return;
            }
            Err(fault) => {
                let object = document.value["kind"].as_str().map(str::to_owned);
                self.problems.push(problem(&document, object, fault));
                return;
            }
        };
        let Identity { kind, name } = identity;
        let object = format!("{} {name}", kind.as_str());
        if let Some(first) = self.places.get(&(kind, name.clone())) {
            let fault = Fault {
                field: "metadata.name".to_owned(),
                message: format!("the same object is also in {first}"),
                remedy: format!("keep one of them{FIRST_IS_USED}"),
            };
            self.problems.push(problem(&document, Some(object), fault));
            return;
        }
        self.places
            .insert((kind, name.clone()), document.origin.clone());
        let mut faults: Vec<Fault> = document.lines.repeated().map(repeated).collect();
        faults.extend(schema_faults(kind, &document.value, schemas));
        if faults.is_empty() {
            let inserted = self.insert(kind, name.clone(), document.value.take());
            faults = inserted.err().unwrap_or_default();
        }
        if faults.is_empty() {
            if let Kind::Checked(kind) = kind {
                self.skip(document.origin.clone(), kind);
            }
        } else {
            self.broken.insert((kind, name));
        }
        let problems = faults
            .into_iter()
            .map(|f| problem(&document, Some(object.clone()), f));
        self.problems.extend(problems);
    }

    fn skip(&mut self, origin: Origin, kind: &str) {
        let kind = kind.to_owned();
        self.skipped.push(Skipped { origin, kind });
    }

    fn insert(&mut self, kind: Kind, name: Name, value: Value) -> Result<(), Vec<Fault>> {
        match kind {
            Kind::ExternalSecret => {
                self.external_secrets
                    .insert(name, typed::external_secret(value)?);
            }
            Kind::SecretStore | Kind::ClusterSecretStore => {
                let store = typed::store(kind, value)?;
                self.stores.insert(store.key.clone(), store);
            }
            Kind::Secret => {
                self.secrets.insert(name, typed::secret(value)?);
            }
            Kind::ConfigMap => {
                self.config_maps.insert(name, typed::config_map(value)?);
            }
            Kind::Namespace => {
                self.namespaces.insert(name.name, typed::labels(&value));
            }
            Kind::ServiceAccount => {
                self.service_accounts
                    .insert(name, typed::annotations(&value));
            }
            Kind::Checked(_) => {}
            Kind::Generator(kind) => {
                self.generators.insert((kind, name), value["spec"].clone());
            }
        }
        Ok(())
    }
}

fn repeated(field: &str) -> Fault {
    Fault {
        field: field.to_owned(),
        message: "is written more than once".to_owned(),
        remedy: "keep one of them".to_owned(),
    }
}

fn schema_faults(kind: Kind, value: &Value, schemas: &Schemas) -> Vec<Fault> {
    use super::schemas;
    match kind {
        Kind::ExternalSecret => schemas.external_secret(value),
        Kind::SecretStore | Kind::ClusterSecretStore => schemas.store(value),
        Kind::Secret => schemas::secret(value),
        Kind::ConfigMap => schemas::config_map(value),
        Kind::Namespace => schemas::namespace(value),
        Kind::ServiceAccount => schemas::service_account(value),
        Kind::Checked(kind) => schemas.checked(kind, value),
        Kind::Generator(_) => schemas.generator(value),
    }
}

fn problem(document: &Document, object: Option<String>, fault: Fault) -> Problem {
    let line = document
        .lines
        .line(&fault.field)
        .unwrap_or(document.origin.line);
    Problem {
        origin: Origin {
            line,
            ..document.origin.clone()
        },
        object,
        field: Some(fault.field).filter(|field| !field.is_empty()),
        message: fault.message,
        remedy: fault.remedy,
    }
}

#[cfg(test)]
mod tests;
