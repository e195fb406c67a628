//! The requests this provider makes. What is in an answer is decided in `entries`, what a failure means in
//! `error`.

use lockstep_provider_api::http::{RequestBuilder, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

use crate::spec::OnboardbaseSpec;
use crate::{auth, error};

/// The metric's label.
const PROVIDER: &str = "Onboardbase";
const AGENT: &str = "onboardbase-external-secrets";

/// A connection to the API.
pub(crate) struct Api {
    rest: Rest,
    project: String,
    environment: String,
}

impl Api {
    /// Resolves the key.
    pub(crate) async fn connect(spec: &OnboardbaseSpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::authenticator(spec, ctx).await?;
        let base = Address::new("spec.provider.onboardbase.apiHost", &spec.api_host)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        Ok(Self {
            rest: rest.signed(auth).agent(AGENT),
            project: spec.project.clone(),
            environment: spec.environment.clone(),
        })
    }

    /// Whether the key is good.
    pub(crate) async fn check(&self) -> Result<()> {
        let request = self.rest.get("/team/members");
        self.send("Authenticate", request).await.map(drop)
    }

    /// All entries of the environment, as the backend answers them.
    pub(crate) async fn entries(&self) -> Result<SecretValue> {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let request = self.rest.get("/secrets");
        let request = request.query_some("environment", given(&self.environment).as_deref());
        let request = request.query_some("project", given(&self.project).as_deref());
        self.send("GetSecrets", request).await
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<SecretValue> {
        let request = request.header("content-type", "application/json");
        let answer = self.rest.send(call, request, error::check).await?;
        Ok(answer.into_secret())
    }
}
