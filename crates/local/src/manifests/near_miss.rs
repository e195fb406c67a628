//! Documents of no kind that local mode uses: tells those that were meant to be one of ours (a misspelt
//! group, kind or version) from those that belong to other tools, which are skipped.

use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use serde_json::Value;

use crate::closest::{closest, closest_within};
use crate::strict::Fault;

pub(super) const GROUP: &str = "external-secrets.io";
const GENERATORS: &str = "generators.external-secrets.io";
/// Kinds of the group and the version that serves each.
const KINDS: [(&str, &str); 6] = [
    ("ClusterExternalSecret", "v1"),
    ("ClusterPushSecret", "v1alpha1"),
    ("ClusterSecretStore", "v1"),
    ("ExternalSecret", "v1"),
    ("PushSecret", "v1alpha1"),
    ("SecretStore", "v1"),
];
/// Letters by which a group of another kind may differ and still count as a slip.
const SLIP: usize = 2;

/// Faults of a document without `apiVersion` or `kind` that looks like an object of Kubernetes; other
/// YAML, such as Helm values and kustomizations, is none of ours.
pub(super) fn headless(value: &Value) -> Result<(), Fault> {
    let text = |field: &str| value[field].as_str().unwrap_or_default();
    let group = text("apiVersion").split('/').next().unwrap_or_default();
    let is_ours = [GROUP, GENERATORS].contains(&group)
        || KINDS.iter().any(|(kind, _)| *kind == text("kind"))
        || value.pointer("/metadata/name").is_some();
    if !is_ours {
        return Ok(());
    }
    let (field, example) = if text("apiVersion").is_empty() {
        ("apiVersion", "external-secrets.io/v1")
    } else {
        ("kind", "ExternalSecret")
    };
    let remedy = format!("add it, for example {example}");
    Err(super::identity::fault(field, "is required", &remedy))
}

/// Faults of a group, version or kind that nobody would ever look at.
pub(super) fn check(api_version: &str, kind: &str) -> Result<(), Fault> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    match group {
        GROUP => own(version, kind),
        GENERATORS => generator(version, kind),
        other => foreign(other, kind),
    }
}

fn own(version: &str, kind: &str) -> Result<(), Fault> {
    match KINDS.iter().find(|(known, _)| *known == kind) {
        Some((_, served)) if *served == version => Ok(()),
        Some((_, served)) => Err(not_served(version, GROUP, served)),
        None => Err(no_such_kind(GROUP, kind, &KINDS.map(|(kind, _)| kind))),
    }
}

fn generator(version: &str, kind: &str) -> Result<(), Fault> {
    let served = GeneratorRef::API_VERSION
        .rsplit('/')
        .next()
        .unwrap_or_default();
    // States are written by the operator, never by people.
    if kind == "GeneratorState" {
        return Ok(());
    }
    if !GeneratorKind::WORDS.contains(&kind) {
        return Err(no_such_kind(GENERATORS, kind, GeneratorKind::WORDS));
    }
    if version == served {
        return Ok(());
    }
    Err(not_served(version, GENERATORS, served))
}

/// A group of others. It counts as misspelt when it is nearly ours, or not far from it and the kind is
/// ours: other operators have kinds of these names too, in groups of other names.
fn foreign(group: &str, kind: &str) -> Result<(), Fault> {
    let ours = [GROUP, GENERATORS];
    let is_kind = KINDS.iter().any(|(known, _)| *known == kind);
    let near = if is_kind {
        closest(group, ours)
    } else {
        closest_within(group, ours, SLIP)
    };
    match near {
        Some(near) => Err(super::identity::fault(
            "apiVersion",
            "unknown API group",
            &format!("did you mean {near:?}?"),
        )),
        None => Ok(()),
    }
}

fn not_served(version: &str, group: &str, served: &str) -> Fault {
    let message = format!("version {version} is not served");
    super::identity::fault("apiVersion", &message, &format!("write {group}/{served}"))
}

fn no_such_kind(group: &str, kind: &str, known: &[&str]) -> Fault {
    let remedy = match closest(kind, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known kinds: {}", known.join(", ")),
    };
    let message = format!("there is no such kind in {group}");
    super::identity::fault("kind", &message, &remedy)
}
