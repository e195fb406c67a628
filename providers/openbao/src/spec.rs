//! `spec.provider.openBao`: its shape, its schema and the checks that need neither cluster nor
//! backend.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_vault::client::Version;
use schemars::JsonSchema;
use serde::Deserialize;

/// Mount where the manifest names none.
const MOUNT: &str = "kv";

/// OpenBao.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "[has(self.caBundle),has(self.caProvider)].filter(x,x==true).size() <= 1",
    "message": "at most one of the fields in [caBundle caProvider] may be set",
}]))]
pub struct OpenBaoSpec {
    /// How to log in.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Certificate authorities of the server.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// Where the certificate authorities of the server are kept.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Namespace of the secrets.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Mount of the KV engine.
    #[serde(default)]
    pub path: Option<String>,
    /// Address of the server.
    pub server: String,
    /// Version of the KV engine.
    #[serde(default)]
    pub version: Version,
}

/// Ways to log in; exactly one is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "[has(self.appRole),has(self.tokenSecretRef),has(self.userPass)].filter(x,x==true).size() == 1",
    "message": "exactly one of the fields in [appRole tokenSecretRef userPass] must be set",
}]))]
pub struct Auth {
    /// Logs in as an application.
    #[serde(default)]
    pub app_role: Option<AppRole>,
    /// Namespace of the login; that of the secrets when absent.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Secret key that holds a token.
    #[serde(default)]
    pub token_secret_ref: Option<SecretKeySelector>,
    /// Logs in with user name and password.
    #[serde(default)]
    pub user_pass: Option<UserPass>,
}

/// An application.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "[has(self.roleId),has(self.roleRef)].filter(x,x==true).size() == 1",
    "message": "exactly one of the fields in [roleId roleRef] must be set",
}]))]
pub struct AppRole {
    /// Mount of the auth method.
    #[serde(default = "approle")]
    #[schemars(required)]
    pub path: String,
    /// Id of the role.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub role_id: Option<String>,
    /// Secret key that holds the id of the role.
    #[serde(default)]
    pub role_ref: Option<SecretKeySelector>,
    /// Secret key that holds the secret id.
    pub secret_ref: SecretKeySelector,
}

/// A user with a password.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserPass {
    /// Mount of the auth method.
    #[serde(default = "userpass")]
    #[schemars(required)]
    pub path: String,
    /// Secret key that holds the password.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// Name of the user.
    pub username: String,
}

fn approle() -> String {
    "approle".to_owned()
}

fn userpass() -> String {
    "userpass".to_owned()
}

impl OpenBaoSpec {
    /// Checks the manifest.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let Some(auth) = &self.auth else {
            return Ok(Warnings::new());
        };
        let given = [
            auth.app_role.is_some(),
            auth.token_secret_ref.is_some(),
            auth.user_pass.is_some(),
        ];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err(Error::invalid_spec(
                "auth: exactly one of the fields in [appRole tokenSecretRef userPass] must be set",
            ));
        }
        for selector in auth.selectors() {
            let checked = scope.check_referent(selector.namespace.as_deref());
            checked.map_err(|error| error.context("invalid auth"))?;
        }
        Ok(Warnings::new())
    }

    pub(crate) fn has_versions(&self) -> bool {
        self.version == Version::V2
    }

    pub(crate) fn mount(&self) -> &str {
        self.path
            .as_deref()
            .filter(|path| !path.is_empty())
            .unwrap_or(MOUNT)
    }

    /// Whether a credential, or the authority of the server, can only be found for a caller.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let selectors = self.auth.iter().flat_map(Auth::selectors);
        let namespaces = selectors.map(|selector| selector.namespace.as_deref());
        let provider = self.ca_provider.as_ref();
        let provider = provider.map(|provider| provider.namespace.as_deref());
        namespaces
            .chain(provider)
            .any(|namespace| ctx.is_referent(namespace))
    }
}

impl Auth {
    /// The selectors of the method in use.
    fn selectors(&self) -> impl Iterator<Item = &SecretKeySelector> {
        let role = self.app_role.as_ref();
        let user = self.user_pass.as_ref();
        [
            self.token_secret_ref.as_ref(),
            role.map(|role| &role.secret_ref),
            role.and_then(|role| role.role_ref.as_ref()),
            user.and_then(|user| user.secret_ref.as_ref()),
        ]
        .into_iter()
        .flatten()
    }
}
