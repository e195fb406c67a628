//! `GCRAccessToken`: an access token of Google as the password of a container registry. Google ends it
//! by itself; nothing is taken back.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::{Generated, Generator, Random};
use serde::Deserialize;

use crate::auth;
use crate::spec::{Auth, GcpsmSpec};

/// Name that registries take access tokens under.
const USER: &str = "oauth2accesstoken";

/// `spec` of a GCRAccessToken.
#[derive(Deserialize)]
pub(crate) struct Spec {
    #[serde(rename = "projectID")]
    project_id: Option<String>,
    auth: Option<Auth>,
}

pub(crate) struct GcrAccessToken;

impl Generator for GcrAccessToken {
    const KIND: &'static str = "GCRAccessToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let spec = GcpsmSpec {
            auth: spec.auth,
            project_id: spec.project_id,
            ..GcpsmSpec::default()
        };
        let identity = Box::pin(auth::identity(&spec, ctx)).await?;
        let token = identity.new_token().await?;
        let expiry = token.expires.as_second().to_string();
        Ok(Generated {
            values: SecretMap::from_iter([
                ("username".to_owned(), SecretValue::from(USER)),
                ("password".to_owned(), token.value),
                ("expiry".to_owned(), SecretValue::from(expiry)),
            ]),
            state: None,
            expires: Some(token.expires),
        })
    }
}
