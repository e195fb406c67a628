//! Logs at the start what is accepted but not served: stores of providers that are not in this build,
//! and kinds that a flag switched off. Each such store has a condition and a Warning event from its
//! own check; this is the line that counts them.

pub(super) mod kinds;

use std::collections::BTreeMap;

use lockstep_index::Index;
use lockstep_plan::StoreKind;
use lockstep_reconcile::store::is_left_out;

/// Logs how many stores are not served, by kind and provider.
pub(super) fn log_stores(index: &Index, class: &str) {
    for kind in [StoreKind::SecretStore, StoreKind::ClusterSecretStore] {
        log_kind(index, kind, class);
    }
}

fn log_kind(index: &Index, kind: StoreKind, class: &str) {
    let stores = index.stores();
    let ours = stores
        .of_kind(kind)
        .filter(|store| !store.view.is_foreign_to(class));
    let providers = ours.filter_map(|store| Some(store.spec.provider.only().ok()?.0));
    let left_out = providers.filter(|provider| is_left_out(provider));
    if let Some(text) = summary(kind, left_out) {
        tracing::warn!("{text}");
    }
}

/// `14 SecretStores of provider x, 2 of provider y are not served by this build`; `None` without any.
fn summary<'a>(kind: StoreKind, providers: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for provider in providers {
        *counts.entry(provider).or_default() += 1;
    }
    let total: usize = counts.values().sum();
    let mut counts = counts.into_iter();
    let (first, count) = counts.next()?;
    let mut parts = vec![format!(
        "{count} {kind}{} of provider {first}",
        plural(count)
    )];
    parts.extend(counts.map(|(provider, count)| format!("{count} of provider {provider}")));
    let verb = if total == 1 { "is" } else { "are" };
    let parts = parts.join(", ");
    Some(format!("{parts} {verb} not served by this build"))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_that_are_not_served_are_counted_by_provider() {
        let tell = |providers: &[&str]| summary(StoreKind::SecretStore, providers.iter().copied());

        assert_eq!(tell(&[]), None);
        assert_eq!(
            tell(&["x"]).as_deref(),
            Some("1 SecretStore of provider x is not served by this build")
        );
        assert_eq!(
            tell(&["y", "x", "x"]).as_deref(),
            Some("2 SecretStores of provider x, 1 of provider y are not served by this build")
        );
    }
}
