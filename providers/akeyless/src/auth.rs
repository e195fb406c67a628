//! From the spec's `authSecretRef` to a token of Akeyless, which goes into the body of each command.
//! Credentials of Secrets are read once a connection; proofs of clouds and of Kubernetes are made at
//! each sign-in, because they end.

use std::sync::Arc;
use std::time::Duration;

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::base64::{Encoding, encode};
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::refusal::shown_body;
use lockstep_provider_kit::{Scheme, Session, with_default_key};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::cloud_id;
use crate::gateway::Gateway;
use crate::spec::{Auth, KubernetesAuth, is_empty};

/// Akeyless does not say how long a token lives; this is less than the least it can be set to.
const LIFE: u64 = 600;
/// Life of ServiceAccount tokens, as upstream asks for.
const PROOF_LIFE: Duration = Duration::from_mins(10);
const TOKEN_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// What an identity proves itself with.
pub(crate) enum Proof {
    Key(SecretValue),
    Token(SecretValue),
    Account(ServiceAccountSelector),
    Cloud(cloud_id::Cloud),
}

struct Identity {
    id: String,
    access_type: String,
    /// The configuration at the gateway, for Kubernetes.
    config: String,
    proof: Proof,
}

#[derive(Deserialize)]
struct SignedIn {
    #[serde(default)]
    token: String,
}

/// A session of the identity. Signs in with the first command.
pub(crate) async fn connect(auth: &Auth, gateway: &Arc<Gateway>) -> Result<Session> {
    let ctx = gateway.ctx();
    let identity = match &auth.kubernetes_auth {
        Some(given) => kubernetes(given, ctx).await?,
        None => keys(auth, ctx).await?,
    };
    let key = identity.fingerprint(gateway);
    let (identity, gateway) = (Arc::new(identity), Arc::clone(gateway));
    let ctx = ctx.clone();
    let login = move || {
        let (identity, gateway) = (Arc::clone(&identity), Arc::clone(&gateway));
        async move { identity.login(&gateway).await }
    };
    // The scheme is not used: tokens go into bodies.
    Ok(Session::new(&ctx, key, Scheme::BEARER, login))
}

async fn kubernetes(given: &KubernetesAuth, ctx: &Ctx) -> Result<Identity> {
    let proof = match (&given.service_account_ref, &given.secret_ref) {
        (Some(account), _) => Proof::Account(account.clone()),
        (None, Some(selector)) => {
            let token = ctx.secret(&with_default_key(selector, "token")).await;
            Proof::Token(token.map_err(unreadable)?)
        }
        (None, None) => {
            let text = "can't determine k8s service account jwt";
            return Err(unreadable(Error::invalid_spec(text)));
        }
    };
    Ok(Identity {
        id: given.access_id.clone(),
        access_type: "k8s".to_owned(),
        config: given.k8s_conf_name.clone(),
        proof,
    })
}

async fn keys(auth: &Auth, ctx: &Ctx) -> Result<Identity> {
    let given = &auth.secret_ref;
    let id = text(ctx, &given.access_id, "accessID").await?;
    let access_type = text(ctx, &given.access_type, "AccessType").await?;
    let param = if is_empty(given.access_type_param.name.as_deref()) {
        String::new()
    } else {
        text(ctx, &given.access_type_param, "AccessTypeParam").await?
    };
    let refused = |text: &str| Err(Error::invalid_spec(text));
    let proof = match access_type.as_str() {
        _ if id.is_empty() => return refused("missing SecretAccessKey"),
        "" => return refused("missing AccessKeyID"),
        "api_key" | "access_key" if param.is_empty() => {
            return refused("missing AccessTypeParam for Akeyless access key auth");
        }
        "api_key" | "access_key" => Proof::Key(SecretValue::from(param)),
        "k8s" => return refused("kubernetes auth configuration is required"),
        other => {
            let account = auth.service_account_ref.clone();
            Proof::Cloud(cloud_id::Cloud::new(other, param, account)?)
        }
    };
    Ok(Identity {
        id,
        access_type,
        config: String::new(),
        proof,
    })
}

