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

#[cfg(test)]
mod tests {
    use lockstep_provider_api::GeneratorEntry;
    use lockstep_provider_api::conformance::generator::{Exchange, assert_conforms};
    use lockstep_provider_api::conformance::{CANARY, response};
    use serde_json::json;

    use super::GcrAccessToken;

    #[test]
    fn tokens_of_registries_keep_the_contract() {
        let key = json!({ "type": "service_account", "client_email": "eso@test",
            "private_key": include_str!("../tests/google/cluster.pem") });
        let reference = json!({ "name": "creds", "key": "key.json" });
        let spec = json!({ "projectID": "p",
            "auth": { "secretRef": { "secretAccessKeySecretRef": reference } } });
        let subject = Exchange::new(GeneratorEntry::of::<GcrAccessToken>(), spec, |_, number| {
            let token = format!("{CANARY}{number}");
            let answer =
                json!({ "access_token": token, "expires_in": 3600, "token_type": "Bearer" });
            response(200, answer.to_string())
        });

        assert_conforms(&subject.secret("creds", "key.json", key.to_string()));
    }
}
