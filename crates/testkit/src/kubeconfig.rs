//! Kubeconfig files: written for the clusters we start, read for those a test or tool is pointed
//! at. Only the one form we write is read back: a server, its CA and a bearer token.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::manifest;

/// How to reach one API server as one user.
#[derive(Clone)]
pub struct Access {
    /// `https://host:port`.
    pub server: String,
    /// The certificate authority of the server, PEM.
    pub ca: String,
    /// The bearer token of the user.
    pub token: String,
}

impl Access {
    /// Reads the current context of a kubeconfig file.
    pub fn read(path: &Path) -> Result<Self> {
        let documents = manifest::read(path)?;
        let config = documents.first().context("the file is empty")?;
        Self::of(config).with_context(|| format!("kubeconfig {}", path.display()))
    }

    fn of(config: &Value) -> Result<Self> {
        let current = manifest::text(config, "/current-context");
        let context = named(config, "contexts", "context", current)?;
        let cluster = named(
            config,
            "clusters",
            "cluster",
            manifest::text(context, "/cluster"),
        )?;
        let user = named(config, "users", "user", manifest::text(context, "/user"))?;
        let ca = STANDARD
            .decode(manifest::text(cluster, "/certificate-authority-data"))
            .context("certificate-authority-data is no base64")?;
        Ok(Self {
            server: manifest::text(cluster, "/server").to_owned(),
            ca: String::from_utf8(ca).context("certificate-authority-data is no PEM")?,
            token: manifest::text(user, "/token").to_owned(),
        })
    }

    /// Writes a kubeconfig file, readable by its owner alone. Its context is in `namespace`.
    pub fn write(&self, path: &Path, user: &str, namespace: &str) -> Result<()> {
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {
                "server": self.server,
                "certificate-authority-data": STANDARD.encode(&self.ca),
            }}],
            "users": [{"name": user, "user": {"token": self.token}}],
            "contexts": [{"name": user, "context": {
                "cluster": "test", "user": user, "namespace": namespace,
            }}],
            "current-context": user,
        });
        // JSON is YAML, and every reader of kubeconfigs takes it.
        let text = serde_json::to_string_pretty(&config)?;
        private(path, &text)
    }
}

/// Writes a file that only its owner may read, in one step: whoever reads it meanwhile finds the old
/// one.
pub(crate) fn private(path: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    let folder = path.parent().context("a file without a folder")?;
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        Ok(file.persist(path)?)
    });
    written
        .map(drop)
        .with_context(|| format!("cannot write {}", path.display()))
}

fn named<'a>(config: &'a Value, list: &str, item: &str, name: &str) -> Result<&'a Value> {
    config[list]
        .as_array()
        .into_iter()
        .flatten()
        .find(|entry| entry["name"] == name)
        .map(|entry| &entry[item])
        .with_context(|| format!("no entry {name:?} in {list}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kubeconfig");
        let access = Access {
            server: "https://127.0.0.1:1".into(),
            ca: "-----BEGIN CERTIFICATE-----\n".into(),
            token: "t".into(),
        };

        access.write(&path, "admin", "default").unwrap();
        let back = Access::read(&path).unwrap();

        assert_eq!(
            (back.server, back.ca, back.token),
            (access.server, access.ca, access.token)
        );
    }
}
