//! One store out of a file or folder of manifests, with its credentials as local mode finds them, for
//! commands that work on a backend itself.

use std::path::Path;
use std::sync::Arc;

use lockstep_plan::StoreLookup;
use lockstep_provider_api::Services;
use lockstep_provider_api::context::Time;
use lockstep_remote::StoreRecord;
use lockstep_runtime::clock::SystemTime;

use super::closest::closest;
use super::documents::{self, Documents};
use super::folder::Folder;
use super::manifests::Manifests;
use super::{Environment, services};

/// A store, and what to connect to it with.
pub struct StoreFile {
    /// The store.
    pub record: Arc<StoreRecord>,
    /// Credentials, connections and the clock.
    pub services: Arc<Services>,
}

/// Reads the store of a file or folder; `name` tells which where there are several. Objects without a
/// namespace are in `namespace`.
pub fn open(
    path: &Path,
    name: Option<&str>,
    namespace: &str,
    environment: Environment,
) -> Result<StoreFile, String> {
    let manifests = Manifests::of(read(path)?, namespace);
    if !manifests.problems.is_empty() {
        let problems = manifests.problems.iter().map(ToString::to_string);
        return Err(problems.collect::<Vec<_>>().join("\n"));
    }
    let shown = path.display();
    let mut keys = manifests.stores.keys();
    let key = match name {
        Some(name) => keys.find(|key| key.name == name).ok_or_else(|| {
            let known = manifests.stores.keys().map(|key| key.name.as_str());
            let near = closest(name, known);
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            format!("{shown} has no store {name:?}{near}")
        })?,
        None => match (keys.next(), keys.next()) {
            (Some(only), None) => only,
            (None, _) => {
                return Err(format!(
                    "{shown} has no SecretStore or ClusterSecretStore; name a file that has one"
                ));
            }
            _ => return Err(format!("{shown} has several stores; pick one with --store")),
        },
    };
    let folder = Arc::new(Folder::default());
    folder.load(&manifests, SystemTime.now());
    let record = folder
        .record(key)
        .ok_or_else(|| format!("{shown} has no store {:?}", key.name))?;
    Ok(StoreFile {
        record,
        services: services(&folder, environment),
    })
}

fn read(path: &Path) -> Result<Documents, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    if path.is_dir() {
        return documents::read(path, None).map_err(failed);
    }
    let mut documents = Documents::default();
    let text = std::fs::read_to_string(path).map_err(failed)?;
    documents.add(&path.display().to_string(), &text);
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lockstep_provider_api::Variables;
    use lockstep_runtime::connect::Proxy;

    use super::*;

    const STORE: &str = "apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: NAME}\n\
                         spec: {provider: {fake: {data: []}}}\n---\n";

    fn opened(text: &str, name: Option<&str>) -> Result<StoreFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.yaml");
        std::fs::write(&file, text).unwrap();
        let environment = Environment {
            credentials: BTreeMap::new(),
            proxy: Proxy::default(),
            variables: Variables::default(),
        };
        open(&file, name, "team", environment)
    }

    #[test]
    fn the_only_store_of_a_file_needs_no_name() {
        let found = opened(&STORE.replace("NAME", "one"), None).unwrap();

        assert_eq!(found.record.key.name, "one");
        assert_eq!(found.record.key.namespace.as_deref(), Some("team"));
    }

    #[test]
    fn one_of_several_is_named_and_a_slip_is_noticed() {
        let text = STORE.replace("NAME", "first") + &STORE.replace("NAME", "second");

        assert!(opened(&text, None).err().unwrap().contains("--store"));
        assert!(opened(&text, Some("second")).is_ok());
        let slip = opened(&text, Some("secnod")).err().unwrap();
        assert!(slip.ends_with("did you mean second?"), "{slip}");
    }

    #[test]
    fn a_file_without_a_store_says_so() {
        let error = opened(
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
            None,
        );

        assert!(error.err().unwrap().contains("has no SecretStore"));
    }
}
