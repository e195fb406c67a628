//! Every provider has the same file names, so that a newcomer finds each part by its name. Checks
//! names only; what the files hold is the compiler's and the conformance suite's business.

use std::path::Path;

use anyhow::{Context, Result};

/// What each provider has.
const REQUIRED: &[&str] = &[
    "lib.rs", "spec.rs", "auth.rs", "api.rs", "store.rs", "error.rs",
];

/// Providers that lack a file, each with its reason.
const WITHOUT: &[(&str, &[&str], &str)] = &[
    (
        "fake",
        &["auth.rs", "api.rs", "error.rs"],
        "its values are in the manifest: there is no server to log in to",
    ),
    (
        "openbao",
        &["api.rs", "error.rs"],
        "its client is that of Vault",
    ),
    (
        "crd",
        &["auth.rs", "error.rs"],
        "crates/api-server signs in and says what refusals mean",
    ),
    (
        "kubernetes",
        &["auth.rs", "error.rs"],
        "crates/api-server signs in and says what refusals mean",
    ),
    (
        "beyondtrustworkloadcredentials",
        &["error.rs"],
        "its client, which the generator shares, is in the kit and says what refusals mean",
    ),
    (
        "aws",
        &["api.rs"],
        "one module a service, each over the vendor's SDK",
    ),
];

/// Every missing file, as sentences.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("providers");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).context("list the providers")? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let missing = |name: &str| {
        let source = folder.join(name).join("src");
        missing_files(name, |file| source.join(file).is_file())
    };
    Ok(names.iter().flat_map(|name| missing(name)).collect())
}

fn missing_files(provider: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let excused = WITHOUT.iter().find(|(name, ..)| *name == provider);
    let excused = excused.map_or(&[][..], |(_, files, _)| files);
    REQUIRED
        .iter()
        .filter(|file| !exists(file) && !excused.contains(file))
        .map(|file| format!("providers/{provider} has no src/{file}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_without_a_fixed_file_is_named() {
        let found = missing_files("new", |file| file != "auth.rs");

        assert_eq!(found, ["providers/new has no src/auth.rs"]);
    }

    #[test]
    fn an_excused_file_may_be_missing() {
        assert!(
            missing_files("fake", |file| ["lib.rs", "spec.rs", "store.rs"]
                .contains(&file))
            .is_empty()
        );
    }
}
