//! An image as files, as the OCI image specification 1.1 lays them out: blobs by digest, and an index that names the manifest. The
//! layer is not compressed, so that its digest does not depend on a compressor; registries' tools compress it when they push.

use std::fs;
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::USER;
use crate::compile::Arch;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";

/// What an image says about itself.
pub(super) struct Labels {
    pub(super) version: String,
    pub(super) commit: String,
    pub(super) time: Timestamp,
}

impl Labels {
    fn values(&self) -> Value {
        json!({
            "org.opencontainers.image.title": "lockstep",
            "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.revision": self.commit,
            "org.opencontainers.image.version": self.version,
        })
    }
}

/// Writes the layout into an empty folder and says the manifest's digest.
pub(super) fn write(folder: &Path, layer: &[u8], arch: Arch, labels: &Labels) -> Result<String> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs)?;
    let put = |media: &str, bytes: &[u8]| -> Result<Value> {
        let digest = digest(bytes);
        fs::write(blobs.join(&digest), bytes)?;
        Ok(json!({
            "mediaType": media, "digest": format!("sha256:{digest}"), "size": bytes.len(),
        }))
    };
    let layer_entry = put(LAYER, layer)?;
    let config = json!({
        "created": labels.time.to_string(), "architecture": arch.name(), "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"), "Entrypoint": ["/lockstep"], "WorkingDir": "/",
            "Labels": labels.values(),
        },
        "rootfs": {"type": "layers", "diff_ids": [layer_entry["digest"]]},
        "history": [{"created": labels.time.to_string(), "created_by": "cargo xtask image"}],
    });
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": put(CONFIG, &serde_json::to_vec(&config)?)?,
        "layers": [layer_entry],
        "annotations": labels.values(),
    });
    let mut entry = put(MANIFEST, &serde_json::to_vec(&manifest)?)?;
    let named = entry["digest"].as_str().unwrap_or_default().to_owned();
    entry["platform"] = json!({"os": "linux", "architecture": arch.name()});
    entry["annotations"] = json!({"org.opencontainers.image.ref.name": labels.version});
    let index = json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [entry],
    });
    fs::write(folder.join("index.json"), serde_json::to_vec(&index)?)?;
    fs::write(
        folder.join("oci-layout"),
        r#"{"imageLayoutVersion":"1.0.0"}"#,
    )?;
    Ok(named)
}

/// A digest without its algorithm.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    let hex: Vec<_> = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}
