//! `CloudsmithAccessToken`: a token of a Cloudsmith service, traded in for a token of a
//! ServiceAccount. Cloudsmith ends it by itself; nothing is taken back.

use std::time::Duration;

use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::http::{Answer, StatusCode, Tls};
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::{Deserialize, Serialize};

use crate::jwt_expiry::expiry;
use crate::refusal::refusal;

const DEFAULT_URL: &str = "https://api.cloudsmith.io";
/// Lifetime of the ServiceAccount's token, the API server's own default.
const LIFETIME: Duration = Duration::from_hours(1);

/// `spec` of a CloudsmithAccessToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    #[serde(default)]
    api_url: String,
    org_slug: String,
    service_slug: String,
    service_account_ref: ServiceAccountSelector,
}

#[derive(Serialize)]
struct Exchange<'a> {
    oidc_token: &'a str,
    service_slug: &'a str,
}

#[derive(Deserialize)]
struct Exchanged {
    #[serde(default)]
    token: String,
}

pub(crate) struct CloudsmithAccessToken;

impl Generator for CloudsmithAccessToken {
    const KIND: &'static str = "CloudsmithAccessToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let identity = ctx.service_account_token(&spec.service_account_ref, &[], LIFETIME);
        let identity = identity.await.map_err(|error| {
            error.context("failed to fetch service account token: failed to create token")
        })?;
        let exchange = Exchange {
            oidc_token: identity.expose_utf8()?,
            service_slug: &spec.service_slug,
        };
        let base = if spec.api_url.is_empty() {
            DEFAULT_URL
        } else {
            spec.api_url.trim_end_matches('/')
        };
        let url = format!("{base}/openid/{}/", spec.org_slug);
        let request = ctx.http(&Tls::default())?.post(url).json(&exchange);
        let answer = request.send().await?;
        let token = token(&answer);
        let token = token.map_err(|error| error.context("unable to exchange OIDC token"))?;
        let (seconds, expires) = expiry(&token)?;
        let auth = encode(Encoding::Standard, format!("token:{token}"));
        Ok(Generated {
            values: SecretMap::from_iter([
                ("auth".to_owned(), SecretValue::from(auth)),
                ("expiry".to_owned(), SecretValue::from(seconds)),
            ]),
            state: None,
            expires: Some(expires),
        })
    }
}

fn token(answer: &Answer) -> Result<String> {
    let unexpected = || {
        let status = answer.status();
        format!("request failed due to unexpected status: {status}")
    };
    if let Some(error) = refusal(answer, |_| unexpected()) {
        return Err(error);
    }
    if answer.status() != StatusCode::CREATED {
        return Err(Error::invalid_data(unexpected()));
    }
    let exchanged: Exchanged = answer.json()?;
    if exchanged.token.is_empty() {
        return Err(Error::invalid_data("token not found in response"));
    }
    Ok(exchanged.token)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, always};

    const KIND: &str = "CloudsmithAccessToken";
    const TOKEN: &str = "e30.eyJleHAiOjIwMDAwMDAwMDB9.c2ln";

    fn spec() -> serde_json::Value {
        json!({
            "apiUrl": "https://cloudsmith.example/",
            "orgSlug": "acme",
            "serviceSlug": "eso",
            "serviceAccountRef": { "name": "sa", "audiences": ["cloudsmith"] },
        })
    }

    #[test]
    fn the_identity_of_the_service_account_is_traded_in() {
        let bench = Bench::new()
            .service_account("sa")
            .server(always(201, &json!({ "token": TOKEN }).to_string()));

        let made = bench.generate(KIND, &spec()).unwrap();

        assert_eq!(made.0.expires.unwrap().as_second(), 2_000_000_000);
        let keys: Vec<&str> = made.0.values.keys().collect();
        assert_eq!(keys, ["auth", "expiry"]);
        let seen = &bench.seen()[0];
        assert_eq!(seen.line, "POST https://cloudsmith.example/openid/acme/");
        let body = r#"{"oidc_token":"token:conformance/sa:cloudsmith","service_slug":"eso"}"#;
        assert_eq!(seen.body, body);
    }

    #[test]
    fn refusals_and_nonsense_are_told_apart() {
        let table = [
            (
                403,
                "{}",
                "unable to exchange OIDC token: request failed due to unexpected status: 403",
            ),
            (200, "{}", "unexpected status: 200 OK"),
            (201, "{}", "token not found in response"),
            (201, "<html>", "not the JSON expected"),
        ];

        for (status, body, text) in table {
            let bench = Bench::new()
                .service_account("sa")
                .server(always(status, body));
            let error = bench.generate(KIND, &spec()).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }
}
