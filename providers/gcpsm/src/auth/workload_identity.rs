//! Workload identity of GKE: a token of a ServiceAccount, made for the cluster's identity pool, is
//! exchanged for one of Google; where the ServiceAccount is annotated with an account of Google,
//! that one is acted as.

use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use serde_json::json;

use super::impersonation::Target;
use super::{ACCOUNT_ANNOTATION, Identity, METRIC, SCOPE, Source};
use super::{exchange, metadata, namespace_of};
use crate::endpoint::Endpoint;
use crate::spec::{WorkloadIdentity, given};

const URL: &str = "https://securetoken.googleapis.com/v1/identitybindingtoken";
/// As upstream asks for.
pub(super) const TOKEN_LIFE: Duration = Duration::from_mins(15);

/// A ServiceAccount and what its token is exchanged for.
pub(super) struct Binding {
    account: ServiceAccountSelector,
    pool: String,
    provider: String,
    acts_as: Option<Target>,
}

/// The identity of a ServiceAccount of this cluster.
pub(super) async fn identity(spec: &WorkloadIdentity, ctx: &Ctx) -> Result<Identity> {
    let account = &spec.service_account_ref;
    let read = ctx.service_account(account).await;
    // Upstream has the kind where the API server has the resource.
    let annotations = read.map_err(|error| {
        error.map_message(|text| text.replacen("serviceaccounts ", "ServiceAccount ", 1))
    })?;
    let namespace = namespace_of(account.namespace.as_deref(), ctx)?;
    let (pool, provider) = pool(spec, ctx)
        .await
        .map_err(|error| error.context("unable to lookup workload identity"))?;
    let email = given(annotations.get(ACCOUNT_ANNOTATION).map(String::as_str));
    let who = match email {
        Some(email) => format!(
            "ServiceAccount {namespace}/{} acting as {email}",
            account.name
        ),
        None => format!("ServiceAccount {pool}[{namespace}/{}]", account.name),
    };
    let mut parts = vec!["gcp workload", &namespace, &account.name, &pool, &provider];
    parts.push(email.unwrap_or_default());
    parts.extend(account.audiences.iter().flatten().map(String::as_str));
    let fingerprint = Fingerprint::of(parts);
    let binding = Binding {
        account: account.clone(),
        acts_as: email.map(Target::account),
        pool,
        provider,
    };
    let source = Source::Workload(Box::new(binding));
    Ok(Identity::new(who, fingerprint, source, ctx))
}

/// The cluster's identity pool, and the cluster as its provider.
async fn pool(spec: &WorkloadIdentity, ctx: &Ctx) -> Result<(String, String)> {
    let project = match given(spec.cluster_project_id.as_deref()) {
        Some(project) => project.to_owned(),
        None => metadata::project(ctx)
            .await
            .map_err(|error| error.context("unable to get project id"))?,
    };
    let location = match given(spec.cluster_location.as_deref()) {
        Some(location) => location.to_owned(),
        None => metadata::attribute("cluster-location", ctx)
            .await
            .map_err(|error| error.context("unable to determine cluster location"))?,
    };
    let name = match given(spec.cluster_name.as_deref()) {
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
    pub(super) async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let own = self.binding_token(who, ctx).await?;
        match &self.acts_as {
            None => Ok(own),
            Some(target) => target
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
