//! What the operator was started with, as far as decisions depend on it. Parsed from flags by the
//! binary; nothing below it knows flags or the environment.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_template::{Limits, Random, RandomError};

use crate::parsed_templates::ParsedTemplates;
use crate::salt::Salt;

/// Settings of one operator process.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each switch is one independent flag of the command line"
)]
pub struct Settings {
    /// Controller class; stores of another class are left alone.
    pub class: String,
    /// Whether ExternalSecrets wait for their store to be ready.
    pub flood_gate: bool,
    /// Whether ClusterSecretStores are reconciled.
    pub cluster_stores: bool,
    /// Whether SecretStores are checked. They are watched in any case.
    pub secret_stores: bool,
    /// Whether targets of other kinds than Secret are allowed.
    pub generic_targets: bool,
    /// Whether PushSecrets are reconciled.
    pub push_secrets: bool,
    /// Whether credentials that generators made for ExternalSecrets are taken back.
    pub generator_states: bool,
    /// How long a credential stays after the one after its successor was written.
    pub generator_grace: Duration,
    /// Time between two checks of a store that names none.
    pub store_requeue: Duration,
    /// How old an object must be before it reports a store that is not there or does not admit its
    /// namespace. All of them come through watches of their own, so what was applied together with
    /// the object may be seen later.
    pub store_patience: Duration,
    /// How often an unchanged refresh is noted in the status.
    pub refresh_note: RefreshNote,
    /// Whether the installed CRDs keep `status.observedGeneration`.
    pub observed_generation: bool,
    /// When the process began to look after objects: refreshes missed before are spread over the
    /// time after it.
    pub started: Option<Timestamp>,
    /// Which labels and annotations of an ExternalSecret its target gets.
    pub copied_metadata: CopiedMetadata,
    /// Delimiters of templates.
    pub delimiters: Delimiters,
    /// What one execution of a template may use.
    pub template_limits: Limits,
    /// Parsed templates, kept between runs.
    pub templates: ParsedTemplates,
    /// Where templates get keys, salts and passwords from.
    pub random: Randomness,
    /// Key of the fingerprints in [`crate::TargetRow`]; random, made at start.
    pub salt: Salt,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            class: "default".to_owned(),
            flood_gate: true,
            cluster_stores: true,
            secret_stores: true,
            generic_targets: false,
            push_secrets: true,
            generator_states: true,
            generator_grace: Duration::from_mins(2),
            store_requeue: Duration::from_mins(5),
            // Two seconds, and one because times of creation have no fractions.
            store_patience: Duration::from_secs(3),
            refresh_note: RefreshNote::Spread,
            observed_generation: true,
            started: None,
            copied_metadata: CopiedMetadata::All,
            delimiters: Delimiters::default(),
            template_limits: Limits::default(),
            templates: ParsedTemplates::default(),
            random: Randomness::default(),
            salt: Salt::default(),
        }
    }
}

/// How often `status.refreshTime` is written when a refresh changed nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshNote {
    /// Once per nine tenths of the interval, at most every ten minutes, spread over objects.
    Spread,
    /// At every refresh, as upstream does.
    EveryRefresh,
}

/// Which labels and annotations a target without a template gets from its ExternalSecret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedMetadata {
    /// All of them, as upstream does.
    All,
    /// All but the bookkeeping of kubectl and GitOps tools.
    WithoutBookkeeping,
}

impl CopiedMetadata {
    /// Whether a label or annotation with this key is copied.
    pub fn copies(self, key: &str) -> bool {
        self == Self::All || !is_bookkeeping(key)
    }
}

/// Keys that tie an object to the tool that applied it; on a copy they confuse that tool.
fn is_bookkeeping(key: &str) -> bool {
    const KEYS: [&str; 3] = [
        "kubectl.kubernetes.io/last-applied-configuration",
        "app.kubernetes.io/instance",
        "external-secrets.io/force-sync",
    ];
    const DOMAINS: [&str; 5] = [
        "argocd.argoproj.io/",
        "kustomize.toolkit.fluxcd.io/",
        "helm.toolkit.fluxcd.io/",
        "meta.helm.sh/",
        "objectset.rio.cattle.io/",
    ];
    KEYS.contains(&key) || DOMAINS.iter().any(|domain| key.starts_with(domain))
}

/// Delimiters of template actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimiters {
    /// Begins an action.
    pub left: String,
    /// Ends an action.
    pub right: String,
}

impl Default for Delimiters {
    fn default() -> Self {
        Self {
            left: "{{".to_owned(),
            right: "}}".to_owned(),
        }
    }
}

/// A source of random bytes, handed in by the program; without one, templates that need it fail.
#[derive(Clone)]
pub struct Randomness(Arc<dyn Random + Send + Sync>);

impl Randomness {
    /// Takes a source.
    pub fn new(source: impl Random + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Takes a function that fills a buffer or says why it cannot.
    pub fn from_fn(fill: impl Fn(&mut [u8]) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self::new(Filled(fill))
    }

    /// The source.
    pub(crate) fn source(&self) -> &dyn Random {
        &*self.0
    }
}

impl Default for Randomness {
    fn default() -> Self {
        Self::new(NoRandomness)
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Randomness")
    }
}

struct Filled<F>(F);

impl<F: Fn(&mut [u8]) -> Result<(), String>> Random for Filled<F> {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        (self.0)(buffer).map_err(RandomError)
    }
}

struct NoRandomness;

impl Random for NoRandomness {
    fn fill(&self, _buffer: &mut [u8]) -> Result<(), RandomError> {
        Err(RandomError("no source of randomness is set".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_metadata_is_copied_unless_bookkeeping_is_dropped() {
        let key = "argocd.argoproj.io/tracking-id";

        assert!(CopiedMetadata::All.copies(key));
        assert!(!CopiedMetadata::WithoutBookkeeping.copies(key));
        assert!(CopiedMetadata::WithoutBookkeeping.copies("team"));
    }
}
