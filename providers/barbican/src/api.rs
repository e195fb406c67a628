//! The requests this provider makes to the key manager and the answers it understands: payloads and the list
//! of secrets. What a failure means is decided in `error`.

use lockstep_provider_api::http::{Method, Page, encode_key, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::not_absence;
use serde::Deserialize;

use crate::error::Asked;

/// A connection to a key manager.
pub(crate) struct Api {
    rest: Rest,
}

/// A secret without its payload.
#[derive(Deserialize)]
pub(crate) struct Secret {
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    secret_ref: String,
}

impl Secret {
    /// The last part of its address.
    pub(crate) fn id(&self) -> &str {
        self.secret_ref.rsplit('/').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    secrets: Vec<Secret>,
    #[serde(default)]
    next: Option<String>,
}

impl Api {
    pub(crate) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// The payload of a secret.
    pub(crate) async fn payload(&self, id: &str) -> Result<SecretValue> {
        let path = format!("/secrets/{}/payload", encode_key(id));
        let url = self.rest.base().join(&path);
        let asked = Asked {
            method: Method::GET,
            url: &url,
            expected: &[200],
        };
        let request = self.rest.get(&path).header("accept", "text/plain");
        let answer = self
            .rest
            .send("GetPayload", request, |answer| asked.check(answer));
        Ok(answer.await?.into_secret())
    }

    /// All secrets of the project.
    pub(crate) async fn list(&self) -> Result<Vec<Secret>> {
        let listed = pages(async |next: Option<String>| {
            let path = format!("/secrets{}", next.unwrap_or_default());
            let url = self.rest.base().join(&path);
            let asked = Asked {
                method: Method::GET,
                url: &url,
                expected: &[200, 204, 300],
            };
            let request = self.rest.get(&path).accept_json();
            let answer = self
                .rest
                .send("ListSecrets", request, |answer| asked.check(answer));
            let listed: Listed = answer.await?.json()?;
            Ok(Page {
                items: listed.secrets,
                next: listed.next.as_deref().and_then(query),
            })
        });
        listed.await.map_err(not_absence)
    }
}

/// The query of a link. The rest of it is not followed: a token goes to one server alone.
fn query(link: &str) -> Option<String> {
    let (_, query) = link.split_once('?')?;
    Some(format!("?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_query_of_a_link_is_followed() {
        let link = "https://elsewhere.test/v1/secrets?limit=2&offset=2";

        assert_eq!(query(link).unwrap(), "?limit=2&offset=2");
        assert_eq!(query(""), None);
    }

    #[test]
    fn an_id_is_the_last_part_of_an_address() {
        let of = |address: &str| Secret {
            name: None,
            secret_ref: address.to_owned(),
        };

        assert_eq!(of("https://km/v1/secrets/1-2").id(), "1-2");
        assert_eq!(of("").id(), "");
    }
}
