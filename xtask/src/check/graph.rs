//! Which crate may depend on which: the architecture page as a table, held against `cargo
//! metadata`, and the purity of the inner crates, held against what `cargo tree` says they really
//! reach.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use lockstep_testkit::place;

use crate::shell;

/// Every crate of ours with the crates of ours it may use. Providers have a rule of their own.
const MAY_USE: &[(&str, &[&str])] = &[
    ("lockstep-golang", &[]),
    ("lockstep-provider-api", &["golang"]),
    ("lockstep-provider-kit", &["golang", "provider-api"]),
    ("lockstep-api-server", &["provider-api"]),
    ("lockstep-template", &["golang"]),
    ("lockstep-api", &["golang"]),
    (
        "lockstep-plan",
        &["golang", "provider-api", "template", "api"],
    ),
    ("lockstep-scheduling", &[]),
    ("lockstep-index", &["api", "plan", "scheduling"]),
    (
        "lockstep-runtime",
        &["golang", "provider-api", "scheduling"],
    ),
    ("lockstep-provider-registry", &["provider-api"]),
    (
        "lockstep-generators",
        &[
            "golang",
            "provider-api",
            "provider-kit",
            "provider-registry",
        ],
    ),
    (
        "lockstep-remote",
        &[
            "provider-api",
            "api",
            "plan",
            "scheduling",
            "generators",
            "provider-registry",
        ],
    ),
    (
        "lockstep-reconcile",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "scheduling",
            "runtime",
            "generators",
            "provider-registry",
            "remote",
        ],
    ),
    (
        "lockstep-local",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "runtime",
            "generators",
            "provider-registry",
            "remote",
            "reconcile",
        ],
    ),
    (
        "lockstep-toolbox",
        &[
            "provider-api",
            "runtime",
            "generators",
            "provider-registry",
            "local",
        ],
    ),
    (
        "lockstep-backends",
        &[
            "provider-api",
            "api",
            "generators",
            "remote",
            "runtime",
            "local",
            "toolbox",
        ],
    ),
    (
        "lockstep-deliver",
        &["provider-api", "api", "runtime", "local", "toolbox"],
    ),
    (
        "lockstep-explain",
        &[
            "provider-api",
            "api",
            "plan",
            "runtime",
            "generators",
            "provider-registry",
            "remote",
            "reconcile",
            "local",
            "toolbox",
        ],
    ),
    (
        "lockstep-top",
        &[
            "golang", "api", "plan", "runtime", "local", "toolbox", "explain",
        ],
    ),
    (
        "lockstep-preview",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "scheduling",
            "index",
            "runtime",
            "generators",
            "remote",
            "reconcile",
            "local",
            "toolbox",
        ],
    ),
    (
        "lockstep-takeover",
        &["api", "runtime", "generators", "toolbox", "preview"],
    ),
    (
        "lockstep-webhook",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "runtime",
            "provider-registry",
        ],
    ),
    (
        "lockstep-controllers",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "index",
            "scheduling",
            "runtime",
            "generators",
            "provider-registry",
            "remote",
            "reconcile",
        ],
    ),
    (
        "lockstep",
        &[
            "golang",
            "provider-api",
            "api",
            "plan",
            "runtime",
            "provider-registry",
            "generators",
            "local",
            "toolbox",
            "preview",
            "takeover",
            "explain",
            "top",
            "backends",
            "deliver",
            "webhook",
            "controllers",
        ],
    ),
    ("lockstep-testkit", &[]),
    ("lockstep-fuzz", &["golang", "provider-api", "template"]),
    ("xtask", &["testkit"]),
    ("xtask-bench", &["testkit"]),
    ("xtask-hostile", &["testkit"]),
    ("xtask-ship", &["testkit"]),
    ("xtask-simulate", &["scheduling"]),
    (
        "xtask-generate",
        &["provider-api", "api", "provider-registry"],
    ),
];

/// Crates about providers that are not providers themselves.
const AROUND_BACKENDS: &[&str] = &[
    "lockstep-provider-api",
    "lockstep-provider-kit",
    "lockstep-provider-registry",
];

/// Crates that may use providers: the registry, and the fuzz harness of their parsers.
const USES_BACKENDS: &[&str] = &["lockstep-provider-registry", "lockstep-fuzz"];

