//! The API of BeyondTrust Workload Credentials, which a provider and a generator speak: the address of a site,
//! the headers of every request and the text of a refusal. Which paths are asked is the caller's affair.

use lockstep_provider_api::http::{Answer, HttpClient, Method, Tls};
use lockstep_provider_api::prelude::*;

use crate::address::Address;
use crate::error::described;
use crate::ids::is_uuid;

const API_VERSION: &str = "2026-04-28";
const API_DOCS: &str = "https://docs.beyondtrust.com/bt-docs/docs/secrets-api";

/// The address of the API of a site.
pub fn site_address(api_url: &str, site_id: &str) -> Result<Address> {
    let refused = |text: String| Err(Error::invalid_spec(format!("invalid apiUrl: {text}")));
    match api_url.split_once("://") {
        _ if api_url.is_empty() => return refused("apiUrl cannot be empty".to_owned()),
        None => return refused("apiUrl must include a scheme (https)".to_owned()),
        Some(("https", host)) if !host.is_empty() => {}
        Some(("https", _)) => return refused("apiUrl must include a host".to_owned()),
        Some((scheme, _)) => {
            return refused(format!("apiUrl must use https scheme, got {scheme:?}"));
        }
    }
    if !is_version_4(site_id) {
        return Err(Error::invalid_spec(format!(
            "invalid siteId: siteId must be a valid UUID format, got {site_id:?}"
        )));
    }
    let api = api_url.trim_end_matches('/');
    Address::new("apiUrl", &format!("{api}/{site_id}/secrets"))
}

/// Whether a UUID says that it is random.
fn is_version_4(text: &str) -> bool {
    let at = |index: usize| text.as_bytes().get(index).copied().unwrap_or_default();
    is_uuid(text) && at(14) == b'4' && b"89abAB".contains(&at(19))
}

/// A client of one site.
pub struct Site {
    http: HttpClient,
    base: Address,
    token: SecretValue,
}

impl Site {
    /// A client that sends a token.
    pub fn new(ctx: &Ctx, base: Address, token: SecretValue, tls: &Tls) -> Result<Self> {
        Ok(Self {
            http: ctx.http(tls)?,
            base,
            token,
        })
    }

    /// The address of the site.
    pub fn base(&self) -> &Address {
        &self.base
    }

    /// Sends a request to a path below the site, whose parts are encoded, with the parameters that have a
    /// value. `place` is what a refusal names.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        place: &str,
    ) -> Result<Answer> {
        let mut request = self.http.request(method, self.base.join(path));
        for (name, value) in query.iter().filter(|pair| !pair.1.is_empty()) {
            request = request.query(name, value);
        }
        let request = request
            .bearer(&self.token)
            .header("bt-secrets-api-version", API_VERSION)
            .header("content-type", "application/json")
            .accept_json();
        let answer = request.send().await?;
        described(answer, |answer| {
            let (status, said) = (answer.status().as_u16(), said(answer));
            format!("API error (HTTP {status}): {said} at path {place:?} (see {API_DOCS})")
        })
    }
}

fn said(answer: &Answer) -> String {
    match (answer.detail("/error"), answer.detail("/message")) {
        (Some(error), Some(message)) => format!("{error}: {message}"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => "unexpected response".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: &str = "12345678-1234-4234-8234-123456789012";

    #[test]
    fn the_address_of_a_site_ends_in_secrets() {
        let base = site_address("https://bt.test/api/", SITE).unwrap();

        assert_eq!(base.as_str(), format!("https://bt.test/api/{SITE}/secrets"));
    }

    #[test]
    fn other_addresses_and_ids_are_refused_by_their_fields() {
        for url in ["", "bt.test", "http://bt.test", "https://"] {
            let error = site_address(url, SITE).unwrap_err();
            assert!(error.to_string().starts_with("invalid apiUrl: "), "{url}");
        }
        for id in ["", "site", "12345678-1234-1234-8234-123456789012"] {
            let error = site_address("https://bt.test", id).unwrap_err();
            assert!(error.to_string().starts_with("invalid siteId: "), "{id}");
        }
    }
}
