//! The software bill of materials: every crate that the shipped program is built from, as CycloneDX 1.6. Crates of tests and tools
//! are left out.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

/// What other systems would need is not in the program.
const PLATFORM: &str = "x86_64-unknown-linux-musl";

/// The bill of the package `lockstep`.
pub(super) fn of_workspace(root: &Path, version: &str) -> Result<String> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .other_options(["--locked", "--filter-platform", PLATFORM].map(str::to_owned))
        .exec()?;
    let shipped = shipped(&metadata)?;
    let mut packages: Vec<_> = metadata
        .packages
        .iter()
        .filter(|package| shipped.contains(&package.id))
        .collect();
    packages.sort_by_key(|package| (package.name.to_string(), package.version.clone()));
    let components: Vec<_> = packages.into_iter().map(component).collect();
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "application", "name": "lockstep", "version": version}},
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&bill)?)
}

fn component(package: &Package) -> Value {
    let (name, version) = (package.name.to_string(), package.version.to_string());
    let mut out = json!({"type": "library", "name": name, "version": version});
    if let Some(license) = &package.license {
        out["licenses"] = json!([{"expression": license.replace('/', " OR ")}]);
    }
    if package.source.is_some() {
        out["purl"] = json!(format!("pkg:cargo/{name}@{version}"));
    }
    out
}

/// What the program is built from, build scripts included.
fn shipped(metadata: &Metadata) -> Result<BTreeSet<PackageId>> {
    let graph = metadata
        .resolve
        .as_ref()
        .context("cargo resolved nothing")?;
    let program = metadata.packages.iter().find(|one| one.name == "lockstep");
    let program = program.context("there is no package lockstep")?;
    let (mut found, mut next) = (BTreeSet::new(), vec![program.id.clone()]);
    while let Some(id) = next.pop() {
        let node = graph.nodes.iter().find(|node| node.id == id);
        for dependency in node.into_iter().flat_map(|node| &node.deps) {
            let ships = dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development);
            if ships && !found.contains(&dependency.pkg) {
                next.push(dependency.pkg.clone());
            }
        }
        found.insert(id);
    }
    found.remove(&program.id);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use lockstep_testkit::place;

    use super::*;

    #[test]
    fn the_bill_has_what_is_shipped_and_nothing_of_the_tests() {
        let bill = of_workspace(place::workspace(), "v1").unwrap();

        let bill: Value = serde_json::from_str(&bill).unwrap();
        let components = bill["components"].as_array().unwrap();
        let named = |name: &str| components.iter().find(|one| one["name"] == name);
        let tokio = named("tokio").unwrap();
        let purl = tokio["purl"].as_str().unwrap();
        assert!(purl.starts_with("pkg:cargo/tokio@1."), "{purl}");
        assert!(named("lockstep-plan").is_some());
        assert!(named("lockstep-testkit").is_none());
        for one in components.iter().filter(|one| one["purl"].is_string()) {
            assert!(one["licenses"].is_array(), "{one}");
        }
    }
}
