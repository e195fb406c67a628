//! `TemplateToken`: a token of a server, taken back when it is replaced. `cargo xtask new-generator`
//! copies this file, so it compiles and passes the suite at any time; it is no kind of the API.

use lockstep_provider_api::http::{Answer, Tls};
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refusal::{explanation, refusal};

/// Where the server's refusals explain themselves.
const EXPLANATIONS: &[&str] = &["/message"];

/// `spec` of a TemplateToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    url: String,
    auth: SecretKeySelector,
}

/// What is kept to take a token back: never the token itself.
#[derive(Deserialize, Serialize)]
struct State {
    id: u64,
}

#[derive(Deserialize)]
struct Made {
    id: u64,
    token: String,
}

pub(crate) struct TemplateToken;

impl Generator for TemplateToken {
    const KIND: &'static str = "TemplateToken";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let login = ctx.secret(&spec.auth).await?;
        let request = ctx.http(&Tls::default())?.post(tokens(&spec));
        let answer = request.bearer(&login).send().await?;
        let made: Made = checked(answer)?.json()?;
        let state = serde_json::to_value(State { id: made.id });
        Ok(Generated {
            values: SecretMap::from_iter([("token".to_owned(), SecretValue::from(made.token))]),
            state: Some(state.map_err(|error| Error::invalid_data(error.to_string()))?),
            // Set it where the server says when the token ends: refreshes are planned from it.
            expires: None,
        })
    }

    async fn cleanup(spec: Spec, state: Value, ctx: &Ctx) -> Result<()> {
        let state: State = serde_json::from_value(state).map_err(|error| {
            Error::invalid_spec(format!("error parsing generator state: {error}"))
        })?;
        let login = ctx.secret(&spec.auth).await?;
        let request = ctx.http(&Tls::default())?;
        let request = request.delete(format!("{}/{}", tokens(&spec), state.id));
        let answer = request.bearer(&login).send().await?;
        // It is gone already.
        if answer.status().as_u16() == 404 {
            return Ok(());
        }
        checked(answer).map(drop)
    }
}

fn tokens(spec: &Spec) -> String {
    format!("{}/tokens", spec.url.trim_end_matches('/'))
}

fn checked(answer: Answer) -> Result<Answer> {
    let refused = refusal(&answer, |status| {
        format!(
            "the server answers {status}: {}",
            explanation(&answer, EXPLANATIONS)
        )
    });
    refused.map_or(Ok(answer), Err)
}

/// What the suite needs to know of this kind.
#[cfg(test)]
pub(crate) fn subject() -> crate::conformance::Scripted {
    use lockstep_provider_api::GeneratorEntry;
    use lockstep_provider_api::conformance::CANARY;
    use serde_json::json;

    let spec =
        json!({ "url": "https://template.test", "auth": { "name": "creds", "key": "token" } });
    let entry = GeneratorEntry::of::<TemplateToken>();
    let subject = crate::conformance::Scripted::remote(entry, spec, |seen, held| {
        if seen.line.starts_with("DELETE") {
            return held.delete(&seen.line);
        }
        let id = held.make();
        (
            201,
            json!({ "id": id, "token": format!("{CANARY}{id}") }).to_string(),
        )
    });
    subject.secret("creds", "token", CANARY)
}
