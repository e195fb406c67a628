//! Workload identity of GKE: a token of a ServiceAccount, made for the cluster's identity pool, is
//! exchanged for one of Google; where the ServiceAccount is annotated with an account of Google,
//! that one is acted as.

use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::token_cache::AccessToken;
use serde_json::json;

use super::endpoint::Endpoint;
use super::impersonation::Target;
use super::{METRIC, SCOPE, exchange, metadata};

const URL: &str = "https://securetoken.googleapis.com/v1/identitybindingtoken";
/// Annotation of a ServiceAccount that names the account of Google it may act as.
pub const ACCOUNT_ANNOTATION: &str = "iam.gke.io/gcp-service-account";
/// Life of the token of a ServiceAccount, as upstream asks for.
pub const TOKEN_LIFE: Duration = Duration::from_mins(15);

/// The cluster as the manifest names it; what is absent is asked from the metadata server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cluster<'a> {
    /// Project of the cluster.
    pub project: Option<&'a str>,
    /// Location of the cluster.
    pub location: Option<&'a str>,
    /// Name of the cluster.
    pub name: Option<&'a str>,
}

/// A ServiceAccount and what its token is exchanged for.
#[derive(Debug)]
pub struct Binding {
    account: ServiceAccountSelector,
    pool: String,
    provider: String,
    email: Option<String>,
}

impl Binding {
    /// The binding of a ServiceAccount of this cluster. No token is requested yet.
    pub async fn read(
        account: &ServiceAccountSelector,
        cluster: Cluster<'_>,
        ctx: &Ctx,
    ) -> Result<Self> {
        let read = ctx.service_account(account).await;
        // Upstream has the kind where the API server has the resource.
        let annotations = read.map_err(|error| {
            error.map_message(|text| text.replacen("serviceaccounts ", "ServiceAccount ", 1))
        })?;
        let (pool, provider) = pool(cluster, ctx)
            .await
            .map_err(|error| error.context("unable to lookup workload identity"))?;
        let email = annotations.get(ACCOUNT_ANNOTATION);
        Ok(Self {
            account: account.clone(),
            pool,
            provider,
            email: email.filter(|email| !email.is_empty()).cloned(),
        })
    }

    /// The account of Google that is acted as.
    pub fn email(&self) -> Option<&str> {
        self.email.as_deref()
    }

    /// Whose token it is, for messages.
    pub fn who(&self, namespace: &str) -> String {
        let name = &self.account.name;
        match &self.email {
            Some(email) => format!("ServiceAccount {namespace}/{name} acting as {email}"),
            None => format!("ServiceAccount {}[{namespace}/{name}]", self.pool),
        }
    }

    /// All that can change whose token it is, but the namespace.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        let email = self.email.as_deref().unwrap_or_default();
        let own = [&*self.account.name, &*self.pool, &*self.provider, email];
        let audiences = self.account.audiences.iter().flatten();
        own.into_iter().chain(audiences.map(String::as_str))
    }
}

/// The cluster's identity pool, and the cluster as its provider.
async fn pool(cluster: Cluster<'_>, ctx: &Ctx) -> Result<(String, String)> {
    let project = match given(cluster.project) {
        Some(project) => project.to_owned(),
        None => metadata::project(ctx)
            .await
            .map_err(|error| error.context("unable to get project id"))?,
    };
    let location = match given(cluster.location) {
        Some(location) => location.to_owned(),
        None => metadata::attribute("cluster-location", ctx)
            .await
            .map_err(|error| error.context("unable to determine cluster location"))?,
    };
    let name = match given(cluster.name) {
        Some(name) => name.to_owned(),
        None => metadata::attribute("cluster-name", ctx)
            .await
            .map_err(|error| error.context("unable to determine cluster name"))?,
    };
    let provider = format!(
        "https://container.googleapis.com/v1/projects/{project}/locations/{location}/clusters/{name}"
    );
    Ok((format!("{project}.svc.id.goog"), provider))
}

impl Binding {
    /// A token of Google.
    pub async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let own = self.binding_token(who, ctx).await?;
        match self.email() {
            None => Ok(own),
            Some(email) => Target::account(email)
                .token(&own.value, who, ctx)
                .await
                .map_err(|error| error.context("unable to generate gcp access token")),
        }
    }

    async fn binding_token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let audiences = [self.pool.clone()];
        let made = ctx
            .service_account_token(&self.account, &audiences, TOKEN_LIFE)
            .await;
        let token = ctx
            .counted(METRIC, "GenerateServiceAccountToken", made)
            .map_err(|error| error.context("unable to fetch pod token"))?;
        let exchanged = self.exchange(&token, who, ctx).await;
        ctx.counted(METRIC, "GenerateIDBindToken", exchanged)
            .map_err(|error| error.context("unable to fetch identitybindingtoken"))
    }

    async fn exchange(&self, token: &SecretValue, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let body = json!({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "subject_token": token.expose_utf8()?,
            "audience": format!("identitynamespace:{}:{}", self.pool, self.provider),
            "scope": SCOPE,
        });
        let url = Endpoint::SecureToken.url(URL, ctx)?;
        let request = exchange::client(ctx)?.post(url).json(&body);
        let answer = exchange::send("securetoken.googleapis.com", request, ctx).await?;
        let Some(refusal) = exchange::refusal(&answer) else {
            return exchange::granted(&answer, "securetoken.googleapis.com", ctx);
        };
        let text = format!(
            "could not get idbindtoken token, status: {} ({} {} as {who}; check that workload \
             identity is enabled on the cluster and that clusterProjectID, clusterLocation and \
             clusterName name it)",
            refusal.status, refusal.code, refusal.text
        );
        Err(refusal.error(text, &answer))
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
