//! `spec.provider.passbolt`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Resources of a Passbolt server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassboltSpec {
    /// The user to sign in as.
    pub auth: Auth,
    /// Certificate authorities to trust, as PEM or base64 of PEM.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// Where the certificate authorities to trust are kept.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Address of the server, for example `https://passbolt.example.com`.
    pub host: String,
}

/// The user to sign in as.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The passphrase of the private key.
    pub password_secret_ref: SecretKeySelector,
    /// The user's private key, armored.
    pub private_key_secret_ref: SecretKeySelector,
}

impl PassboltSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        let invalid = |text: &str| Err(Error::invalid_spec(text));
        if !is_complete(&self.auth.password_secret_ref) {
            return invalid("missing: spec.provider.passbolt.auth.passwordSecretRef");
        }
        if !is_complete(&self.auth.private_key_secret_ref) {
            return invalid("missing: spec.provider.passbolt.auth.privateKeySecretRef");
        }
        if self.host.is_empty() {
            return invalid("missing: spec.provider.passbolt.host");
        }
        let scheme = self.host.split_once(':').map(|(scheme, _)| scheme);
        if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")) {
            return invalid("host Url has to be https scheme");
        }
        Ok(Warnings::new())
    }
}

fn is_complete(selector: &SecretKeySelector) -> bool {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    given(&selector.name) && given(&selector.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(edit: impl FnOnce(&mut PassboltSpec)) -> String {
        let selector = SecretKeySelector {
            name: Some("passbolt".to_owned()),
            key: Some("k".to_owned()),
            ..SecretKeySelector::default()
        };
        let mut spec = PassboltSpec {
            auth: Auth {
                password_secret_ref: selector.clone(),
                private_key_secret_ref: selector,
            },
            ca_bundle: None,
            ca_provider: None,
            host: "https://passbolt.example.com".to_owned(),
        };
        edit(&mut spec);
        match spec.validate() {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_missing_part_is_named() {
        let password = refusal(|spec| spec.auth.password_secret_ref.key = None);
        let key = refusal(|spec| spec.auth.private_key_secret_ref.name = None);
        let host = refusal(|spec| spec.host.clear());

        assert!(password.ends_with("auth.passwordSecretRef"), "{password}");
        assert!(key.ends_with("auth.privateKeySecretRef"), "{key}");
        assert_eq!(host, "missing: spec.provider.passbolt.host");
    }

    #[test]
    fn only_https_is_taken() {
        let plain = refusal(|spec| spec.host = "http://passbolt.example.com".to_owned());

        assert_eq!(plain, "host Url has to be https scheme");
        assert_eq!(refusal(|spec| spec.host.make_ascii_uppercase()), "");
    }
}
