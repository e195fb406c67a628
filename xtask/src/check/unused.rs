//! Finds dependencies on our own crates that no source file of a package names. A dependency that only
//! carries features counts as used.

use std::path::Path;

use anyhow::Result;
use cargo_metadata::{MetadataCommand, Package};

use crate::shell;

/// Every unused dependency, as sentences.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let mut found = Vec::new();
    for package in metadata.workspace_packages() {
        found.extend(of_package(root, package)?);
    }
    Ok(found)
}

fn of_package(root: &Path, package: &Package) -> Result<Vec<String>> {
    let text = source_text(root, package)?;
    let features: Vec<&str> = package
        .features
        .values()
        .flatten()
        .map(String::as_str)
        .collect();
    let ours = package
        .dependencies
        .iter()
        .filter(|used| used.path.is_some());
    let unused =
        ours.filter(|used| !is_named(&text, &used.name) && !carries(&features, &used.name));
    Ok(unused
        .map(|used| {
            format!(
                "{} depends on {} but never names it",
                package.name, used.name
            )
        })
        .collect())
}

/// All source files of a package that git knows, in one text.
fn source_text(root: &Path, package: &Package) -> Result<String> {
    let folder = package
        .manifest_path
        .parent()
        .map_or("", |path| path.as_str());
    let mut list = std::process::Command::new("git");
    list.current_dir(folder).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.rs",
    ]);
    let names = shell::output(&mut list)?;
    let texts = names
        .lines()
        .filter_map(|name| std::fs::read_to_string(root.join(folder).join(name)).ok());
    Ok(texts.collect())
}

fn is_named(text: &str, dependency: &str) -> bool {
    let name = dependency.replace('-', "_");
    text.match_indices(&name).any(|(at, _)| {
        let rest = &text[at + name.len()..];
        !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
    })
}

fn carries(features: &[&str], dependency: &str) -> bool {
    features.iter().any(|feature| {
        let owner = feature.split('/').next().unwrap_or_default();
        feature.contains('/') && owner.trim_end_matches('?') == dependency
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_name_that_begins_alike_is_no_use() {
        assert!(is_named("use lockstep_plan::Failure;", "lockstep-plan"));
        assert!(!is_named("use lockstep_planner::Failure;", "lockstep-plan"));
    }

    #[test]
    fn a_dependency_that_carries_features_is_used() {
        let features = ["dep:kube", "lockstep-provider-registry/all"];

        assert!(carries(&features, "lockstep-provider-registry"));
        assert!(!carries(&features, "lockstep-plan"));
    }
}
