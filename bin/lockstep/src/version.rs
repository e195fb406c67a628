//! Which build this is: version, commit and what was compiled in. `--version`, the log line at the
//! start and the metric `lockstep_build_info` all say the same.

use std::sync::LazyLock;

/// Version of the program, which is that of the original operator it replaces.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Commit it was built from.
pub(crate) const COMMIT: &str = env!("LOCKSTEP_COMMIT");
/// What the program can do beside local mode.
pub(crate) const FEATURES: &str = if cfg!(feature = "cluster") {
    "cluster"
} else {
    "local only"
};

static SHORT: LazyLock<String> = LazyLock::new(|| format!("{VERSION} ({COMMIT})"));
static LONG: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{VERSION}\ncommit:     {COMMIT}\nfeatures:   {FEATURES}\nproviders:  {}\ngenerators: {}",
        *PROVIDERS, *GENERATORS
    )
});
static PROVIDERS: LazyLock<String> = LazyLock::new(|| {
    let entries = lockstep_provider_registry::registry().iter();
    let mut names: Vec<&str> = entries
        .map(lockstep_provider_registry::Entry::name)
        .collect();
    names.sort_unstable();
    names.join(",")
});
static GENERATORS: LazyLock<String> = LazyLock::new(|| {
    let kinds = lockstep_generators::kinds().map(lockstep_provider_api::GeneratorEntry::kind);
    kinds
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join(",")
});

/// What `-V` prints after the name.
pub(crate) fn short() -> &'static str {
    &SHORT
}

/// What `--version` prints after the name.
pub(crate) fn long() -> &'static str {
    &LONG
}

/// Providers compiled in, separated by commas.
#[cfg(feature = "cluster")]
pub(crate) fn providers() -> &'static str {
    &PROVIDERS
}

/// Logs what starts, and shows it as a metric.
#[cfg(feature = "cluster")]
pub(crate) fn announce(process: &'static str, metrics: &lockstep_runtime::metrics::Metrics) {
    metrics.add_rows(std::sync::Arc::new(info::BuildInfo));
    tracing::info!(
        process,
        version = VERSION,
        commit = COMMIT,
        providers = providers(),
        "starting"
    );
}

#[cfg(feature = "cluster")]
mod info;
