//! The requests this provider makes and the answers it understands. What they mean to a caller is
//! decided in `store` and `push`, what a failure means in `error`.

use std::sync::Arc;

use lockstep_provider_api::http::{Answer, Method, encode_segment};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, Session, tls};
use serde::Deserialize;
use serde_json::json;

use crate::address::SecretAddress;
use crate::auth::{self, Access};
use crate::error::{self, Called};
use crate::secret::{OneSecret, Secret, SecretList};
use crate::spec::{HOST, InfisicalSpec, SecretsScope};

/// The metric's label.
pub(crate) const PROVIDER: &str = "Infisical";
const RAW: &str = "/v3/secrets/raw";

/// A connection to one project.
pub(crate) struct Api {
    pub(crate) rest: Rest,
    pub(crate) scope: SecretsScope,
    /// Where there is a sign-in that gives tokens.
    session: Option<Arc<Session>>,
}

/// Whether imported secrets are part of a read.
#[derive(Clone, Copy)]
pub(crate) enum Imports {
    /// For reads of ExternalSecrets.
    Included,
    /// For checks and before writes: only what is there itself can be written.
    LeftOut,
}

impl Imports {
    fn text(self) -> &'static str {
        match self {
            Self::Included => "true",
            Self::LeftOut => "false",
        }
    }
}

#[derive(Deserialize)]
struct Project {
    #[serde(default)]
    id: String,
}

impl Api {
    /// Resolves trust and credentials, and signs in.
    pub(crate) async fn connect(spec: &InfisicalSpec, ctx: &Ctx) -> Result<Self> {
        let trust = tls::trusting(ctx, spec.ca_bundle.as_ref(), spec.ca_provider.as_ref()).await;
        let trust = trust.map_err(|error| error.context("failed to get CA certificate"))?;
        let host = spec.host_api.as_deref().filter(|host| !host.is_empty());
        let base = Address::new("spec.provider.infisical.hostAPI", host.unwrap_or(HOST))?;
        let base = if base.as_str().ends_with("/api") {
            base
        } else {
            Address::new("spec.provider.infisical.hostAPI", &base.join("/api"))?
        };
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        let mut scope = spec.secrets_scope.clone();
        if scope.secrets_path.is_empty() {
            "/".clone_into(&mut scope.secrets_path);
        }
        let (rest, session) = match auth::connect(spec, &rest).await? {
            Access::Token(token) => (rest.signed(token), None),
            Access::Session(session) => {
                // Wrong credentials show when the store connects, not at the first read.
                session.token().await?;
                let session = Arc::new(session);
                (rest.signed(Arc::clone(&session)), Some(session))
            }
        };
        Ok(Self {
            rest,
            scope,
            session,
        })
    }

    /// The value of one secret.
    pub(crate) async fn read(&self, at: &SecretAddress, imports: Imports) -> Result<SecretValue> {
        let scope = &self.scope;
        if scope.project_slug.is_empty() {
            return Err(Error::invalid_spec("projectId or projectSlug is required"));
        }
        let folder = match at.folder.as_str() {
            "" => "/",
            folder => folder,
        };
        let request = self
            .rest
            .get(&format!("{RAW}/{}", encode_segment(&at.name)))
            .query("environment", &scope.environment_slug)
            .query("expandSecretReferences", expand(scope))
            .query("include_imports", imports.text())
            .query("secretPath", folder)
            .query("type", "shared")
            .query("workspaceSlug", &scope.project_slug)
            .build()?;
        let called = Called::new("CallRetrieveSecretV3Raw", &request);
        let check = |answer| called.secret(answer);
        let answer = self.rest.call("GetSecretByKeyV3", request, check).await?;
        let found: OneSecret = answer.json()?;
        Ok(SecretValue::from(found.secret.value))
    }

    /// All secrets of the store's folder and of its imports.
    pub(crate) async fn list(&self) -> Result<impl Iterator<Item = Secret>> {
        let answer = self.send_list(&self.rest, Imports::Included).await?;
        let list: SecretList = answer.json()?;
        Ok(list.by_name().into_values())
    }

