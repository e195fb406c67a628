//! What the providers of Yandex Cloud share: the store's settings, where a service is found, and the
//! token every call carries. Which secrets are read is decided in the providers.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};

use crate::auth::Scheme;
use crate::cloud::yandex as machine;
use crate::error::not_absence;
use crate::grpc::{Channel, Rpc};
use crate::session::Session;

mod endpoints;
mod key;
mod messages;
mod spec;

#[cfg(test)]
mod tests;

use endpoints::Endpoints;
use key::{AuthorizedKey, Signer};
use messages::{CreateIamTokenRequest, CreateIamTokenResponse};
pub use spec::{Auth, ByName, CaSecret, EmptyPolicy, Fetching, Named, YandexSpec};

/// Hosts that belong to Yandex Cloud.
const CLOUD_HOSTS: [&str; 2] = [".cloud.yandex.net", ".yandexcloud.kz"];
const CREATE_TOKEN: Rpc = Rpc {
    path: "/yandex.cloud.iam.v1.IamTokenService/Create",
    call: "CreateIamToken",
};

/// Which service a provider reads from.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// The metric's label.
    pub provider: &'static str,
    /// Its id among the endpoints of the cloud.
    pub id: &'static str,
    /// The field with the address of the cloud's API.
    pub field: &'static str,
}

/// A channel to a service, with a token on every call. What fails here fails before the first call in
/// the original too, and in the same order: trust, the key, the list of services, the token.
pub async fn connect(spec: &YandexSpec, service: Service, ctx: &Ctx) -> Result<Channel> {
    let key = match spec.auth.given() {
        Some(selector) => Some(AuthorizedKey::parse(&ctx.secret(selector).await?)?),
        None => None,
    };
    let tls = trust(spec, ctx).await?;
    let key = key.map(AuthorizedKey::into_signer).transpose();
    let key = key.map_err(failed)?;
    let is_machine = key.is_none();
    let allowed = |address: &str| {
        if is_machine {
            return check_host(address, ctx);
        }
        Ok(())
    };
    allowed(spec.at())?;
    let endpoints = Endpoints::of(spec, service, &tls, ctx).await;
    let endpoints = endpoints.map_err(failed)?;
    let session = match key {
        None => machine_session(ctx),
        Some(key) => {
            let iam = endpoints.channel("iam");
            let iam = iam.map_err(|error| failed(without_token(error)))?;
            key_session(key, iam, (spec.at(), &tls), ctx)
        }
    };
    let session = Arc::new(session);
    // As the original does, so that a store with a key that is refused is not ready.
    let token = session.token().await;
    token.map_err(|error| failed(without_token(error)))?;
    let address = endpoints.locate(service.id, &session, allowed).await;
    let channel = endpoints.channel_at(service.id, &address.map_err(failed)?);
    Ok(channel.map_err(failed)?.signed(session))
}

fn failed(error: Error) -> Error {
    not_absence(error).context("failed to create Yandex.Cloud client")
}

/// No token was to be had. The vendor's SDK hides every other code than this one behind it.
fn without_token(error: Error) -> Error {
    let error = error.context("iam token create failed");
    if error.kind() == &ErrorKind::Unauthenticated {
        return error;
    }
    error.map_message(|text| format!("rpc error: code = Unauthenticated desc = {text}"))
}

/// The machine's token is the operator's: a store of a tenant must not have it sent elsewhere.
fn check_host(address: &str, ctx: &Ctx) -> Result<()> {
    let host = address.split(':').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let is_cloud = CLOUD_HOSTS.iter().any(|suffix| host.ends_with(suffix));
    if is_cloud || ctx.store().namespace.is_none() {
        return Ok(());
    }
    Err(Error::invalid_spec(format!(
        "the token of the machine's service account is not sent to {host}: give \
         auth.authorizedKeySecretRef, or use a ClusterSecretStore"
    )))
}

async fn trust(spec: &YandexSpec, ctx: &Ctx) -> Result<Tls> {
    let Some(provider) = &spec.ca_provider else {
        return Ok(Tls::default());
    };
    let selector = provider.cert_secret_ref.clone().unwrap_or_default();
    let ca = ctx.secret(&selector).await?;
    let tls = Tls {
        ca: Some(ca.expose().to_vec()),
        ..Tls::default()
    };
    let usable = ctx.http(&tls);
    usable.map_err(|error| {
        error.map_message(|_| {
            "failed to create Yandex.Cloud client: unable to read trusted CA certificates"
                .to_owned()
        })
    })?;
    Ok(tls)
}

fn machine_session(ctx: &Ctx) -> Session {
    let address = machine::address(ctx);
    let identity = Fingerprint::of(["yandex", "machine", &address]);
    let asked = ctx.clone();
    Session::new(ctx, identity, Scheme::BEARER, move || {
        let ctx = asked.clone();
        async move { machine::token(&ctx).await }
    })
}

fn key_session(key: Signer, iam: Channel, (at, tls): (&str, &Tls), ctx: &Ctx) -> Session {
    let ca = tls.ca.as_deref().unwrap_or_default();
    let identity = Fingerprint::of([
        b"yandex".as_slice(),
        b"key",
        at.as_bytes(),
        ca,
        &key.fingerprint().to_bytes(),
    ]);
    let key = Arc::new(key);
    let asked = ctx.clone();
    Session::new(ctx, identity, Scheme::BEARER, move || {
        let (key, iam, ctx) = (Arc::clone(&key), iam.clone(), asked.clone());
        async move { exchange(&key, &iam, &ctx).await }
    })
}

async fn exchange(key: &Signer, iam: &Channel, ctx: &Ctx) -> Result<AccessToken> {
    let question = CreateIamTokenRequest {
        jwt: key.token(ctx.now())?.expose_utf8()?.to_owned(),
    };
    let answer: CreateIamTokenResponse = iam.call(CREATE_TOKEN, &question).await?;
    let ends = answer
        .expires_at
        .map(|at| Timestamp::new(at.seconds, at.nanos));
    // As the vendor's SDK does with an end that it cannot read.
    let soon = || ctx.now().checked_add(SignedDuration::from_mins(1));
    let expires = ends.and_then(std::result::Result::ok);
    Ok(AccessToken {
        value: SecretValue::from(answer.iam_token),
        expires: expires.or_else(|| soon().ok()).unwrap_or(Timestamp::MAX),
    })
}
