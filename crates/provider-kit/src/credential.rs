//! Credentials as manifests name them, beyond a plain `secretRef`: a value in place of a reference,
//! and keys with a default. Which namespace a reference means is decided by the context.

use std::fmt;
use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// A value in the manifest itself, or a reference to a Secret.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretOrValue {
    /// Key of a Secret that holds the value.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// The value itself.
    #[serde(default)]
    pub value: Option<String>,
}

impl SecretOrValue {
    /// The value, where it is given and not empty, else that of the reference.
    pub async fn resolve(&self, ctx: &Ctx, field: &str) -> Result<SecretValue> {
        match (self.inline(), &self.secret_ref) {
            (Some(value), _) => Ok(SecretValue::from(value)),
            (None, Some(selector)) => ctx.secret(selector).await,
            (None, None) => Err(Error::invalid_spec(format!(
                "{field} needs a value or a secretRef"
            ))),
        }
    }

    /// Checks that exactly one of both is given, and the namespace of the reference.
    pub fn validate(&self, scope: &Scope, field: &str) -> Result<()> {
        match (self.inline(), &self.secret_ref) {
            (Some(_), None) => Ok(()),
            (None, Some(selector)) => scope.check_referent(selector.namespace.as_deref()),
            (Some(_), Some(_)) => Err(Error::invalid_spec(format!(
                "{field} has both a value and a secretRef: give one"
            ))),
            (None, None) => Err(Error::invalid_spec(format!(
                "{field} needs a value or a secretRef"
            ))),
        }
    }

    fn inline(&self) -> Option<&str> {
        self.value.as_deref().filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for SecretOrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretOrValue")
            .field("secret_ref", &self.secret_ref)
            .finish_non_exhaustive()
    }
}

/// The selector with a key, where it names none.
pub fn with_default_key(selector: &SecretKeySelector, key: &str) -> SecretKeySelector {
    let mut selector = selector.clone();
    if selector.key.as_deref().is_none_or(str::is_empty) {
        selector.key = Some(key.to_owned());
    }
    selector
}

/// A credential as text, such as a user name that goes into a path.
pub async fn text(ctx: &Ctx, selector: &SecretKeySelector) -> Result<String> {
    let value = ctx.secret(selector).await?;
    Ok(value.expose_utf8()?.to_owned())
}

/// A ServiceAccount token for an exchange: the selector's audiences, or `audience` where it has
/// none, and `extra` beside them.
pub async fn exchange_token(
    ctx: &Ctx,
    selector: &ServiceAccountSelector,
    audience: &str,
    extra: &[String],
    lifetime: Duration,
) -> Result<SecretValue> {
    let own = selector.audiences.as_deref().unwrap_or_default();
    let mut audiences = if own.is_empty() {
        vec![audience.to_owned()]
    } else {
        own.to_vec()
    };
    audiences.extend(extra.iter().cloned());
    let bare = ServiceAccountSelector {
        audiences: None,
        ..selector.clone()
    };
    ctx.service_account_token(&bare, &audiences, lifetime).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn either(value: &str, name: Option<&str>) -> SecretOrValue {
        SecretOrValue {
            value: Some(value.to_owned()),
            secret_ref: name.map(|name| SecretKeySelector {
                name: Some(name.to_owned()),
                ..SecretKeySelector::default()
            }),
        }
    }

    #[test]
    fn exactly_one_of_value_and_reference_is_taken() {
        let scope = Scope::Cluster { caller: None };
        let valid = |value, name| either(value, name).validate(&scope, "auth.key").is_ok();

        assert!(valid("v", None));
        assert!(valid("", Some("s")));
        assert!(!valid("", None));
        assert!(!valid("v", Some("s")));
    }

    #[test]
    fn an_inline_value_is_not_shown() {
        assert!(!format!("{:?}", either("hunter2", None)).contains("hunter2"));
    }

    #[test]
    fn a_key_that_is_given_stays() {
        let mut selector = SecretKeySelector::default();
        assert_eq!(with_default_key(&selector, "token").key.unwrap(), "token");

        selector.key = Some("other".to_owned());
        assert_eq!(with_default_key(&selector, "token").key.unwrap(), "other");
    }
}