    /// Lists with a token of its own and gives it back, so that the check tells whether the
    /// credentials still work; a fixed token is used as it is.
    pub(crate) async fn check(&self) -> Result<()> {
        let Some(session) = &self.session else {
            return self.send_list(&self.rest, Imports::LeftOut).await.map(drop);
        };
        let token = session.sign_in().await?.value;
        let rest = self.rest.clone().signed(auth::bearer(token.clone()));
        let listed = self.send_list(&rest, Imports::LeftOut).await;
        let request = rest.post("/v1/auth/token/revoke");
        let body = json!({ "accessToken": token.expose_utf8()? });
        // A token that cannot be given back ends by itself.
        drop(
            rest.send("RevokeAccessToken", request.json(&body), Ok)
                .await,
        );
        listed.map(drop)
    }

    async fn send_list(&self, rest: &Rest, imports: Imports) -> Result<Answer> {
        let scope = &self.scope;
        let recursive = if scope.recursive { "true" } else { "false" };
        let request = rest
            .get(RAW)
            .query("environment", &scope.environment_slug)
            .query("expandSecretReferences", expand(scope))
            .query("include_imports", imports.text())
            .query("recursive", recursive)
            .query("secretPath", &scope.secrets_path)
            .query("workspaceId", "")
            .query("workspaceSlug", &scope.project_slug)
            .build()?;
        let called = Called::new("CallListSecretsV3Raw", &request);
        let check = |answer| called.other(answer);
        rest.call("GetSecretsV3", request, check).await
    }

    /// Sends a write of one secret.
    pub(crate) async fn write(
        &self,
        write: Write,
        at: &SecretAddress,
        project: &str,
    ) -> Result<()> {
        let mut body = json!({
            "workspaceId": project,
            "environment": self.scope.environment_slug,
        });
        // The root is the server's default.
        if !at.folder.is_empty() {
            body["secretPath"] = json!(at.folder);
        }
        let (method, call, operation, value) = match &write {
            Write::Create(value) => (
                Method::POST,
                "CreateSecretV3",
                "CallCreateSecretV3Raw",
                Some(value),
            ),
            Write::Update(value) => (
                Method::PATCH,
                "UpdateSecretV3",
                "CallUpdateSecretV3Raw",
                Some(value),
            ),
            Write::Delete => (
                Method::DELETE,
                "DeleteSecretV3",
                "CallDeleteSecretV3Raw",
                None,
            ),
        };
        if let Some(value) = value {
            body["secretValue"] = json!(value.expose_utf8()?);
            body["skipMultilineEncoding"] = json!(true);
        }
        let path = format!("{RAW}/{}", encode_segment(&at.name));
        let request = self.rest.request(method, &path).json(&body).build()?;
        let called = Called::new(operation, &request);
        let check = |answer| called.secret(answer);
        self.rest.call(call, request, check).await.map(drop)
    }

    /// The id of the project, by its slug: newer servers say projects, older ones workspaces.
    pub(crate) async fn project(&self) -> Result<String> {
        let slug = &self.scope.project_slug;
        let mut last = None;
        for kind in ["projects", "workspace"] {
            let path = format!("/v1/{kind}/slug/{}", encode_segment(slug));
            let check = |answer| error::project(slug, answer);
            let sent = self
                .rest
                .send("GetWorkspaceBySlug", self.rest.get(&path), check);
            match sent.await {
                Ok(answer) => {
                    let found: Project = answer.json()?;
                    if found.id.is_empty() {
                        let text = format!("project lookup for slug {slug:?} returned no id");
                        return Err(Error::invalid_data(text));
                    }
                    return Ok(found.id);
                }
                Err(error) if error.kind() == &ErrorKind::NotFound => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        let detail = last.map(|error| error.to_string()).unwrap_or_default();
        Err(Error::invalid_spec(format!(
            "no Infisical project found for slug {slug:?}: {detail}"
        )))
    }
}

/// What a write does to a secret.
pub(crate) enum Write {
    /// Makes it.
    Create(SecretValue),
    /// Changes its value.
    Update(SecretValue),
    /// Removes it.
    Delete,
}

fn expand(scope: &SecretsScope) -> &'static str {
    if scope.expand_secret_references {
        "true"
    } else {
        "false"
    }
}
