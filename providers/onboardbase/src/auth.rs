//! Both credentials of a store: the API key, which is sent, and the passcode, which opens what is read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::OnboardbaseSpec;

/// What signs requests.
pub(crate) async fn authenticator(spec: &OnboardbaseSpec, ctx: &Ctx) -> Result<StaticHeader> {
    let selector = &spec.auth.api_key_ref;
    let key = ctx.secret(selector).await;
    let key = key.map_err(|error| error.context("unable to find find OnboardbaseAPIKey secret"))?;
    let key = filled(key, "onboardbaseAPIKey", selector)?;
    Ok(StaticHeader::new(Scheme::header("api_key"), key))
}

/// The passcode, less a final line break.
pub(crate) async fn passcode(spec: &OnboardbaseSpec, ctx: &Ctx) -> Result<SecretValue> {
    let selector = &spec.auth.passcode_selector();
    let held = ctx.secret(selector).await;
    let held = held.map_err(|error| error.context("unable to find OnboardbasePasscode secret"))?;
    let held = SecretValue::from(held.without_final_newline());
    filled(held, "onboardbasePasscode", selector)
}

/// The value, unless it is empty.
fn filled(value: SecretValue, field: &str, selector: &SecretKeySelector) -> Result<SecretValue> {
    if !value.is_empty() {
        return Ok(value);
    }
    Err(Error::invalid_spec(format!(
        "auth.secretRef.{field}.key '{}' not found in secret '{}'",
        selector.key.as_deref().unwrap_or_default(),
        selector.name.as_deref().unwrap_or_default()
    )))
}
