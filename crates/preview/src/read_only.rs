//! The world that is only read: what a reconcile reads comes from the scene, and what it writes is noted in
//! place of being made, under the rules an API server has for writes. One world is for one object.

mod push;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{SourceKey, SourceKind, TargetDelete};
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_provider_api::{Error, Result, SecretMap, SecretValue};
use lockstep_reconcile::external_secret::{Deletion, ExternalSecretWorld};
use lockstep_reconcile::{Generator, World};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use parking_lot::Mutex;

use crate::intent::{Intent, Verb};
use crate::scene::Scene;

type Answer<T> = std::result::Result<T, ApiError>;

/// Text of the failure that ends a run where a generator would begin.
pub(crate) const NOT_GENERATED: &str = "a value would be generated here; nothing is generated";

/// The world of one object.
pub(crate) struct ReadOnly<'a> {
    scene: &'a Scene,
    class: &'a str,
    intents: Mutex<Vec<Intent>>,
}

impl<'a> ReadOnly<'a> {
    pub(crate) fn new(scene: &'a Scene, class: &'a str) -> Self {
        Self {
            scene,
            class,
            intents: Mutex::default(),
        }
    }

    /// What was noted.
    pub(crate) fn into_intents(self) -> Vec<Intent> {
        self.intents.into_inner()
    }

    /// Notes a write that is not made.
    pub(crate) fn note(&self, intent: Intent) {
        self.intents.lock().push(intent);
    }

    /// Notes new finalizers and puts them on the object.
    fn finalize(&self, metadata: &mut ObjectMeta, patch: &serde_json::Value) -> Answer<()> {
        let finalizers = patch.pointer("/metadata/finalizers").cloned();
        metadata.finalizers = serde_json::from_value(finalizers.unwrap_or_default())
            .map_err(|_| ApiError::new(ApiErrorKind::Invalid, "finalizers are a list of names"))?;
        self.note(Intent::Finalizers);
        Ok(())
    }

    async fn live(&self, key: &ObjectKey, seen: Option<&str>) -> Answer<Secret> {
        let live = self.scene.secret(key).await?;
        let live = live.ok_or_else(|| {
            let text = format!("secrets {:?} not found", key.name());
            ApiError::new(ApiErrorKind::NotFound, text)
        })?;
        if live.metadata.resource_version.as_deref() != seen {
            let text = "the object has been modified";
            return Err(ApiError::new(ApiErrorKind::Conflict, text));
        }
        Ok(live)
    }
}

impl World for ReadOnly<'_> {
    async fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> std::result::Result<SecretMap, String> {
        let key = ObjectKey::new(namespace, &source.name);
        let text = |error: ApiError| error.to_string();
        let found = match source.kind {
            SourceKind::Secret => {
                let secret = self.scene.secret(&key).await.map_err(text)?;
                secret.map(|secret| data_of(secret.data))
            }
            SourceKind::ConfigMap => {
                let map = self.scene.config_map(&key).await.map_err(text)?;
                map.map(|map| {
                    let data = map.data.unwrap_or_default().into_iter();
                    data.map(|(key, value)| (key, value.into())).collect()
                })
            }
        };
        let plural = match source.kind {
            SourceKind::Secret => "secrets",
            SourceKind::ConfigMap => "configmaps",
        };
        found.ok_or_else(|| format!("{plural} {:?} not found", source.name))
    }

    async fn generator(&self, namespace: &str, reference: &GeneratorRef) -> Result<Generator> {
        let generator = self.scene.generator(namespace, reference).await?;
        if generator.is_foreign_to(self.class) {
            // The reconcile leaves the object alone then, and runs nothing.
            return Ok(generator);
        }
        lockstep_generators::lookup(&generator.kind)?;
        self.note(Intent::Generate {
            kind: generator.kind,
            name: reference.name.clone(),
        });
        Err(Error::unsupported(NOT_GENERATED))
    }
}

impl ExternalSecretWorld for ReadOnly<'_> {
    async fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Answer<ExternalSecret> {
        let mut object = object.clone();
        self.finalize(&mut object.metadata, patch)?;
        Ok(object)
    }

    async fn read_secret(&self, namespace: &str, name: &str) -> Answer<Option<Secret>> {
        self.scene.secret(&ObjectKey::new(namespace, name)).await
    }

    async fn create_secret(&self, secret: Secret, _manager: &str) -> Answer<()> {
        let key = ObjectKey::of(&secret.metadata);
        if self.scene.secret(&key).await?.is_some() {
            let text = "the object already exists";
            return Err(ApiError::new(ApiErrorKind::AlreadyExists, text));
        }
        let mut secret = secret;
        secret.type_.get_or_insert_with(|| "Opaque".to_owned());
        self.scene.write(key.clone(), Some(secret.clone()));
        self.note(Intent::Secret {
            key,
            before: None,
            after: Some(Box::new(secret)),
        });
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, _manager: &str) -> Answer<()> {
        let key = ObjectKey::of(&secret.metadata);
        let seen = secret.metadata.resource_version.as_deref();
        let live = self.live(&key, seen).await?;
        self.scene.write(key.clone(), Some(secret.clone()));
        self.note(Intent::Secret {
            key,
            before: Some(Box::new(live)),
            after: Some(Box::new(secret)),
        });
        Ok(())
    }

    async fn delete_secret(&self, namespace: &str, delete: &TargetDelete) -> Answer<()> {
        let key = ObjectKey::new(namespace, &delete.name);
        let live = self.live(&key, Some(&delete.resource_version)).await?;
        self.scene.write(key.clone(), None);
        self.note(Intent::Secret {
            key,
            before: Some(Box::new(live)),
            after: None,
        });
        Ok(())
    }

    async fn create_object(&self, target: &ObjectRef, _object: Object) -> Answer<()> {
        self.note_object(target, Verb::Create);
        Ok(())
    }

    async fn replace_object(&self, target: &ObjectRef, _object: Object) -> Answer<bool> {
        self.note_object(target, Verb::Replace);
        Ok(true)
    }

    async fn delete_object(&self, target: &ObjectRef, _delete: &TargetDelete) -> Answer<()> {
        self.note_object(target, Verb::Delete);
        Ok(())
    }

    fn absent(&self, object: &ExternalSecret, stores: &BTreeSet<StoreKey>) -> Deletion {
        self.scene.may_lose(object, stores)
    }
}

impl ReadOnly<'_> {
    fn note_object(&self, target: &ObjectRef, verb: Verb) {
        let target = target.clone();
        self.note(Intent::Object { target, verb });
    }
}

/// The values of a Secret.
pub(crate) fn data_of(data: Option<BTreeMap<String, k8s_openapi::ByteString>>) -> SecretMap {
    let data = data.unwrap_or_default().into_iter();
    data.map(|(key, value)| (key, SecretValue::new(value.0)))
        .collect()
}
