//! Keeps an object that cannot be decoded from failing the list or the watch it comes in. The
//! object's text is looked at where it lies; nothing is copied for the good ones.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

use crate::api_error::redacted;

/// An object, or what is known of one that cannot be decoded.
#[derive(Clone, Debug)]
pub struct Guarded<K>(pub Result<K, Box<Invalid>>);

/// An object that cannot be decoded.
#[derive(Clone, Debug)]
pub struct Invalid {
    /// Its namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// What is wrong with it; quotes no value.
    pub error: String,
    /// Whether this is about its deletion.
    pub deleted: bool,
    meta: ObjectMeta,
}

#[derive(Deserialize)]
struct MetaOnly {
    #[serde(default)]
    metadata: Meta,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    resource_version: String,
}

impl Invalid {
    fn new(text: &str, error: &serde_json::Error) -> Result<Self, serde_json::Error> {
        let Meta {
            namespace,
            name,
            uid,
            resource_version,
        } = serde_json::from_str::<MetaOnly>(text)?.metadata;
        Ok(Self {
            namespace,
            name,
            uid,
            error: redacted(error),
            deleted: false,
            meta: ObjectMeta {
                resource_version: Some(resource_version),
                ..ObjectMeta::default()
            },
        })
    }
}

impl<'de, K: DeserializeOwned> Deserialize<'de> for Guarded<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        match serde_json::from_str(raw.get()) {
            Ok(object) => Ok(Self(Ok(object))),
            Err(error) => match Invalid::new(raw.get(), &error) {
                Ok(invalid) => Ok(Self(Err(Box::new(invalid)))),
                Err(error) => Err(de::Error::custom(redacted(&error))),
            },
        }
    }
}

impl<K: Resource> Resource for Guarded<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::kind(dynamic)
    }

    fn group(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::group(dynamic)
    }

    fn version(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::version(dynamic)
    }

    fn plural(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::plural(dynamic)
    }

    fn metadata_api() -> bool {
        K::metadata_api()
    }

    fn meta(&self) -> &ObjectMeta {
        self.0
            .as_ref()
            .map_or_else(|invalid| &invalid.meta, K::meta)
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.0
            .as_mut()
            .map_or_else(|invalid| &mut invalid.meta, K::meta_mut)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::core::{ObjectList, WatchEvent};

    use super::*;

    const GOOD: &str = r#"{"metadata":{"name":"good","namespace":"ns","resourceVersion":"7"}}"#;
    const BAD: &str = r#"{"metadata":{"name":"bad","namespace":"ns","uid":"u","resourceVersion":"8"},"data":"canary"}"#;

    #[test]
    fn a_list_with_one_bad_object_keeps_the_good_ones() {
        let list = format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{BAD},{GOOD}]}}"#
        );

        let list: ObjectList<Guarded<ConfigMap>> = serde_json::from_str(&list).unwrap();

        let [bad, good] = list.items.try_into().unwrap();
        assert_eq!(good.0.unwrap().metadata.name.as_deref(), Some("good"));
        let bad = bad.0.unwrap_err();
        assert_eq!((bad.name.as_str(), bad.uid.as_str()), ("bad", "u"));
        assert!(!format!("{bad:?}").contains("canary"));
    }

    #[test]
    fn an_event_about_a_bad_object_keeps_its_version() {
        let event = format!(r#"{{"type":"MODIFIED","object":{BAD}}}"#);

        let event: WatchEvent<Guarded<ConfigMap>> = serde_json::from_str(&event).unwrap();

        let WatchEvent::Modified(object) = event else {
            panic!("another event");
        };
        assert_eq!(object.meta().resource_version.as_deref(), Some("8"));
        assert!(object.0.is_err());
    }
}
