//! `QuayAccessToken`: a token of a Quay robot account, traded in for a token of a ServiceAccount.
//! Quay ends it by itself; nothing is taken back.

use std::time::Duration;

use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::Deserialize;

use crate::jwt_expiry::expiry;
use crate::refusal::refusal;

const DEFAULT_URL: &str = "quay.io";
/// Lifetime of the ServiceAccount's token, the API server's own default.
const LIFETIME: Duration = Duration::from_hours(1);

/// `spec` of a QuayAccessToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    #[serde(default)]
    url: String,
    robot_account: String,
    service_account_ref: ServiceAccountSelector,
}

#[derive(Deserialize)]
struct Answer {
    token: Option<String>,
}

pub(crate) struct QuayAccessToken;

impl Generator for QuayAccessToken {
    const KIND: &'static str = "QuayAccessToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let identity = ctx.service_account_token(&spec.service_account_ref, &[], LIFETIME);
        let identity = identity.await.map_err(|error| {
            error.context("failed to fetch service account token: failed to create token")
        })?;
        let registry = spec
            .url
            .trim_start_matches("https://")
            .trim_end_matches('/');
        let registry = if registry.is_empty() {
            DEFAULT_URL
        } else {
            registry
        };
        let url = format!("https://{registry}/oauth2/federation/robot/token");
        let request = ctx.http(&Tls::default())?.get(url);
        let answer = request.basic(&spec.robot_account, &identity).send().await?;
        if let Some(error) = refusal(&answer, |_| {
            format!(
                "request failed do to unexpected status: {}",
                answer.status()
            )
        }) {
            return Err(error);
        }
        let token = answer.json::<Answer>()?.token;
        let token = token.ok_or_else(|| Error::invalid_data("token not found in response"))?;
        let (seconds, expires) = expiry(&token)?;
        let auth = encode(
            Encoding::Standard,
            format!("{}:{token}", spec.robot_account),
        );
        Ok(Generated {
            values: SecretMap::from_iter([
                ("registry".to_owned(), SecretValue::from(registry)),
                ("auth".to_owned(), SecretValue::from(auth)),
                ("expiry".to_owned(), SecretValue::from(seconds)),
            ]),
            state: None,
            expires: Some(expires),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, always};

    const KIND: &str = "QuayAccessToken";
    const TOKEN: &str = "e30.eyJleHAiOjIwMDAwMDAwMDB9.c2ln";

    fn spec(name: &str) -> serde_json::Value {
        json!({
            "url": "https://quay.example/",
            "robotAccount": "org+robot",
            "serviceAccountRef": { "name": name, "audiences": ["quay"] },
        })
    }

    #[test]
    fn the_identity_of_the_service_account_is_traded_in() {
        let bench = Bench::new()
            .service_account("sa")
            .server(always(200, &json!({ "token": TOKEN }).to_string()));

        let made = bench.generate(KIND, &spec("sa")).unwrap();

        assert_eq!(made.0.expires.unwrap().as_second(), 2_000_000_000);
        let values = made.texts();
        assert_eq!(values[1], ("expiry".to_owned(), "2000000000".to_owned()));
        assert_eq!(
            values[2],
            ("registry".to_owned(), "quay.example".to_owned())
        );
        let seen = &bench.seen()[0];
        assert_eq!(
            seen.line,
            "GET https://quay.example/oauth2/federation/robot/token"
        );
        assert!(seen.header("authorization").starts_with("Basic "));
    }

    #[test]
    fn refusals_and_nonsense_are_told_apart() {
        let table = [
            (401, "{}", "unexpected status: 401 Unauthorized"),
            (404, "{}", "unexpected status: 404 Not Found"),
            (200, "{}", "token not found in response"),
            (200, r#"{"token":"opaque"}"#, "no JSON web token"),
        ];

        for (status, body, text) in table {
            let bench = Bench::new()
                .service_account("sa")
                .server(always(status, body));
            let error = bench.generate(KIND, &spec("sa")).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_service_account_that_is_not_there_is_named() {
        let error = Bench::new().generate(KIND, &spec("none")).unwrap_err();

        assert_eq!(
            error,
            "failed to fetch service account token: failed to create token: \
             serviceaccounts \"none\" not found"
        );
    }
}
