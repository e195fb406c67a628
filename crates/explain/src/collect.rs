//! Reads what there is to know about an object: the object itself, what it stands on and what stands on
//! it. Concludes nothing; a read that fails is a fact too.

mod credentials;
mod external_secret;
mod others;
mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;
use kube::Client;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Settings, StoreKey, StoreKind};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::ApiObject;
use lockstep_toolbox::cluster::{Cluster, failure, told};
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::suggest::instead;
use serde::de::DeserializeOwned;

use crate::facts::{Facts, Looked, StoreFacts, Subject};
use crate::kinds::Kind;
use crate::live::Reader;

/// Collects facts from one cluster.
pub(crate) struct Collector<'a> {
    client: &'a Client,
    namespace: &'a str,
    settings: Settings,
    live: Option<&'a Reader>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(cluster: &'a Cluster, class: &str, live: Option<&'a Reader>) -> Self {
        Self {
            client: &cluster.client,
            namespace: &cluster.namespace,
            settings: Settings {
                class: class.to_owned(),
                ..Settings::default()
            },
            live,
        }
    }

    /// Everything about one object; an error where there is none of that name.
    pub(crate) async fn collect(&self, kind: &Kind, name: &str) -> anyhow::Result<Facts> {
        let subject = match kind {
            Kind::ExternalSecret => {
                let object = self.require(kind, name).await?;
                let facts = Box::pin(self.external_secret(object)).await;
                Subject::ExternalSecret(Box::new(facts))
            }
            Kind::SecretStore => {
                let store: SecretStore = self.require(kind, name).await?;
                Subject::Store(Box::new(self.store_subject(store.into()).await))
            }
            Kind::ClusterSecretStore => {
                let store: ClusterSecretStore = self.require(kind, name).await?;
                Subject::Store(Box::new(self.store_subject(store.into()).await))
            }
            Kind::PushSecret => {
                let object = self.require(kind, name).await?;
                Subject::PushSecret(Box::new(self.push_secret(object).await))
            }
            Kind::ClusterExternalSecret => {
                let object = self.require(kind, name).await?;
                let children = self.children(kind, name).await;
                Subject::ClusterExternalSecret(Box::new(object), children)
            }
            Kind::ClusterPushSecret => {
                let object = self.require(kind, name).await?;
                let children = self.children(kind, name).await;
                Subject::ClusterPushSecret(Box::new(object), children)
            }
            Kind::Generator(_) => {
                let object = self.require(kind, name).await?;
                Subject::Generator(self.generator(kind, name, &object).await)
            }
        };
        let namespace = kind.is_namespaced().then(|| self.namespace.to_owned());
        Ok(Facts {
            kind: kind.clone(),
            namespace,
            name: name.to_owned(),
            settings: self.settings.clone(),
            subject,
        })
    }

    /// The object that is asked about, or what there is in its place.
    async fn require<T: DeserializeOwned>(&self, kind: &Kind, name: &str) -> anyhow::Result<T> {
        let namespace = kind.is_namespaced().then_some(self.namespace);
        let object = ApiObject::dynamic(&kind.resource(), namespace, name);
        let error = match object.require(self.client).await {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let place = namespace.map(|namespace| format!(" in namespace {namespace}"));
        let place = place.unwrap_or_default();
        if !error.is(ApiErrorKind::NotFound) {
            return Err(failure(
                &format!("read {} {name}{place}", kind.as_str()),
                &error,
            ));
        }
        let known = self.names(kind, namespace).await;
        let hint = match known {
            Ok(known) => {
                let what = format!("{}{place}", kind.plural());
                instead(name, known.iter().map(String::as_str), &what)
            }
            Err(error) if error.is(ApiErrorKind::NotFound) => {
                "the cluster knows no such kind; install the CRDs with: lockstep crds | kubectl \
                 apply --server-side -f -"
                    .to_owned()
            }
            Err(error) => told(&error),
        };
        let kind = kind.as_str();
        Err(Failure::missing(format!(
            "there is no {kind} {name}{place}; {hint}"
        )))
    }

    /// A store that an object names.
    async fn store(&self, key: &StoreKey, user: &str) -> Looked<StoreFacts> {
        let namespace = key.namespace.as_deref();
        let read: Result<Option<StoreRecord>, ApiError> = match key.kind {
            StoreKind::SecretStore => {
                let object = ApiObject::of::<SecretStore>(namespace, &key.name);
                let found = object.get::<SecretStore>(self.client).await;
                found.map(|found| found.map(StoreRecord::from))
            }
            StoreKind::ClusterSecretStore => {
                let object = ApiObject::of::<ClusterSecretStore>(None, &key.name);
                let found = object.get::<ClusterSecretStore>(self.client).await;
                found.map(|found| found.map(StoreRecord::from))
            }
        };
        match read {
            Ok(Some(record)) => Looked::There(self.store_facts(record, user).await),
            Ok(None) => Looked::Missing(self.instead_of(key).await),
            Err(error) => Looked::Failed(told(&error)),
        }
    }

    /// A store with the objects it names; `user` is the namespace that uses it.
    async fn store_facts(&self, record: StoreRecord, user: &str) -> StoreFacts {
        let own = record.key.namespace.clone();
        let mut credentials = Vec::new();
        if let Ok((_, settings)) = record.spec.provider.only() {
            for reference in credentials::references(settings) {
                credentials.push(self.credential(reference, own.as_deref(), user).await);
            }
        }
        StoreFacts {
            record: Arc::new(record),
            credentials,
        }
    }

    /// What there is in place of a store that is missing.
    async fn instead_of(&self, key: &StoreKey) -> String {
        let (kind, other) = match key.kind {
            StoreKind::SecretStore => (Kind::SecretStore, Kind::ClusterSecretStore),
            StoreKind::ClusterSecretStore => (Kind::ClusterSecretStore, Kind::SecretStore),
        };
        let namespace = key.namespace.as_deref();
        let others = self
            .names(&other, other.is_namespaced().then_some(self.namespace))
            .await;
        if others.is_ok_and(|others| others.contains(&key.name)) {
            return format!(
                "there is a {} of that name; set secretStoreRef.kind to {}",
                other.as_str(),
                other.as_str()
            );
        }
        let known = self.names(&kind, namespace).await.unwrap_or_default();
        let place = namespace.map(|namespace| format!(" in namespace {namespace}"));
        let what = format!("{}{}", kind.plural(), place.unwrap_or_default());
        instead(&key.name, known.iter().map(String::as_str), &what)
    }

    /// Labels of a namespace.
    async fn labels(&self, namespace: &str) -> Looked<Arc<BTreeMap<String, String>>> {
        let object = ApiObject::of::<Namespace>(None, namespace);
        match object.require::<Namespace>(self.client).await {
            Ok(found) => Looked::There(Arc::new(found.metadata.labels.unwrap_or_default())),
            Err(error) if error.is(ApiErrorKind::NotFound) => Looked::Missing(String::new()),
            Err(error) => Looked::Failed(told(&error)),
        }
    }
}
