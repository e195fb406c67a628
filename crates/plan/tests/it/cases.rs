//! Case folders: `in.yaml` is the cluster, `remote.yaml` what the stores hold, `out.yaml` what two
//! runs, an hour apart, must do. `UPDATE_CASES=1` writes `out.yaml`; review it before it is kept.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore};
use lockstep_plan::external_secret::{SourceKey, SourceKind};
use lockstep_provider_api::{SecretMap, SecretValue};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::remote::Remote;
use crate::world::World;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    #[expect(dead_code, reason = "for the reader of the case")]
    title: String,
    object: ExternalSecret,
    #[serde(default)]
    stores: Vec<SecretStore>,
    #[serde(default)]
    cluster_stores: Vec<ClusterSecretStore>,
    #[serde(default)]
    secrets: Vec<Secret>,
    #[serde(default)]
    config_maps: Vec<k8s_openapi::api::core::v1::ConfigMap>,
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let areas = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let cases = areas.flat_map(|area| fs::read_dir(area).unwrap());
    let mut folders: Vec<PathBuf> = cases.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn load(folder: &Path) -> World {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let input: Input = serde_saphyr::from_str(&read("in.yaml"))
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let remote: Remote = serde_saphyr::from_str(&read("remote.yaml"))
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut object = input.object;
    object.metadata.namespace = Some("ns".to_owned());
    object
        .metadata
        .uid
        .get_or_insert_with(|| "es-uid".to_owned());
    object.metadata.generation.get_or_insert(1);
    let mut world = World::new(object, remote);
    for mut store in input.stores {
        store.metadata.namespace = Some("ns".to_owned());
        world = world.with_store(&store);
    }
    for store in &input.cluster_stores {
        world = world.with_cluster_store(store);
    }
    for config_map in input.config_maps {
        let name = config_map.metadata.name.unwrap();
        let data = config_map.data.into_iter().flatten();
        let data: SecretMap = data
            .map(|(key, value)| (key, SecretValue::from(value)))
            .collect();
        world.sources.insert(
            SourceKey {
                kind: SourceKind::ConfigMap,
                name,
            },
            Ok(data),
        );
    }
    for mut secret in input.secrets {
        secret.metadata.namespace = Some("ns".to_owned());
        world.put(secret);
    }
    world
}

fn outcome(world: &mut World) -> Value {
    let noon: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
    let later: Timestamp = "2026-05-01T13:00:00Z".parse().unwrap();
    let first = Value::Object(world.run(noon).document().clone());
    let second = Value::Object(world.run(later).document().clone());
    json!({ "first": first, "hourLater": second })
}

#[test]
fn every_case_folder_comes_out_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let update = std::env::var_os("UPDATE_CASES").is_some();
    let folders = folders(&root);
    assert!(!folders.is_empty());
    let mut wrong = Vec::new();
    for folder in folders {
        let found = outcome(&mut load(&folder));
        let file = folder.join("out.yaml");
        let text = serde_saphyr::to_string(&found).unwrap();
        if update {
            fs::write(&file, &text).unwrap();
            continue;
        }
        let recorded = fs::read_to_string(&file).unwrap_or_default();
        if serde_saphyr::from_str::<Value>(&recorded).ok() != Some(found) {
            wrong.push(format!("{}:\n{text}", folder.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "these cases differ from their out.yaml:\n{}",
        wrong.join("\n")
    );
}