/// Crates that stay pure, and what they must not reach.
const PURE: &[&str] = &[
    "lockstep-golang",
    "lockstep-provider-api",
    "lockstep-provider-kit",
    "lockstep-api-server",
    "lockstep-template",
    "lockstep-plan",
    "lockstep-scheduling",
    "lockstep-index",
];
const IMPURE: &[&str] = &[
    "tokio",
    "kube-client",
    "kube-runtime",
    "reqwest",
    "hyper",
    "ureq",
];

/// What a provider may use: the contract, the kit for REST backends, the client of Kubernetes API
/// servers, and the template engine where its manifest has templates.
const PROVIDER_MAY_USE: &[&str] = &[
    "lockstep-api-server",
    "lockstep-provider-api",
    "lockstep-provider-kit",
    "lockstep-template",
];

/// Providers that are made of another one: OpenBao began as a copy of Vault and speaks its API.
const PROVIDER_OF: &[(&str, &str)] = &[("lockstep-provider-openbao", "lockstep-provider-vault")];

/// What a provider may use in its tests: the real wire and a real cluster.
const PROVIDER_DEV: &[&str] = &[
    "lockstep-provider-api",
    "lockstep-runtime",
    "lockstep-testkit",
];

/// Crates that must not be anywhere in the tree, with the reason.
const BANNED: &[(&str, &str)] = &[
    ("openssl-sys", "one TLS stack: rustls"),
    ("native-tls", "one TLS stack: rustls"),
    (
        "async-trait",
        "traits use plain async fn and are erased once",
    ),
];

/// Every broken rule, as sentences.
pub(super) fn problems() -> Result<Vec<String>> {
    let metadata = MetadataCommand::new()
        .current_dir(place::workspace())
        .exec()?;
    let mut found = Vec::new();
    for package in metadata.workspace_packages() {
        found.extend(uses(package));
    }
    found.extend(banned(&metadata));
    for name in PURE {
        let tree = shell::output(shell::cargo().args([
            "tree",
            "--package",
            name,
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]))?;
        found.extend(reaches(name, &tree));
    }
    Ok(found)
}

fn uses(package: &Package) -> Vec<String> {
    let name = package.name.as_str();
    let ours = package
        .dependencies
        .iter()
        .filter(|used| used.path.is_some());
    let backend = is_backend(name);
    let table: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    if !backend && !table.contains_key(name) {
        return vec![format!(
            "{name}: say in xtask/src/check/graph.rs which of our crates it may use"
        )];
    }
    let mut found = Vec::new();
    for used in ours {
        let other = used.name.as_str();
        let short = other.trim_start_matches("lockstep-");
        let allowed = match (backend, used.kind) {
            (true, DependencyKind::Development) => PROVIDER_DEV.contains(&other),
            (true, _) => PROVIDER_MAY_USE.contains(&other) || PROVIDER_OF.contains(&(name, other)),
            (false, DependencyKind::Development) => true,
            (false, _) if USES_BACKENDS.contains(&name) && is_backend(other) => true,
            (false, _) => table.get(name).is_some_and(|may| may.contains(&short)),
        };
        if !allowed {
            found.push(format!("{name} must not depend on {other}"));
        }
    }
    found
}

fn is_backend(name: &str) -> bool {
    name.starts_with("lockstep-provider-") && !AROUND_BACKENDS.contains(&name)
}

fn banned(metadata: &Metadata) -> Vec<String> {
    let present: BTreeSet<_> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let hits = BANNED.iter().filter(|(name, _)| present.contains(name));
    hits.map(|(name, reason)| format!("{name} is in the dependency tree: {reason}"))
        .collect()
}

fn reaches(name: &str, tree: &str) -> Vec<String> {
    let reached: BTreeSet<_> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let hits = IMPURE.iter().filter(|impure| reached.contains(**impure));
    hits.map(|impure| format!("{name} must stay pure but reaches {impure}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_crate_that_reaches_a_runtime_is_named() {
        let tree = "lockstep-plan v1 (here)\nserde v1.0.0\ntokio v1.0.0 (*)\n";

        let found = reaches("lockstep-plan", tree);

        assert_eq!(found, ["lockstep-plan must stay pure but reaches tokio"]);
    }

    #[test]
    fn arrows_never_point_up() {
        let mut below = BTreeSet::new();
        for (name, may) in MAY_USE {
            for used in *may {
                assert!(
                    below.contains(*used),
                    "{name} stands above {used} but may use it"
                );
            }
            below.insert(name.trim_start_matches("lockstep-"));
        }
    }
}
