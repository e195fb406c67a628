//! `GitlabDeployToken`: a deploy token of a project or a group. The state says where the token is,
//! so that clean-up revokes it there even after the manifest has changed.

use jiff::Timestamp;
use lockstep_provider_api::http::{StatusCode, Tls, encode_component};
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refusal::{explanation, refusal};

const DEFAULT_URL: &str = "https://gitlab.com";
const EXPLANATIONS: &[&str] = &["/message", "/error"];

/// `spec` of a GitlabDeployToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    #[serde(flatten)]
    place: Place,
    name: String,
    #[serde(default)]
    scopes: Vec<String>,
    expires_at: Option<Timestamp>,
    #[serde(default)]
    username: String,
    auth: Auth,
}

/// Where a token lives.
#[derive(Clone, Deserialize, Serialize)]
struct Place {
    #[serde(default)]
    url: String,
    #[serde(
        rename = "projectID",
        default,
        skip_serializing_if = "String::is_empty"
    )]
    project_id: String,
    #[serde(rename = "groupID", default, skip_serializing_if = "String::is_empty")]
    group_id: String,
}

#[derive(Deserialize)]
struct Auth {
    token: Token,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    secret_ref: SecretKeySelector,
}

#[derive(Deserialize, Serialize)]
struct State {
    #[serde(flatten)]
    place: Place,
    #[serde(rename = "tokenID", default)]
    token_id: u64,
}

#[derive(Serialize)]
struct Wanted<'a> {
    name: &'a str,
    scopes: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    username: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Created {
    id: u64,
    #[serde(default)]
    username: String,
    #[serde(default)]
    token: String,
    expires_at: Option<Timestamp>,
}

pub(crate) struct GitlabDeployToken;

impl Generator for GitlabDeployToken {
    const KIND: &'static str = "GitlabDeployToken";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let token = own_token(&spec, ctx).await?;
        let wanted = Wanted {
            name: &spec.name,
            scopes: &spec.scopes,
            username: &spec.username,
            expires_at: spec.expires_at,
        };
        let request = ctx.http(&Tls::default())?.post(spec.place.tokens_url()?);
        let request = request.secret_header("private-token", &token).json(&wanted);
        let answer = request.send().await?;
        if let Some(error) = refusal(&answer, |status| {
            let text = explanation(&answer, EXPLANATIONS);
            format!("error generating deploy token: response code: {status}, response: {text}")
        }) {
            return Err(error);
        }
        made(spec, answer.json()?)
    }

    async fn cleanup(spec: Spec, state: Value, ctx: &Ctx) -> Result<()> {
        let state: State = serde_json::from_value(state).map_err(|error| {
            Error::invalid_spec(format!("error parsing generator state: {error}"))
        })?;
        if state.token_id == 0 {
            return Ok(());
        }
        let token = own_token(&spec, ctx).await?;
        let url = format!("{}/{}", state.place.tokens_url()?, state.token_id);
        let request = ctx.http(&Tls::default())?.delete(url);
        let answer = request
            .secret_header("private-token", &token)
            .send()
            .await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(());
        }
        let refused = refusal(&answer, |status| {
            let text = explanation(&answer, EXPLANATIONS);
            format!("error revoking deploy token: response code: {status}, response: {text}")
        });
        refused.map_or(Ok(()), Err)
    }
}

async fn own_token(spec: &Spec, ctx: &Ctx) -> Result<SecretValue> {
    let token = ctx.secret(&spec.auth.token.secret_ref).await;
    token.map_err(|error| error.context("error getting GitLab token from secret"))
}

fn made(spec: Spec, created: Created) -> Result<Generated> {
    if created.token.is_empty() {
        return Err(Error::invalid_data(
            "deploy token missing from GitLab response",
        ));
    }
    let state = State {
        place: spec.place,
        token_id: created.id,
    };
    let state = serde_json::to_value(state);
    Ok(Generated {
        values: SecretMap::from_iter([
            ("username".to_owned(), SecretValue::from(created.username)),
            ("token".to_owned(), SecretValue::from(created.token)),
        ]),
        state: Some(state.map_err(|error| Error::invalid_data(error.to_string()))?),
        expires: created.expires_at.or(spec.expires_at),
    })
}

