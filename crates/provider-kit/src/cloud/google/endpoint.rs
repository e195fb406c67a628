//! Addresses of Google's services. Each can be replaced by a setting of the operator, never by a
//! manifest; names of secrets, audiences and scopes stay those of Google.

use lockstep_provider_api::prelude::*;

/// A service whose address can be changed.
#[derive(Clone, Copy, Debug)]
pub enum Endpoint {
    /// Secret Manager.
    SecretManager,
    /// The security token service.
    Sts,
    /// IAM Credentials.
    IamCredentials,
    /// Tokens of GKE clusters.
    SecureToken,
}

impl Endpoint {
    const fn variable(self) -> &'static str {
        match self {
            Self::SecretManager => "ESO_GCP_SM_ENDPOINT",
            Self::Sts => "ESO_GCP_STS_ENDPOINT",
            Self::IamCredentials => "ESO_GCP_IAMCREDENTIALS_ENDPOINT",
            Self::SecureToken => "ESO_GCP_SECURETOKEN_ENDPOINT",
        }
    }

    /// A URL of the service, at the address that replaces the usual one where there is such.
    pub fn url(self, usual: &str, ctx: &Ctx) -> Result<String> {
        let Some(own) = ctx.variable(self.variable()) else {
            return Ok(usual.to_owned());
        };
        if !own.starts_with("http://") && !own.starts_with("https://") {
            return Err(Error::invalid_spec(format!(
                "{} is {own:?}; it must begin with http:// or https://",
                self.variable()
            )));
        }
        let host = usual.find("://").map_or(0, |at| at + 3);
        let path = usual[host..].find('/').map_or("", |at| &usual[host + at..]);
        Ok(format!("{}{path}", own.trim_end_matches('/')))
    }
}

/// The base of the metadata server's URLs. Google's libraries use the address, so that no name
/// server can lead them elsewhere.
pub fn metadata(ctx: &Ctx) -> String {
    let host = ctx.variable("GCE_METADATA_HOST");
    let host = host.unwrap_or_else(|| "169.254.169.254".to_owned());
    format!("http://{host}/computeMetadata/v1")
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::services;
    use lockstep_provider_api::{Services, Variables};

    use super::*;

    fn ctx(variables: &[(&str, &str)]) -> Ctx {
        let usual = services();
        let shared = usual.shared();
        let own = Services {
            objects: std::sync::Arc::clone(&shared.objects),
            transports: std::sync::Arc::clone(&shared.transports),
            time: std::sync::Arc::clone(&shared.time),
            calls: std::sync::Arc::clone(&shared.calls),
            ambient: false,
            variables: variables.iter().copied().collect::<Variables>(),
            shared: lockstep_provider_api::Shared::default(),
        };
        let name = lockstep_provider_api::StoreName {
            namespace: None,
            name: "store".to_owned(),
        };
        Ctx::new(own.into(), name, Scope::Cluster { caller: None })
    }

    #[test]
    fn a_setting_replaces_the_host_and_keeps_the_path() {
        let ctx = ctx(&[("ESO_GCP_STS_ENDPOINT", "http://127.0.0.1:1/")]);

        let url = Endpoint::Sts.url("https://sts.googleapis.com/v1/token", &ctx);

        assert_eq!(url.unwrap(), "http://127.0.0.1:1/v1/token");
    }

    #[test]
    fn a_setting_that_is_no_address_is_refused() {
        let ctx = ctx(&[("ESO_GCP_SM_ENDPOINT", "localhost:1")]);

        let error = Endpoint::SecretManager.url("https://x", &ctx).unwrap_err();

        assert!(error.to_string().contains("ESO_GCP_SM_ENDPOINT"), "{error}");
    }
}
