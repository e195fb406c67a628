//! The resourceVersion of every managed Secret at a moment, kept in a file between two commands, and what
//! moved since. Holds names and versions, never a value.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Secret;
use kube::api::ListParams;
use kube::{Api, Client};
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_runtime::api_error::ApiError;
use lockstep_toolbox::cluster::failure;
use lockstep_toolbox::exit::Failure;
use serde::{Deserialize, Serialize};

/// Secrets in one page of a list.
const PAGE: u32 = 500;

/// Versions of Secrets by `namespace/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    secrets: BTreeMap<String, Seen>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    uid: String,
    resource_version: String,
}

/// What became of Secrets since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Moved {
    /// Secrets that are as they were.
    pub(crate) still: usize,
    /// Secrets with another version, or made again.
    pub(crate) changed: Vec<String>,
    /// Secrets that are gone.
    pub(crate) gone: Vec<String>,
    /// Secrets that were not there.
    pub(crate) new: Vec<String>,
}

impl Moved {
    /// Whether anything that was there moved.
    pub(crate) fn is_quiet(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

impl Baseline {
    /// Takes the versions of all managed Secrets; only metadata is asked for.
    pub(crate) async fn take(client: &Client, namespace: Option<&str>) -> Result<Self> {
        let secrets: Api<Secret> = match namespace {
            Some(namespace) => Api::namespaced(client.clone(), namespace),
            None => Api::all(client.clone()),
        };
        let label = format!("{LABEL_MANAGED}={LABEL_MANAGED_VALUE}");
        let mut params = ListParams::default().labels(&label).limit(PAGE);
        let mut found = BTreeMap::new();
        loop {
            let page = secrets.list_metadata(&params).await;
            let page = page.map_err(|error| failure("list secrets", &ApiError::from(error)))?;
            for secret in page.items {
                let text = |text: Option<String>| text.unwrap_or_default();
                let metadata = secret.metadata;
                let key = format!("{}/{}", text(metadata.namespace), text(metadata.name));
                let seen = Seen {
                    uid: text(metadata.uid),
                    resource_version: text(metadata.resource_version),
                };
                found.insert(key, seen);
            }
            match page.metadata.continue_.filter(|next| !next.is_empty()) {
                Some(next) => params = params.continue_token(&next),
                None => return Ok(Self { secrets: found }),
            }
        }
    }

    /// How many Secrets there are.
    pub(crate) fn len(&self) -> usize {
        self.secrets.len()
    }

    /// Reads a baseline that was kept.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let unusable = |why: String| {
            let path = path.display();
            Failure::usage(format!("the baseline {path} cannot be used: {why}"))
        };
        let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))
    }

    /// Keeps the baseline in a file.
    pub(crate) fn keep(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("the baseline as JSON")?;
        std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
    }

    /// What moved from this baseline to a later one.
    pub(crate) fn moved(&self, later: &Self) -> Moved {
        let mut moved = Moved::default();
        for (key, seen) in &self.secrets {
            match later.secrets.get(key) {
                Some(now) if now == seen => moved.still += 1,
                Some(_) => moved.changed.push(key.clone()),
                None => moved.gone.push(key.clone()),
            }
        }
        let new = later.secrets.keys();
        let new = new.filter(|key| !self.secrets.contains_key(*key));
        moved.new = new.cloned().collect();
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(secrets: &[(&str, &str)]) -> Baseline {
        let secrets = secrets.iter().map(|(key, version)| {
            let seen = Seen {
                uid: "u".to_owned(),
                resource_version: (*version).to_owned(),
            };
            ((*key).to_owned(), seen)
        });
        Baseline {
            secrets: secrets.collect(),
        }
    }

    #[test]
    fn a_version_that_moved_is_found_and_a_new_secret_is_no_harm() {
        let before = baseline(&[("a/same", "1"), ("a/moved", "2"), ("a/gone", "3")]);
        let after = baseline(&[("a/same", "1"), ("a/moved", "9"), ("a/new", "4")]);

        let moved = before.moved(&after);

        assert_eq!(moved.still, 1);
        assert_eq!(moved.changed, ["a/moved"]);
        assert_eq!(moved.gone, ["a/gone"]);
        assert_eq!(moved.new, ["a/new"]);
        assert!(!moved.is_quiet());
        assert!(before.moved(&before).is_quiet());
    }

    #[test]
    fn a_baseline_survives_its_file() {
        let folder = std::env::temp_dir().join(format!("lockstep-baseline-{}", std::process::id()));
        let before = baseline(&[("a/x", "1")]);

        before.keep(&folder).unwrap();
        let read = Baseline::read(&folder);
        std::fs::remove_file(&folder).unwrap();

        assert_eq!(read.unwrap(), before);
        assert!(Baseline::read(&folder).is_err());
    }
}
