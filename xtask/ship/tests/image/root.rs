//! The files of an image as the root of a process: unpacked from its layers, mounted read-only in a mount namespace of its own, entered
//! with `chroot` as the image's user. What a container runtime does, without one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn layout() -> PathBuf {
    let layout = std::env::var_os("LOCKSTEP_IMAGE");
    assert!(
        layout.is_some(),
        "LOCKSTEP_IMAGE must name an OCI layout: use `cargo xtask test --image`"
    );
    PathBuf::from(layout.unwrap())
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn blob(entry: &Value) -> PathBuf {
    let digest = entry["digest"].as_str().unwrap();
    layout().join("blobs").join(digest.replace(':', "/"))
}

fn manifest() -> Value {
    json(&blob(&json(&layout().join("index.json"))["manifests"][0]))
}

/// Unpacks every layer and says where.
pub(crate) fn unpacked(dir: &Path) -> PathBuf {
    let root = dir.join("root");
    fs::create_dir(&root).unwrap();
    for layer in manifest()["layers"].as_array().unwrap() {
        let mut tar = Command::new("tar");
        tar.arg("--extract")
            .arg("--same-permissions")
            .arg("--file")
            .arg(blob(layer));
        assert!(
            tar.arg("--directory")
                .arg(&root)
                .status()
                .unwrap()
                .success()
        );
    }
    // The user of the image must be able to enter it.
    for folder in [dir, &root] {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    root
}

/// The user and group that the image names.
pub(crate) fn user() -> String {
    let config = json(&blob(&manifest()["config"]));
    config["config"]["User"].as_str().unwrap().to_owned()
}

/// User and group of a process.
pub(crate) fn user_of(process: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let id = |key: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    [id("Uid:"), id("Gid:")].join(":")
}

/// Lets everybody read a file.
pub(crate) fn readable(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}

/// A program that runs the image's entry point with its arguments; it keeps its process id.
pub(crate) fn program(dir: &Path, root: &Path) -> PathBuf {
    let config = json(&blob(&manifest()["config"]));
    let entry = config["config"]["Entrypoint"][0].as_str().unwrap();
    let (user, root) = (user(), root.display());
    let script = format!(
        "#!/bin/sh\n\
         exec unshare --mount sh -c 'mount --bind {root} {root} && mount -o remount,bind,ro {root} && \
         exec chroot --userspec={user} {root} {entry} \"$@\"' run \"$@\"\n"
    );
    let path = dir.join("run");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}
