//! A GitHub App's sign-in: it signs a short-lived token with its private key and trades it in for one of
//! its installation. The key never leaves this file.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::{Rest, Scheme, Session};
use serde::Deserialize;
use serde_json::json;

use crate::error;
use crate::spec::GithubSpec;

/// How far the app's own token reaches back, for clocks that differ, and how long it lives.
const BEFORE: i64 = 30;
const LIFE: i64 = 120;
/// Installation tokens live for an hour where the answer does not say.
const UNSAID: u64 = 3600;
pub(crate) const ACCEPT: &str = "application/vnd.github.v3+json";

struct App {
    id: i64,
    installation: i64,
    key: RsaKey,
}

#[derive(Deserialize)]
struct Installed {
    token: String,
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

/// A session of the app's installation. Signs in with the first request.
pub(crate) async fn connect(spec: &GithubSpec, rest: &Rest) -> Result<Arc<Session>> {
    let ctx = rest.ctx();
    let failed = |error: Error| error.context("could not get private key");
    let pem = ctx.secret(&spec.auth.private_key).await.map_err(|error| {
        failed(error.map_message(|text| {
            format!(
                "couldn't get private key from secret: resolvers.SecretKeyRef failed with error {text}"
            )
        }))
    })?;
    let key = RsaKey::from_pem(&pem).map_err(|error| {
        let error = error.context("could not parse private key");
        failed(error.context("could not instantiate new installation transport"))
    })?;
    let app = Arc::new(App {
        id: spec.app_id,
        installation: spec.installation_id,
        key,
    });
    let fingerprint = Fingerprint::of([
        b"github".as_slice(),
        rest.base().as_str().as_bytes(),
        &app.id.to_be_bytes(),
        &app.installation.to_be_bytes(),
        pem.expose(),
    ]);
    let anonymous = rest.clone();
    let login = move || {
        let (app, rest) = (Arc::clone(&app), anonymous.clone());
        async move {
            let installation = app.installation;
            app.install(&rest).await.map_err(|error| {
                error.context(format!(
                    "could not refresh installation id {installation}'s token"
                ))
            })
        }
    };
    let scheme = Scheme::authorization("token ", "");
    Ok(Arc::new(Session::new(ctx, fingerprint, scheme, login)))
}

impl App {
    async fn install(&self, rest: &Rest) -> Result<AccessToken> {
        let path = format!("/app/installations/{}/access_tokens", self.installation);
        let request = rest.post(&path).header("accept", ACCEPT);
        let request = request.bearer(&self.token(rest.ctx().now())?).build()?;
        let check = error::sign_in(request.uri());
        let answer = rest.call("CreateInstallationToken", request, check).await?;
        let installed: Installed = answer.json()?;
        let now = rest.ctx().now();
        let value = SecretValue::from(installed.token);
        Ok(match installed.expires_at {
            Some(expires) => AccessToken { value, expires },
            None => AccessToken::lasting(value, UNSAID, now),
        })
    }

    /// The app's own token. Its times are whole seconds, as GitHub wants them.
    fn token(&self, now: Timestamp) -> Result<SecretValue> {
        let issued = now.as_second() - BEFORE;
        let claims = json!({
            "iss": self.id.to_string(),
            "iat": issued,
            "exp": issued + LIFE,
        });
        self.key
            .sign(&json!({ "alg": "RS256", "typ": "JWT" }), &claims)
    }
}
