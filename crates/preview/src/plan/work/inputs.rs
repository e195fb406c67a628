//! Which Secrets and ConfigMaps of the manifests differ from those that are there.

use std::collections::BTreeSet;

use anyhow::Result;
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::SourceKind;
use lockstep_toolbox::cluster::failure;

use crate::engine::Engine;

/// An object that others read.
pub(super) type Input = (SourceKind, ObjectKey);

/// Those whose data change.
pub(super) async fn changed(engine: &Engine) -> Result<BTreeSet<Input>> {
    let (given, present) = (&engine.scene.given, &engine.scene.present);
    let mut changed = BTreeSet::new();
    for (key, secret) in &given.secrets {
        let live = present.secret(key).await;
        let live = live.map_err(|error| failure(&format!("read secret {key}"), &error))?;
        if live.and_then(|live| live.data) != secret.data {
            changed.insert((SourceKind::Secret, key.clone()));
        }
    }
    for (key, map) in &given.config_maps {
        let live = present.config_map(key).await;
        let live = live.map_err(|error| failure(&format!("read configmap {key}"), &error))?;
        if live.and_then(|live| live.data) != map.data {
            changed.insert((SourceKind::ConfigMap, key.clone()));
        }
    }
    Ok(changed)
}
