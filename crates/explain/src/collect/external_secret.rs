//! Reads what surrounds an ExternalSecret: its stores, generators, template sources, target, and the pods
//! of its namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::core::Selector;
use lockstep_api::ExternalSecret;
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_plan::TargetRow;
use lockstep_plan::external_secret::{
    ObservedTarget, SourceKind, generators, store_keys, template_sources,
};
use lockstep_runtime::api_object::{ApiObject, list};
use lockstep_toolbox::cluster::told;

use super::Collector;
use crate::facts::{ExternalSecretFacts, Looked, TargetFacts};
use crate::kinds::Kind;
use crate::pods::Pod;

impl Collector<'_> {
    pub(super) async fn external_secret(&self, object: ExternalSecret) -> ExternalSecretFacts {
        let mut stores = BTreeMap::new();
        for key in store_keys(&object) {
            let store = self.store(&key, self.namespace).await;
            stores.insert(key, store);
        }
        let mut made = Vec::new();
        for reference in generators(&object) {
            let kind = reference.kind.to_string();
            let found = self.generator_named(&kind, &reference.name).await;
            made.push((kind, reference.name.clone(), found));
        }
        let mut sources = BTreeMap::new();
        for key in template_sources(&object) {
            let kind = match key.kind {
                SourceKind::ConfigMap => "ConfigMap",
                SourceKind::Secret => "Secret",
            };
            let found = self.keys_of(kind, self.namespace, &key.name).await;
            sources.insert(key, found);
        }
        let mut facts = ExternalSecretFacts {
            labels: self.labels(self.namespace).await,
            stores,
            generators: made,
            sources,
            target: self.target(object.target_name()).await,
            pods: self.pods().await,
            live: None,
            object,
        };
        if let Some(live) = self.live {
            facts.live = Some(Box::pin(live.external_secret(&facts, &self.settings)).await);
        }
        facts
    }

    pub(super) async fn generator_named(&self, kind: &str, name: &str) -> Looked<()> {
        let kind = Kind::Generator(kind.to_owned());
        let namespace = kind.is_namespaced().then_some(self.namespace);
        let object = ApiObject::dynamic(&kind.resource(), namespace, name);
        match object.get::<serde::de::IgnoredAny>(self.client).await {
            Ok(Some(_)) => Looked::There(()),
            Ok(None) => Looked::Missing(String::new()),
            Err(error) => Looked::Failed(told(&error)),
        }
    }

    async fn target(&self, name: &str) -> Looked<TargetFacts> {
        let object = ApiObject::of::<Secret>(Some(self.namespace), name);
        match object.get::<Secret>(self.client).await {
            Ok(Some(secret)) => Looked::There(self.target_facts(&secret)),
            Ok(None) => Looked::Missing(String::new()),
            Err(error) => Looked::Failed(told(&error)),
        }
    }

    fn target_facts(&self, secret: &Secret) -> TargetFacts {
        let labels = secret.metadata.labels.as_ref();
        let managed = labels.and_then(|labels| labels.get(LABEL_MANAGED));
        let seen = if managed.is_some_and(|value| value == LABEL_MANAGED_VALUE) {
            ObservedTarget::Row(Arc::new(TargetRow::of(secret, &self.settings.salt)))
        } else {
            ObservedTarget::Unlabelled
        };
        let data = secret.data.iter().flatten();
        TargetFacts {
            seen,
            keys: data
                .map(|(key, value)| (key.clone(), value.0.len()))
                .collect(),
            changed: written_at(secret),
        }
    }

    async fn pods(&self) -> Looked<Vec<Pod>> {
        match list::<Pod>(self.client, self.namespace, &Selector::default()).await {
            Ok(pods) => Looked::There(pods),
            Err(error) => Looked::Failed(told(&error)),
        }
    }
}

/// When the data was last written, by the times of those who own a part of it.
fn written_at(secret: &Secret) -> Option<Timestamp> {
    let fields = secret.metadata.managed_fields.iter().flatten();
    let times = fields.filter_map(|entry| {
        let owned = entry.fields_v1.as_ref()?;
        owned.0.get("f:data")?;
        entry.time.as_ref().map(|time| time.0)
    });
    times.max()
}
