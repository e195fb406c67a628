//! The identity of a workload in an OKE cluster: the token of a ServiceAccount is exchanged at the
//! cluster's own endpoint for a session token. Without `serviceAccountRef` it is the operator's own.

use std::time::Duration;

use lockstep_provider_api::context::Ambient;
use lockstep_provider_api::http::{Answer, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::base64::{Encoding, decode};
use lockstep_provider_kit::cloud::check_ambient;
use lockstep_provider_kit::error::{described, not_absence};
use serde::Deserialize;
use serde_json::json;

use super::key::SessionKey;
use super::session::{KeySession, issued};
use crate::api::PROVIDER;
use crate::spec::OracleSpec;

const WHAT: &str = "the workload identity of the cluster";
const HOST_VARIABLE: &str = "KUBERNETES_SERVICE_HOST";
const CA_VARIABLE: &str = "OCI_KUBERNETES_SERVICE_ACCOUNT_CERT_PATH";
const CA: &str = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
const TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/// Audience of the tokens that the endpoint takes.
const AUDIENCE: &str = "api";
const LIFETIME: Duration = Duration::from_hours(1);

/// Where a ServiceAccount's token is exchanged, and for whom.
#[derive(Clone)]
struct Exchange {
    ctx: Ctx,
    ambient: Ambient,
    url: String,
    tls: Tls,
    account: Option<ServiceAccountSelector>,
}

#[derive(Deserialize)]
struct Exchanged {
    token: String,
}

/// Signs in as the workload.
pub(super) async fn connect(spec: &OracleSpec, ctx: &Ctx) -> Result<KeySession> {
    let exchange = Exchange::new(spec, ctx)?;
    let account = exchange.account.as_ref();
    // The context says whose account it is; one without a namespace belongs to the caller.
    let namespace = account.and_then(|account| account.namespace.clone());
    let home = match account {
        Some(_) if namespace.is_none() => ctx.scope().home().map(str::to_owned),
        _ => namespace,
    };
    let audiences = account.and_then(|account| account.audiences.clone());
    let key = Fingerprint::of([
        "oracle workload".to_owned(),
        exchange.url.clone(),
        home.unwrap_or_default(),
        account
            .map(|account| account.name.clone())
            .unwrap_or_default(),
        audiences.unwrap_or_default().join(" "),
    ]);
    let session = KeySession::new(ctx, key, move || {
        let exchange = exchange.clone();
        async move { exchange.sign_in().await }
    });
    session.held().await?;
    Ok(session)
}

impl Exchange {
    fn new(spec: &OracleSpec, ctx: &Ctx) -> Result<Self> {
        check_ambient(ctx, WHAT)?;
        let Some(ambient) = ctx.ambient() else {
            return Err(Error::invalid_spec(
                "the operator's own identity is switched off",
            ));
        };
        let path = ctx.variable(CA_VARIABLE).unwrap_or_else(|| CA.to_owned());
        let ca = ambient.read(&path).map_err(|error| {
            error.map_message(|_| {
                format!(
                    "can not create resource principal, error getting Kubernetes Service Account \
                     Token at {path}"
                )
            })
        })?;
        let host = ctx.variable(HOST_VARIABLE).ok_or_else(|| {
            Error::invalid_spec(format!(
                "can not create resource principal, environment variable: {HOST_VARIABLE}, not \
                 present"
            ))
        })?;
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host
        };
        Ok(Self {
            ctx: ctx.clone(),
            ambient,
            url: format!("https://{host}:12250/resourcePrincipalSessionTokens"),
            tls: Tls {
                ca: Some(ca.expose().to_vec()),
                ..Tls::default()
            },
            account: spec.service_account_ref.clone(),
        })
    }

    async fn sign_in(&self) -> Result<AccessToken> {
        let token = match &self.account {
            Some(account) => {
                let audiences = [AUDIENCE.to_owned()];
                let made = self
                    .ctx
                    .service_account_token(account, &audiences, LIFETIME);
                made.await?
            }
            None => self.ambient.read(TOKEN)?,
        };
        let key = SessionKey::generate()?;
        let answer = self.ask(&token, &key).await;
        let answer = self.ctx.counted(PROVIDER, "GetSecurityToken", answer)?;
        let token = session_token(&answer)?;
        let token = token.expose_utf8()?;
        issued(token.strip_prefix("ST$").unwrap_or(token), &key)
    }

    async fn ask(&self, token: &SecretValue, key: &SessionKey) -> Result<Answer> {
        let request = self.ctx.http(&self.tls)?.post(&self.url).bearer(token);
        let request = request.json(&json!({ "podKey": key.public_pem() }));
        let answered = described(request.send().await?, |answer| {
            let status = answer.status();
            if status.as_u16() == 403 {
                return format!("please ensure the cluster type is enhanced: Status: {status}");
            }
            let url = &self.url;
            format!("failed to get a RPST token from Proxymux: URL: {url}, Status: {status}")
        });
        answered.map_err(not_absence)
    }
}

/// The answer is a JSON text with base64 of an object in it.
fn session_token(answer: &Answer) -> Result<SecretValue> {
    let refused = || Error::invalid_data("error parsing Proxymux response body");
    let text: String = answer.json()?;
    let body = decode(Encoding::Standard, text.as_bytes()).map_err(|_| refused())?;
    let body: Exchanged = serde_json::from_slice(&body).map_err(|_| refused())?;
    if body.token.is_empty() {
        let text = "invalid (empty) token received from Proxymux";
        return Err(Error::invalid_data(text));
    }
    Ok(SecretValue::from(body.token))
}
