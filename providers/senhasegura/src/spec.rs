//! `spec.provider.senhasegura`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use http::Uri;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of an application in senhasegura's DSM.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SenhaseguraSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Whether any certificate of the server is taken. Leave it out where you can.
    #[serde(default)]
    pub ignore_ssl_certificate: bool,
    /// Module of senhasegura; there is `DSM`.
    pub module: String,
    /// Address of the server; its path is not looked at.
    pub url: String,
}

/// How to sign in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Id of the application's authorization.
    pub client_id: String,
    /// Secret of the application's authorization.
    pub client_secret_secret_ref: SecretKeySelector,
}

impl SenhaseguraSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        self.server()?;
        if self.auth.client_id.is_empty() {
            return Err(Error::invalid_spec(
                "missing senhasegura authentication Client ID",
            ));
        }
        if self.module != "DSM" {
            let module = &self.module;
            return Err(Error::invalid_spec(format!(
                "unknown senhasegura Provider Service: {module}"
            )));
        }
        Ok(Warnings::new())
    }

    /// The address without the path that a user may have copied from a browser.
    pub(crate) fn server(&self) -> Result<String> {
        let invalid = |text: &str| Error::invalid_spec(text);
        let url: Uri = self
            .url
            .parse()
            .map_err(|_| invalid("invalid senhasegura URL"))?;
        if url.scheme_str() != Some("https") {
            return Err(invalid(
                "invalid senhasegura URL, must be HTTPS for security reasons",
            ));
        }
        match url.authority() {
            Some(authority) => Ok(format!("https://{authority}")),
            None => Err(invalid("invalid senhasegura URL")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(url: &str) -> SenhaseguraSpec {
        SenhaseguraSpec {
            auth: Auth {
                client_id: "id".to_owned(),
                client_secret_secret_ref: SecretKeySelector::default(),
            },
            ignore_ssl_certificate: false,
            module: "DSM".to_owned(),
            url: url.to_owned(),
        }
    }

    #[test]
    fn the_path_of_the_address_is_left_out() {
        let server = spec("https://senhasegura.example:8443/flow/index.html?x=1").server();

        assert_eq!(server.unwrap(), "https://senhasegura.example:8443");
    }

    #[test]
    fn addresses_without_tls_or_host_are_refused() {
        let refusal = |url| spec(url).validate().unwrap_err().to_string();

        assert!(refusal("http://s.example").ends_with("must be HTTPS for security reasons"));
        assert!(refusal("s.example").ends_with("must be HTTPS for security reasons"));
        assert_eq!(refusal("https://"), "invalid senhasegura URL");
    }

    #[test]
    fn the_client_and_the_module_must_be_known() {
        let mut nobody = spec("https://s.example");
        nobody.auth.client_id.clear();
        let mut other = spec("https://s.example");
        other.module = "PAM".to_owned();

        let text = nobody.validate().unwrap_err().to_string();
        assert_eq!(text, "missing senhasegura authentication Client ID");
        let text = other.validate().unwrap_err().to_string();
        assert_eq!(text, "unknown senhasegura Provider Service: PAM");
    }
}