async fn text(ctx: &Ctx, selector: &SecretKeySelector, what: &str) -> Result<String> {
    let value = lockstep_provider_kit::credential::text(ctx, selector).await;
    let value = value.map_err(|error| error.context(format!("could not fetch {what} secret")))?;
    Ok(value.trim_end_matches(['\n', '\r']).to_owned())
}

fn unreadable(error: Error) -> Error {
    error.map_message(|text| {
        format!("failed to read JWT with Kubernetes Auth from {TOKEN_FILE}. error: {text}")
    })
}

impl Identity {
    /// Everything that makes this identity another one.
    fn fingerprint(&self, gateway: &Gateway) -> Fingerprint {
        let mut parts = vec![
            b"akeyless".to_vec(),
            gateway.given().as_str().into(),
            self.id.clone().into_bytes(),
            self.access_type.clone().into_bytes(),
            self.config.clone().into_bytes(),
        ];
        match &self.proof {
            Proof::Key(secret) | Proof::Token(secret) => parts.push(secret.expose().to_vec()),
            Proof::Account(account) => parts.extend(account_parts(account, gateway.ctx())),
            Proof::Cloud(cloud) => parts.extend(cloud.parts(gateway.ctx())),
        }
        Fingerprint::of(parts)
    }

    async fn login(&self, gateway: &Gateway) -> Result<AccessToken> {
        let ctx = gateway.ctx();
        let mut body = Map::new();
        let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
        set("access-id", json!(self.id));
        set("access-type", json!(self.access_type));
        // Defaults of upstream's SDK.
        set("gcp-audience", json!("akeyless.io"));
        set("json", json!(false));
        set("oci-auth-type", json!("apikey"));
        match &self.proof {
            Proof::Key(key) => {
                // The SDK's default stays, whichever of both words the Secret has.
                set("access-type", json!("access_key"));
                set("access-key", json!(key.expose_utf8()?));
            }
            Proof::Token(token) => {
                set("k8s-auth-config-name", json!(self.config));
                set("k8s-service-account-token", json!(encoded(token)));
            }
            Proof::Account(account) => {
                let token = ctx.service_account_token(account, &[], PROOF_LIFE).await;
                let token = token.map_err(|error| refused_account(account, error))?;
                set("k8s-auth-config-name", json!(self.config));
                set("k8s-service-account-token", json!(encoded(&token)));
            }
            Proof::Cloud(cloud) => {
                let id = cloud.id(ctx).await;
                let id = id.map_err(|error| {
                    error.map_message(|text| format!("Require Cloud ID {text}"))
                })?;
                set("cloud-id", json!(id.expose_utf8()?));
            }
        }
        let answer = gateway.send(("Auth", "auth"), body, check).await?;
        let signed_in: SignedIn = answer.json()?;
        if signed_in.token.is_empty() {
            let text = "authentication failed: the answer has no token";
            return Err(Error::new(ErrorKind::Unauthenticated, text));
        }
        let token = SecretValue::from(signed_in.token);
        Ok(AccessToken::lasting(token, LIFE, ctx.now()))
    }
}

/// A ServiceAccount as part of an identity; without a namespace a cluster store means the caller's.
pub(crate) fn account_parts(account: &ServiceAccountSelector, ctx: &Ctx) -> Vec<Vec<u8>> {
    let home = || ctx.scope().home().map(str::to_owned);
    let named = account
        .namespace
        .clone()
        .filter(|_| ctx.store().namespace.is_none());
    let namespace = named.or_else(home).unwrap_or_default();
    let mut parts = vec![account.name.clone().into_bytes(), namespace.into_bytes()];
    let audiences = account.audiences.iter().flatten();
    parts.extend(audiences.map(|audience| audience.clone().into_bytes()));
    parts
}

fn refused_account(account: &ServiceAccountSelector, error: Error) -> Error {
    unreadable(error.context(format!(
        "cannot request Kubernetes service account token for service account {:?}",
        account.name
    )))
}

fn encoded(token: &SecretValue) -> String {
    encode(Encoding::Standard, token.expose())
}

fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        format!("authentication failed: {}", shown_body(answer))
    })
}
