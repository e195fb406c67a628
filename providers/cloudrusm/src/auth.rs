//! From an access key to a session: the key is exchanged for a token when the first call needs one.

use std::sync::Arc;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::grpc::{Channel, Rpc};
use lockstep_provider_kit::{Scheme, Session};

use crate::api::PROVIDER;
use crate::messages::{GetTokenRequest, GetTokenResponse};
use crate::spec::SecretRef;

const GET_TOKEN: Rpc = Rpc {
    path: "/sbercloud.cp.iam.api.v1.auth.AuthService/GetToken",
    call: "GetToken",
};

/// An access key.
struct Key {
    id: SecretValue,
    secret: SecretValue,
}

/// A session of the access key at the service behind `iam`, which is found at `address`.
pub(crate) async fn connect(
    given: &SecretRef,
    iam: Channel,
    address: &str,
    ctx: &Ctx,
) -> Result<Arc<Session>> {
    let key = resolve(given, ctx).await;
    let key = key.map_err(|error| error.context("resolve API credentials"))?;
    let parts = [
        PROVIDER.as_bytes(),
        address.as_bytes(),
        key.id.expose(),
        key.secret.expose(),
    ];
    let identity = Fingerprint::of(parts);
    let key = Arc::new(key);
    let asked = ctx.clone();
    let session = Session::new(ctx, identity, Scheme::BEARER, move || {
        let (key, iam, ctx) = (Arc::clone(&key), iam.clone(), asked.clone());
        async move { exchange(&key, &iam, &ctx).await }
    });
    Ok(Arc::new(session))
}

async fn resolve(given: &SecretRef, ctx: &Ctx) -> Result<Key> {
    let id = ctx.secret(&given.access_key_id_secret_ref).await;
    let id = id.map_err(|error| error.context("failed to resolve accessKeyID"))?;
    let secret = ctx.secret(&given.access_key_secret_secret_ref).await;
    let secret = secret.map_err(|error| error.context("failed to resolve accessKeySecret"))?;
    if id.is_empty() || secret.is_empty() {
        return Err(Error::invalid_spec(
            "failed to get auth credentials: keyID and secret must be provided",
        ));
    }
    Ok(Key { id, secret })
}

async fn exchange(key: &Key, iam: &Channel, ctx: &Ctx) -> Result<AccessToken> {
    let question = GetTokenRequest {
        key_id: key.id.expose_utf8()?.to_owned(),
        secret: key.secret.expose_utf8()?.to_owned(),
    };
    let answer: GetTokenResponse = iam.call(GET_TOKEN, &question).await?;
    let seconds = u64::try_from(answer.expires_in).unwrap_or_default();
    let token = SecretValue::from(answer.access_token);
    Ok(AccessToken::lasting(token, seconds, ctx.now()))
}
