//! `spec.provider.passworddepot`: its shape and its schema. Upstream has no static checks; what a
//! connection needs is found out when it is made.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::Address;
use schemars::JsonSchema;
use serde::Deserialize;

/// The port that the server's API always has.
const PORT: u16 = 8714;

/// Entries of a Password Depot database.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassworddepotSpec {
    /// How to sign in.
    pub auth: Auth,
    /// The database; a part of its name suffices.
    pub database: String,
    /// Host of the server.
    pub host: String,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// A user of the server.
    pub secret_ref: SecretRef,
}

/// A user of the server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// The Secret with the keys `username` and `password`; its own key is not looked at.
    #[serde(default)]
    pub credentials: SecretKeySelector,
}

impl PassworddepotSpec {
    /// The address of the API.
    pub(crate) fn address(&self) -> Result<Address> {
        let url = format!("https://{}:{PORT}/v1.0", self.host);
        let address = Address::new("spec.provider.passworddepot.host", &url);
        let is_plain = |c: char| !matches!(c, '/' | '@' | '?' | '#');
        if self.host.is_empty() || !self.host.chars().all(is_plain) {
            return Err(Error::invalid_spec(
                "spec.provider.passworddepot.host must be a host name without scheme and port",
            ));
        }
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str) -> Result<Address> {
        let spec = PassworddepotSpec {
            host: host.to_owned(),
            ..PassworddepotSpec::default()
        };
        spec.address()
    }

    #[test]
    fn the_port_is_the_servers_own() {
        let url = address("pd.test").unwrap();

        assert_eq!(url.as_str(), "https://pd.test:8714/v1.0");
    }

    #[test]
    fn a_host_is_no_address() {
        for host in ["", "https://pd.test", "pd.test/x", "a@pd.test"] {
            assert!(address(host).is_err(), "{host}");
        }
    }
}
