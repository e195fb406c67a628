//! From the spec's `auth` to an identity of the shared client.

use lockstep_provider_api::prelude::*;
use lockstep_provider_vault::client::{self, Address, Identity};

use crate::spec::OpenBaoSpec;

/// The identity that a manifest asks for; nobody where it names none.
pub(crate) async fn identity(spec: &OpenBaoSpec, address: Address, ctx: &Ctx) -> Result<Identity> {
    let auth = spec.auth.as_ref().map(|auth| client::Auth {
        app_role: auth.app_role.as_ref().map(|role| client::AppRole {
            path: role.path.clone(),
            role_id: role.role_id.clone(),
            role_ref: role.role_ref.clone(),
            secret_ref: role.secret_ref.clone(),
        }),
        token_secret_ref: auth.token_secret_ref.clone(),
        user_pass: auth.user_pass.as_ref().map(|user| client::UserPass {
            path: user.path.clone(),
            secret_ref: user.secret_ref.clone(),
            username: user.username.clone(),
        }),
        namespace: auth.namespace.clone(),
        ..client::Auth::default()
    });
    let namespace = spec.namespace.as_deref().filter(|name| !name.is_empty());
    client::identity(auth.as_ref(), namespace, address, ctx).await
}
