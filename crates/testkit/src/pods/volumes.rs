//! Secrets mounted into a pod: their keys as files in a folder of the pod's own, brought up to date
//! with a delay as a kubelet does it. Other volumes are left out.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::api::Api;
use crate::manifest;

/// Time between two looks at a Secret; a kubelet takes up to a minute.
const REFRESH: Duration = Duration::from_secs(10);

/// One mounted Secret.
pub(super) struct Mount {
    /// Where the container believes it to be.
    pub(super) inside: String,
    /// Where it really is.
    pub(super) outside: PathBuf,
    secret: String,
    looked: Option<Instant>,
}

impl Mount {
    /// Every Secret that the first container of a pod mounts; files go below `dir`.
    pub(super) fn all(pod: &Value, dir: &std::path::Path) -> Vec<Self> {
        let list = |pointer: &str| pod.pointer(pointer).and_then(Value::as_array).cloned();
        let volumes = list("/spec/volumes").unwrap_or_default();
        let mounts = list("/spec/containers/0/volumeMounts").unwrap_or_default();
        let namespace = manifest::text(pod, "/metadata/namespace");
        let of_secret = |mount: &Value| {
            let volume = volumes.iter().find(|one| one["name"] == mount["name"])?;
            let secret = volume["secret"]["secretName"].as_str()?;
            Some(Self {
                inside: manifest::text(mount, "/mountPath").to_owned(),
                outside: dir.join(manifest::text(mount, "/name")),
                secret: format!("/api/v1/namespaces/{namespace}/secrets/{secret}"),
                looked: None,
            })
        };
        mounts.iter().filter_map(of_secret).collect()
    }

    /// Writes the files, if it is time. Says whether the Secret is there.
    pub(super) fn refresh(&mut self, api: &Api) -> Result<bool> {
        if self.looked.is_some_and(|looked| looked.elapsed() < REFRESH) {
            return Ok(true);
        }
        let Some(found) = api.find(&self.secret)? else {
            return Ok(false);
        };
        fs::create_dir_all(&self.outside)?;
        for (key, value) in found["data"].as_object().into_iter().flatten() {
            let bytes = STANDARD.decode(value.as_str().unwrap_or_default());
            let bytes = bytes.with_context(|| format!("{}: {key}", self.secret))?;
            fs::write(self.outside.join(key), bytes)?;
        }
        self.looked = Some(Instant::now());
        Ok(true)
    }
}
