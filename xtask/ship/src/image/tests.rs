//! Images of a program that stands for the operator: the smallest file that is a static ELF program.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::*;

/// A header of a program, with one program header of this kind.
fn program(kind: u8) -> Vec<u8> {
    let mut bytes = vec![0; 120];
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    bytes[18] = 62;
    bytes[32] = 64;
    bytes[54] = 56;
    bytes[56] = 1;
    bytes[64] = kind;
    bytes
}

fn made(dir: &Path, program: &[u8]) -> Image {
    let binary = dir.join("program");
    fs::write(&binary, program).unwrap();
    make(Arch::Amd64, Some(&binary), "", dir).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_same_program_gives_the_same_digest_and_archive() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());

    let (first, second) = (
        made(one.path(), &program(1)),
        made(other.path(), &program(1)),
    );

    assert_eq!(first.digest, second.digest);
    let bytes = [&first.archive, &second.archive].map(|path| fs::read(path).unwrap());
    assert!(bytes[0] == bytes[1], "the archives differ");
    let another = tempfile::tempdir().unwrap();
    let mut changed = program(1);
    changed.push(1);
    assert_ne!(made(another.path(), &changed).digest, first.digest);
}

#[test]
fn every_blob_has_the_digest_and_size_by_which_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path(), &program(1));
    let folder = dir.path().join("amd64");
    let check = |entry: &Value| {
        let name = entry["digest"].as_str().unwrap().strip_prefix("sha256:");
        let name = name.unwrap().to_owned();
        let bytes = fs::read(folder.join("blobs/sha256").join(&name)).unwrap();
        assert_eq!(layout::digest(&bytes), name);
        assert_eq!(entry["size"], bytes.len());
        folder.join("blobs/sha256").join(name)
    };

    let index = json(&folder.join("index.json"));
    let manifest = json(&check(&index["manifests"][0]));
    let config = json(&check(&manifest["config"]));
    check(&manifest["layers"][0]);

    assert_eq!(
        config["rootfs"]["diff_ids"][0],
        manifest["layers"][0]["digest"]
    );
    assert_eq!(config["config"]["User"], "65532:65532");
    assert_eq!(config["config"]["Entrypoint"][0], "/lockstep");
}

#[test]
fn other_programs_can_read_the_layer_and_find_what_belongs_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("layer.tar");
    fs::write(&file, layer(&program(1))).unwrap();

    let listed = Command::new("tar")
        .args(["--list", "--verbose", "--numeric-owner", "--file"])
        .arg(&file)
        .output()
        .unwrap();

    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), 7, "{listed}");
    assert!(listed.contains("-rwxr-xr-x 0/0"), "{listed}");
    assert!(
        listed.contains(" etc/ssl/certs/ca-certificates.crt\n"),
        "{listed}"
    );
    assert!(certificates::bundle().matches("BEGIN CERTIFICATE").count() > 100);
}

#[test]
fn a_program_that_needs_a_loader_or_another_processor_is_refused() {
    let error = elf::check(&program(3), Arch::Amd64).unwrap_err();
    assert!(error.to_string().contains("not static"), "{error}");
    let error = elf::check(&program(1), Arch::Arm64).unwrap_err();
    assert!(
        error.to_string().contains("not a program for arm64"),
        "{error}"
    );
    assert!(elf::check(b"#!/bin/sh", Arch::Amd64).is_err());
}
