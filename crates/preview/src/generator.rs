//! Reads generators as they would be. They are looked at and never run: every run makes a credential.

use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::GENERATORS_GROUP;
use lockstep_generators::{CLUSTER_KIND, plural, unwrap};
use lockstep_index::ObjectKey;
use lockstep_provider_api::{Error, ErrorKind};
use lockstep_reconcile::Generator;
use serde_json::Value;

use crate::scene::Scene;

impl Scene {
    /// The generator that `reference` means in `namespace`.
    pub(crate) async fn generator(
        &self,
        namespace: &str,
        reference: &GeneratorRef,
    ) -> Result<Generator, Error> {
        let api_version = reference.api_version();
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if group != GENERATORS_GROUP {
            let text = format!("{api_version:?} is not of the group {GENERATORS_GROUP}");
            return Err(Error::invalid_spec(text));
        }
        let (kind, name) = (reference.kind.as_str(), reference.name.as_str());
        let namespace = (kind != CLUSTER_KIND).then_some(namespace);
        let key = ObjectKey::new(namespace.unwrap_or_default(), name);
        let given = self.given.generators.get(&(kind.to_owned(), key)).cloned();
        let found = if given.is_some() {
            given
        } else {
            let resource = (group, version, kind, &*plural(kind));
            let read = self.present.generator(resource, (namespace, name));
            read.await.map_err(Error::from)?
        };
        let Some(object) = found else {
            let text = format!("{kind} {name:?} not found");
            return Err(Error::new(ErrorKind::InvalidSpec, text));
        };
        let spec = object.get("spec").cloned().unwrap_or(Value::Null);
        if kind != CLUSTER_KIND {
            return Ok(Generator {
                kind: kind.to_owned(),
                metadata: object.get("metadata").cloned().unwrap_or_default(),
                spec,
            });
        }
        let (kind, spec) = unwrap(&spec)?;
        Ok(Generator {
            kind,
            metadata: serde_json::json!({}),
            spec,
        })
    }
}
