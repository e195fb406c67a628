//! What this build serves: kinds, API versions, providers and generators. The only place of the command
//! that decides it.

use crate::suggest::closest;

/// How far something is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Verdict {
    /// Works as it did.
    Served,
    /// Accepted without effect; nothing breaks.
    Ignored,
    /// Does not work here.
    NotServed,
}

impl Verdict {
    /// The word of the table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Served => "yes",
            Self::Ignored => "ignored",
            Self::NotServed => "no",
        }
    }
}

/// Verdict and the reason where there is one.
pub(super) type Ruling = (Verdict, String);

/// Version that serves a kind, and whether it is reconciled.
const KINDS: [(&str, &str, bool); 6] = [
    ("ClusterExternalSecret", "v1", true),
    ("ClusterPushSecret", "v1alpha1", true),
    ("ClusterSecretStore", "v1", true),
    ("ExternalSecret", "v1", true),
    ("PushSecret", "v1alpha1", true),
    ("SecretStore", "v1", true),
];

/// Rules on an object of the group `external-secrets.io`.
pub(super) fn kind(version: &str, kind: &str) -> Ruling {
    let Some((_, served, is_reconciled)) = KINDS.iter().find(|(known, ..)| *known == kind) else {
        return (Verdict::NotServed, "unknown kind".to_owned());
    };
    if version != *served {
        let note = format!("version {version} is not served; write external-secrets.io/{served}");
        return (Verdict::NotServed, note);
    }
    if *is_reconciled {
        (Verdict::Served, String::new())
    } else {
        let note = "accepted by the API server, but not reconciled by this build";
        (Verdict::NotServed, note.to_owned())
    }
}

/// Whether a kind is known, and this is not the version that serves it.
pub(super) fn is_other_version(version: &str, kind: &str) -> bool {
    let mut known = KINDS.iter();
    known.any(|(known, served, _)| *known == kind && *served != version)
}

/// Rules on a provider by its key below `spec.provider`.
pub(super) fn provider(name: &str) -> Ruling {
    match lockstep_provider_registry::lookup(name) {
        Ok(_) => (Verdict::Served, String::new()),
        Err(error) if error.is_left_out() => (Verdict::NotServed, "not in this build".to_owned()),
        Err(_) => {
            let near = closest(name, lockstep_provider_registry::known_names());
            let note = near.map_or_else(
                || "unknown provider".to_owned(),
                |near| format!("unknown provider; did you mean {near:?}?"),
            );
            (Verdict::NotServed, note)
        }
    }
}

/// Rules on a generator by its kind.
pub(super) fn generator(kind: &str) -> Ruling {
    if kind == "GeneratorState" || lockstep_generators::lookup(kind).is_ok() {
        return (Verdict::Served, String::new());
    }
    (Verdict::NotServed, "not in this build".to_owned())
}
