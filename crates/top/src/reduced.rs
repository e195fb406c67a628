//! An object that is reduced while it is decoded: what the API client needs of its metadata, and the facts of
//! its row. Nothing else of it is ever held.

use std::borrow::Cow;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::{Deserialize, Deserializer};

use crate::facts::{Facts, Reduce};

/// What is left of an object of kind `K`.
#[derive(Clone, Debug)]
pub(crate) struct Reduced<K> {
    pub(crate) facts: Facts,
    meta: ObjectMeta,
    kind: PhantomData<K>,
}

impl<'de, K: Reduce> Deserialize<'de> for Reduced<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = K::deserialize(deserializer)?;
        let meta = object.meta();
        let meta = ObjectMeta {
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
            resource_version: meta.resource_version.clone(),
            ..ObjectMeta::default()
        };
        Ok(Self {
            facts: object.reduced(),
            meta,
            kind: PhantomData,
        })
    }
}

impl<K: Reduce> Resource for Reduced<K> {
    type DynamicType = ();
    type Scope = K::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        K::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        K::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        K::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        K::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

#[cfg(test)]
mod tests {
    use lockstep_api::ExternalSecret;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_names_version_and_facts_are_left() {
        let object = json!({
            "metadata": {
                "name": "db", "namespace": "a", "resourceVersion": "7",
                "annotations": {"note": "canary"}, "labels": {"note": "canary"},
            },
            "spec": {
                "secretStoreRef": {"name": "vault"},
                "target": {"template": {"data": {"x": "canary"}}},
                "data": [{"secretKey": "p", "remoteRef": {"key": "canary"}}],
            },
        });

        let reduced: Reduced<ExternalSecret> = serde_json::from_value(object).unwrap();

        assert_eq!(reduced.meta().resource_version.as_deref(), Some("7"));
        assert_eq!(reduced.facts.through, "vault");
        assert!(!format!("{reduced:?}").contains("canary"));
    }
}
