//! The check of a store: connects and asks the provider. What the answer means is decided in
//! `lockstep-plan`.

use std::time::Duration;

use lockstep_plan::Settings;
use lockstep_plan::store::{CheckOutcome, StoreDecision, decide};
use lockstep_provider_api::{Capabilities, Entry, Scope};
use lockstep_remote::{Connections, StoreRecord};

/// Checks a store; `None` when it belongs to another controller class.
pub async fn check(
    record: &StoreRecord,
    connections: &Connections,
    settings: &Settings,
) -> Option<CheckOutcome> {
    match decide(record.object(), settings) {
        StoreDecision::Skip => None,
        StoreDecision::Refuse(failure) => Some(CheckOutcome::Refused(failure)),
        StoreDecision::Check {
            provider,
            settings: raw,
            interval,
        } => Some(match lockstep_provider_registry::lookup(&provider) {
            Ok(entry) => ask(record, connections, entry, &raw, interval).await,
            Err(error) if error.is_left_out() => CheckOutcome::NotInBuild {
                text: error.to_string(),
            },
            Err(_) => CheckOutcome::UnknownProvider { provider },
        }),
    }
}

/// Whether the API has a provider that this build was made without.
pub fn is_left_out(provider: &str) -> bool {
    lockstep_provider_registry::lookup(provider).is_err_and(|error| error.is_left_out())
}

async fn ask(
    record: &StoreRecord,
    connections: &Connections,
    entry: &Entry,
    raw: &serde_json::Value,
    interval: Duration,
) -> CheckOutcome {
    match connections.reopen(record).await {
        Ok(connected) => CheckOutcome::Checked {
            check: connected.store.check().await,
            capabilities: entry.capabilities(raw).unwrap_or(Capabilities::NONE),
            stability: entry.stability(),
            interval,
            foreign_namespace: foreign_namespace(record, entry, raw),
        },
        Err(error) => CheckOutcome::NotConnected(error),
    }
}

/// A store that admission never saw may name another namespace. It reads its own, and says so.
fn foreign_namespace(
    record: &StoreRecord,
    entry: &Entry,
    raw: &serde_json::Value,
) -> Option<String> {
    let namespace = record.key.namespace.clone()?;
    entry.foreign_namespace(raw, &Scope::Namespaced { namespace })
}
