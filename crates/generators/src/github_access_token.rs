//! `GithubAccessToken`: an installation token of a GitHub App. The app signs a short-lived token
//! with its private key and trades it in. The installation token ends after an hour and is not taken
//! back.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::refusal::refusal;

const DEFAULT_URL: &str = "https://api.github.com";
/// How far the app's own token reaches back, for clocks that differ, and ahead.
const BEFORE: i64 = 10;
const AFTER: i64 = 300;

/// `spec` of a GithubAccessToken.
#[derive(Deserialize)]
pub(crate) struct Spec {
    #[serde(default)]
    url: String,
    #[serde(rename = "appID")]
    app_id: String,
    #[serde(rename = "installID")]
    install_id: String,
    #[serde(default)]
    repositories: Vec<String>,
    permissions: Option<BTreeMap<String, String>>,
    auth: Auth,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Auth {
    private_key: PrivateKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PrivateKey {
    secret_ref: SecretKeySelector,
}

#[derive(Deserialize)]
struct Answer {
    token: Option<String>,
    expires_at: Option<Timestamp>,
}

pub(crate) struct GithubAccessToken;

impl Generator for GithubAccessToken {
    const KIND: &'static str = "GithubAccessToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let app_token = app_token(&spec, ctx).await;
        let app_token = app_token.map_err(|error| error.context("error creating request"))?;
        let base = if spec.url.is_empty() {
            DEFAULT_URL
        } else {
            spec.url.trim_end_matches('/')
        };
        let url = format!("{base}/app/installations/{}/access_tokens", spec.install_id);
        let mut request = ctx
            .http(&Tls::default())?
            .post(url)
            .bearer(&app_token)
            .header("accept", "application/vnd.github.v3+json");
        if let Some(body) = body(&spec) {
            request = request.json(&body);
        }
        let answer = request.send().await?;
        if let Some(error) = refusal(&answer, |status| match answer.detail("/message") {
            Some(text) => {
                format!("error generating token: response code: {status}, response: {text}")
            }
            None => format!(
                "error generating token, failed to extract error message from github request: \
                 response code: {status}"
            ),
        }) {
            return Err(error);
        }
        made(answer.json()?)
    }
}

async fn app_token(spec: &Spec, ctx: &Ctx) -> Result<SecretValue> {
    let pem = ctx.secret(&spec.auth.private_key.secret_ref).await;
    let pem = pem.map_err(|error| error.context("error getting GH pem from secret"))?;
    let key = RsaKey::from_pem(&pem);
    let key = key.map_err(|error| error.context("error parsing RSA private key"))?;
    let now = ctx.now().as_second();
    let claims = json!({ "iss": spec.app_id, "iat": now - BEFORE, "exp": now + AFTER });
    key.sign(&json!({ "alg": "RS256", "typ": "JWT" }), &claims)
}

/// What the token is limited to. Without limits the request has no body.
fn body(spec: &Spec) -> Option<Value> {
    let mut body = Map::new();
    if let Some(permissions) = &spec.permissions {
        body.insert("permissions".to_owned(), json!(permissions));
    }
    if !spec.repositories.is_empty() {
        body.insert("repositories".to_owned(), json!(spec.repositories));
    }
    (!body.is_empty()).then_some(Value::Object(body))
}

fn made(answer: Answer) -> Result<Generated> {
    let token = answer.token.filter(|token| !token.is_empty());
    let token = token
        .ok_or_else(|| Error::invalid_data("token isn't a string or token key doesn't exist"))?;
    Ok(Generated {
        values: SecretMap::from_iter([("token".to_owned(), SecretValue::from(token))]),
        state: None,
        expires: answer.expires_at,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Bench, always};

    const KEY: &str = include_str!("testing/rsa.pem");
    const KIND: &str = "GithubAccessToken";

    fn spec() -> serde_json::Value {
        json!({
            "appID": "17",
            "installID": "42",
            "url": "https://github.example/api/v3/",
            "auth": { "privateKey": { "secretRef": { "name": "creds", "key": "pem" } } },
        })
    }

    #[test]
    fn the_token_comes_with_its_end() {
        let bench = Bench::new().secret("creds", &[("pem", KEY)]).server(always(
            201,
            r#"{"token":"ghs_1","expires_at":"2030-01-01T00:00:00Z"}"#,
        ));

        let made = bench.generate(KIND, &spec()).unwrap();

        assert_eq!(made.texts(), [("token".to_owned(), "ghs_1".to_owned())]);
        assert_eq!(made.0.expires.unwrap().to_string(), "2030-01-01T00:00:00Z");
        assert!(made.0.state.is_none());
        let seen = &bench.seen()[0];
        let path = "/api/v3/app/installations/42/access_tokens";
        assert_eq!(seen.line, format!("POST https://github.example{path}"));
        assert_eq!(seen.header("accept"), "application/vnd.github.v3+json");
        assert!(seen.header("authorization").starts_with("Bearer ey"));
        assert_eq!((seen.header("content-type"), &*seen.body), ("", ""));
    }

    #[test]
    fn limits_are_sent() {
        let bench = Bench::new()
            .secret("creds", &[("pem", KEY)])
            .server(always(201, r#"{"token":"t"}"#));
        let mut limited = spec();
        limited["repositories"] = json!(["a"]);
        limited["permissions"] = json!({ "contents": "read" });

        bench.generate(KIND, &limited).unwrap();

        let body = r#"{"permissions":{"contents":"read"},"repositories":["a"]}"#;
        assert_eq!(bench.seen()[0].body, body);
    }

    #[test]
    fn refusals_and_nonsense_are_told_apart() {
        let table = [
            (
                401,
                r#"{"message":"bad JWT"}"#,
                "response code: 401, response: bad JWT",
            ),
            (
                404,
                r#"{"message":"Not Found"}"#,
                "response code: 404, response: Not Found",
            ),
            (
                503,
                "busy",
                "failed to extract error message from github request: response code: 503",
            ),
            (
                201,
                r"{}",
                "token isn't a string or token key doesn't exist",
            ),
            (201, "nonsense", "not the JSON expected"),
        ];

        for (status, body, text) in table {
            let bench = Bench::new()
                .secret("creds", &[("pem", KEY)])
                .server(always(status, body));
            let error = bench.generate(KIND, &spec()).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_key_that_is_none_never_reaches_the_server() {
        let bench = Bench::new()
            .secret("creds", &[("pem", "hunter2")])
            .server(always(201, "{}"));

        let error = bench.generate(KIND, &spec()).unwrap_err();

        assert!(error.starts_with("error creating request: error parsing RSA private key"));
        assert!(!error.contains("hunter2"));
        assert!(bench.seen().is_empty());
    }
}
