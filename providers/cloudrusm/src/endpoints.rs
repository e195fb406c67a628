//! Where Cloud.ru's services are found: from the settings of the operator, or from the list that Cloud.ru
//! publishes.

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Address;
use lockstep_provider_kit::error::not_absence;
use serde::Deserialize;

use crate::api::PROVIDER;

const DISCOVERY: &str = "https://api.cloud.ru/endpoints";
const DISCOVERY_VARIABLE: &str = "CLOUDRU_DISCOVERY_URL";
const SECRETS_VARIABLE: &str = "CLOUDRU_CSM_ADDRESS";
const IAM_VARIABLE: &str = "CLOUDRU_IAM_ADDRESS";

/// Addresses of the two services.
pub(crate) struct Endpoints {
    pub(crate) iam: String,
    pub(crate) secrets: String,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
struct Endpoint {
    #[serde(default)]
    id: String,
    #[serde(default)]
    address: String,
}

impl Endpoints {
    /// Takes both addresses from the settings, or asks for the list.
    pub(crate) async fn find(ctx: &Ctx) -> Result<Self> {
        let found = Self::find_plainly(ctx).await;
        found.map_err(|error| error.context("parse endpoint URLs"))
    }

    async fn find_plainly(ctx: &Ctx) -> Result<Self> {
        let url = ctx.variable(DISCOVERY_VARIABLE);
        let url = url.as_deref().unwrap_or(DISCOVERY);
        check_scheme(url)?;
        let given = (ctx.variable(IAM_VARIABLE), ctx.variable(SECRETS_VARIABLE));
        if let (Some(iam), Some(secrets)) = given {
            return Ok(Self { iam, secrets });
        }
        let listed = list(url, ctx).await;
        let listed = ctx.counted(PROVIDER, "GetEndpoints", listed);
        let listed = listed
            .map_err(|error| not_absence(error).context("discover cloud.ru API endpoints"))?;
        Ok(Self {
            secrets: listed.address("secret-manager")?,
            iam: listed.address("iam")?,
        })
    }
}

impl Listed {
    fn address(&self, id: &str) -> Result<String> {
        let found = self.endpoints.iter().find(|endpoint| endpoint.id == id);
        let address = found.map(|endpoint| endpoint.address.clone());
        address.ok_or_else(|| Error::invalid_data(format!("{id} API is not available")))
    }
}

fn check_scheme(url: &str) -> Result<()> {
    Address::new(DISCOVERY_VARIABLE, url)
        .map(drop)
        .map_err(|error| {
            let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
            error.map_message(|_| {
                format!("invalid scheme in discovery URL, expected http or https, got {scheme}")
            })
        })
}

async fn list(url: &str, ctx: &Ctx) -> Result<Listed> {
    let answer = ctx.http(&Tls::default())?.get(url).send().await;
    let answer = answer.map_err(|error| error.context("get cloud.ru endpoints"))?;
    if let Some(error) = answer.error() {
        let status = answer.status().as_u16();
        return Err(error
            .map_message(|_| format!("get cloud.ru endpoints: unexpected status code {status}")));
    }
    let listed = answer.json();
    listed.map_err(|error| error.context("decode cloud.ru endpoints"))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use lockstep_provider_api::conformance::{response, scripted, services};

    use super::*;

    fn found(status: u16, body: &'static str) -> Result<Endpoints> {
        let services = services().plugged(scripted(move |request| {
            assert_eq!(request.uri(), DISCOVERY);
            response(status, body)
        }));
        Endpoints::find(&services.ctx("s")).now_or_never().unwrap()
    }

    #[test]
    fn the_published_list_names_both_services() {
        let list = r#"{"endpoints":[{"id":"iam","address":"iam.test:443"},
            {"id":"secret-manager","address":"sm.test:443"}]}"#;

        let endpoints = found(200, list).unwrap();

        assert_eq!(endpoints.iam, "iam.test:443");
        assert_eq!(endpoints.secrets, "sm.test:443");
    }

    #[test]
    fn a_list_that_does_not_come_or_lacks_a_service_is_told() {
        let text = |status, body| found(status, body).err().unwrap().to_string();

        assert_eq!(
            text(503, ""),
            "parse endpoint URLs: discover cloud.ru API endpoints: get cloud.ru endpoints: \
             unexpected status code 503"
        );
        assert_eq!(
            text(200, "{}"),
            "parse endpoint URLs: secret-manager API is not available"
        );
        let missing = found(404, "").err().unwrap();
        assert!(!missing.consequence().absent);
    }
}
