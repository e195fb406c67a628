//! The first decision about a store: leave it alone, refuse it for what its spec says, or check it.

use std::time::Duration;

use lockstep_api::messages;
use lockstep_api::store::{IntOrString, SecretStoreSpec};
use lockstep_golang::duration::Duration as GoDuration;
use serde_json::Value;

use super::StoreObject;
use crate::cause::Cause;
use crate::settings::Settings;

/// Condition message of an interval that cannot be read.
const INVALID_INTERVAL: &str = "invalid refreshInterval";

/// What to do with a store.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreDecision {
    /// Nothing: it belongs to another controller class.
    Skip,
    /// Report this, without a check.
    Refuse(StoreFailure),
    /// Connect to it and check it.
    Check {
        /// Key under `spec.provider`.
        provider: String,
        /// The provider's settings.
        settings: Value,
        /// Time until the next check.
        interval: Duration,
    },
}

/// A store that cannot be checked because of its own spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFailure {
    /// Constant text in front of the condition's message.
    pub message: &'static str,
    /// Why, as one word.
    pub cause: Cause,
    /// Text of the event, and detail of the condition.
    pub text: String,
}

/// Decides what to do with a store.
pub fn decide<'a>(store: impl Into<StoreObject<'a>>, settings: &Settings) -> StoreDecision {
    let store = store.into();
    if store.class().is_some_and(|class| class != settings.class) {
        return StoreDecision::Skip;
    }
    let own = match interval(store.spec) {
        Ok(own) => own,
        Err(text) => return refuse(INVALID_INTERVAL, text),
    };
    match store.spec.provider.only() {
        Ok((provider, raw)) => StoreDecision::Check {
            provider: provider.to_owned(),
            settings: raw.clone(),
            interval: own.unwrap_or(settings.store_requeue),
        },
        Err(error) => {
            let text = no_provider(store.name(), &error);
            refuse(messages::STORE_NO_CLIENT, text)
        }
    }
}

fn refuse(message: &'static str, text: String) -> StoreDecision {
    StoreDecision::Refuse(StoreFailure {
        message,
        cause: Cause::INVALID_SPEC,
        text,
    })
}

/// Text about a store that names no provider, or several.
pub(crate) fn no_provider(name: &str, error: &impl std::fmt::Display) -> String {
    format!("store error for {name}: {error}")
}

/// The interval a store asks for; unset and zero ask for none.
pub fn interval(spec: &SecretStoreSpec) -> Result<Option<Duration>, String> {
    let (written, duration) = match &spec.refresh_interval {
        None => return Ok(None),
        Some(IntOrString::Int(seconds)) => (seconds.to_string(), GoDuration::from_secs(*seconds)),
        Some(IntOrString::Text(text)) => {
            let parsed = GoDuration::parse(text);
            let duration =
                parsed.map_err(|error| format!("invalid refreshInterval {text:?}: {error}"))?;
            (format!("{text:?}"), duration)
        }
    };
    let Some(duration) = duration.to_std() else {
        return Err(format!(
            "invalid refreshInterval {written}: must not be negative"
        ));
    };
    Ok(Some(duration).filter(|duration| !duration.is_zero()))
}
