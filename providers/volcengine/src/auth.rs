//! From the spec to keys that sign requests: an access key in Secrets, or temporary keys of the role that the
//! operator's pod may take. What is signed is decided in `signing`.

use futures_util::future::{BoxFuture, FutureExt as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::{Authenticator, Request};

use crate::spec::{SecretRef, VolcengineSpec};

mod role;
mod signing;

#[cfg(test)]
mod tests;

use role::Role;
use signing::Keys;

/// Whoever signs the requests of a store.
pub(crate) struct Signer {
    ctx: Ctx,
    region: String,
    identity: Identity,
}

enum Identity {
    Keys(Keys),
    Role(Role),
}

impl Signer {
    /// Resolves an access key. A role is taken with the first request, as upstream does.
    pub(crate) async fn connect(spec: &VolcengineSpec, ctx: &Ctx) -> Result<Self> {
        let identity = match spec.key() {
            Some(key) => Identity::Keys(keys(key, ctx).await?),
            None => Identity::Role(Role::new(ctx)),
        };
        Ok(Self {
            ctx: ctx.clone(),
            region: spec.region.clone(),
            identity,
        })
    }
}

async fn keys(key: &SecretRef, ctx: &Ctx) -> Result<Keys> {
    let id = ctx.secret(&key.access_key_id).await;
    let id = id.map_err(|error| error.context("failed to get accessKeyID"))?;
    let secret = ctx.secret(&key.secret_access_key).await;
    let secret = secret.map_err(|error| error.context("failed to get secretAccessKey"))?;
    let token = match &key.token {
        Some(token) => {
            let token = ctx.secret(token).await;
            Some(token.map_err(|error| error.context("failed to get token"))?)
        }
        None => None,
    };
    Keys::new(&id, &secret, token.as_ref())
}

impl Authenticator for Signer {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        async move {
            let now = self.ctx.now();
            match &self.identity {
                Identity::Keys(keys) => {
                    keys.sign(request, &self.region, now)?;
                    Ok(None)
                }
                Identity::Role(role) => {
                    let held = role.held().await?;
                    Keys::unpack(&held)?.sign(request, &self.region, now)?;
                    Ok(Some(held))
                }
            }
        }
        .boxed()
    }

    fn forget(&self, refused: &SecretValue) {
        if let Identity::Role(role) = &self.identity {
            role.forget(refused);
        }
    }
}
