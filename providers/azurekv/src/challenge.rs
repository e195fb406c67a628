//! What a vault says when it is asked without a token, or with a wrong one: the tenant that it
//! trusts and the audience that it wants.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;

/// The header `WWW-Authenticate` of a vault.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The address to sign in at; its last part is the tenant.
    pub(crate) authorization: Option<String>,
    pub(crate) resource: Option<String>,
}

impl Challenge {
    /// The challenge in an answer, where there is one.
    pub(crate) fn of(answer: &Answer) -> Option<Self> {
        answer.header("www-authenticate").and_then(Self::parse)
    }

    fn parse(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut challenge = Self::default();
        for part in rest.split(',') {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            let value = Some(value.trim().trim_matches('"').to_owned());
            match name.trim() {
                "authorization" | "authorization_uri" => challenge.authorization = value,
                "resource" | "scope" => challenge.resource = value,
                _ => {}
            }
        }
        Some(challenge)
    }

    /// The tenant that the vault trusts.
    pub(crate) fn tenant(&self) -> Option<&str> {
        let address = self.authorization.as_deref()?.trim_end_matches('/');
        address
            .rsplit('/')
            .next()
            .filter(|tenant| !tenant.is_empty())
    }
}

/// The audience that a challenge names, if the vault's own host belongs to it: a server must not
/// get a token that works somewhere else.
pub(crate) fn trusted(challenge: &Challenge, host: &str) -> Result<String> {
    let resource = challenge.resource.as_deref().unwrap_or_default();
    let resource = resource.trim_end_matches("/.default").trim_end_matches('/');
    let domain = resource.split("://").nth(1).unwrap_or(resource);
    let is_own = !domain.is_empty() && host.ends_with(&format!(".{domain}"));
    if is_own {
        return Ok(resource.to_owned());
    }
    Err(Error::invalid_data(format!(
        "vault {host} wants a token for {resource:?}, which its own name does not belong to"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenant_and_audience_are_read_from_the_header() {
        let header =
            r#"Bearer authorization="https://login.example/t-1", resource="https://vault.example""#;
        let challenge = Challenge::parse(header).unwrap();

        assert_eq!(challenge.tenant(), Some("t-1"));
        assert_eq!(
            trusted(&challenge, "v.vault.example").unwrap(),
            "https://vault.example"
        );
        assert_eq!(Challenge::parse("Basic realm=x"), None);
    }

    #[test]
    fn an_audience_of_another_domain_is_refused() {
        let challenge = Challenge {
            authorization: None,
            resource: Some("https://vault.azure.net".to_owned()),
        };

        for host in [
            "v.evil.example",
            "xvault.azure.net",
            "vault.azure.net.evil.example",
        ] {
            assert!(trusted(&challenge, host).is_err(), "{host}");
        }
        assert!(trusted(&Challenge::default(), "v.vault.example").is_err());
    }
}