impl Place {
    fn tokens_url(&self) -> Result<String> {
        let base = if self.url.is_empty() {
            DEFAULT_URL
        } else {
            self.url.trim_end_matches('/')
        };
        let (owner, id) = match (&*self.project_id, &*self.group_id) {
            (project, "") if !project.is_empty() => ("projects", project),
            ("", group) if !group.is_empty() => ("groups", group),
            _ => {
                return Err(Error::invalid_spec(
                    "exactly one of projectID or groupID must be set",
                ));
            }
        };
        let id = encode_component(id);
        Ok(format!("{base}/api/v4/{owner}/{id}/deploy_tokens"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{Bench, always};

    const KIND: &str = "GitlabDeployToken";

    fn spec() -> Value {
        json!({
            "url": "https://gitlab.example/",
            "projectID": "shop/web",
            "name": "eso",
            "scopes": ["read_registry"],
            "auth": { "token": { "secretRef": { "name": "creds", "key": "token" } } },
        })
    }

    fn bench(status: u16, body: &str) -> Bench {
        let creds = Bench::new().secret("creds", &[("token", "glpat\n")]);
        creds.server(always(status, body))
    }

    #[test]
    fn the_state_says_where_the_token_is() {
        let bench = bench(
            201,
            r#"{"id":7,"username":"u","token":"t","expires_at":null}"#,
        );

        let made = bench.generate(KIND, &spec()).unwrap();

        let url = "https://gitlab.example/";
        let state = json!({ "url": url, "projectID": "shop/web", "tokenID": 7 });
        assert_eq!(made.0.state, Some(state));
        let texts = [("token", "t"), ("username", "u")];
        assert_eq!(
            made.texts(),
            texts.map(|(k, v)| (k.to_owned(), v.to_owned()))
        );
        let seen = &bench.seen()[0];
        let path = "/api/v4/projects/shop%2Fweb/deploy_tokens";
        assert_eq!(seen.line, format!("POST https://gitlab.example{path}"));
        assert_eq!(seen.header("private-token"), "glpat");
        assert_eq!(seen.body, r#"{"name":"eso","scopes":["read_registry"]}"#);
    }

    #[test]
    fn options_are_sent_and_an_end_is_known() {
        let bench = bench(201, r#"{"id":7,"username":"u","token":"t"}"#);
        let mut more = spec();
        more["username"] = json!("bot");
        more["expiresAt"] = json!("2030-01-01T00:00:00Z");

        let made = bench.generate(KIND, &more).unwrap();

        assert_eq!(made.0.expires.unwrap().to_string(), "2030-01-01T00:00:00Z");
        let body = &bench.seen()[0].body;
        assert!(
            body.contains(r#""username":"bot","expires_at":"2030-01-01T00:00:00Z""#),
            "{body}"
        );
    }

    #[test]
    fn clean_up_revokes_where_the_state_says() {
        let bench = bench(204, "");
        let state = json!({ "url": "https://old.example", "groupID": "g", "tokenID": 9 });

        bench.cleanup(KIND, &spec(), state).unwrap();

        let line = "DELETE https://old.example/api/v4/groups/g/deploy_tokens/9";
        assert_eq!(bench.seen()[0].line, line);
    }

    #[test]
    fn a_token_that_is_gone_counts_as_revoked_and_a_refusal_does_not() {
        let state = json!({ "projectID": "1", "tokenID": 9 });

        assert!(
            bench(404, "{}")
                .cleanup(KIND, &spec(), state.clone())
                .is_ok()
        );
        let refused = bench(403, r#"{"message":"403 Forbidden"}"#).cleanup(KIND, &spec(), state);
        assert_eq!(
            refused.unwrap_err(),
            "error revoking deploy token: response code: 403, response: 403 Forbidden"
        );
    }

    #[test]
    fn refusals_and_nonsense_are_told_apart() {
        let table = [
            (
                400,
                r#"{"error":"scopes is invalid"}"#,
                "code: 400, response: scopes is invalid",
            ),
            (500, "oops", "response code: 500"),
            (429, "{}", "response code: 429"),
            (
                201,
                r#"{"id":3,"username":"u"}"#,
                "deploy token missing from GitLab response",
            ),
            (201, "[]", "not the JSON expected"),
        ];

        for (status, body, text) in table {
            let error = bench(status, body).generate(KIND, &spec()).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_project_and_a_group_together_are_refused() {
        let mut both = spec();
        both["groupID"] = json!("g");

        let error = bench(201, "{}").generate(KIND, &both).unwrap_err();

        assert_eq!(error, "exactly one of projectID or groupID must be set");
    }
}
