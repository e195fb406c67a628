//! The requests this provider makes. What is in an answer is decided in `entries`, what a failure means in
//! `error`.

use lockstep_provider_api::http::{RequestBuilder, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, Scheme, StaticHeader};

use crate::error;
use crate::spec::OnboardbaseSpec;

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
        let key = ctx.secret(&spec.auth.api_key_ref).await;
        let key =
            key.map_err(|error| error.context("unable to find find OnboardbaseAPIKey secret"))?;
        if key.is_empty() {
            let selector = &spec.auth.api_key_ref;
            return Err(Error::invalid_spec(format!(
                "auth.secretRef.onboardbaseAPIKey.key '{}' not found in secret '{}'",
                selector.key.as_deref().unwrap_or_default(),
                selector.name.as_deref().unwrap_or_default()
            )));
        }
        let base = Address::new("spec.provider.onboardbase.apiHost", &spec.api_host)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        let auth = StaticHeader::new(Scheme::header("api_key"), key);
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

/// The passcode, less a final line break.
pub(crate) async fn passcode(spec: &OnboardbaseSpec, ctx: &Ctx) -> Result<SecretValue> {
    let selector = &spec.auth.passcode_ref;
    let held = ctx.secret(selector).await;
    let held = held.map_err(|error| error.context("unable to find OnboardbasePasscode secret"))?;
    let held = SecretValue::from(held.without_final_newline());
    if held.is_empty() {
        return Err(Error::invalid_spec(format!(
            "auth.secretRef.onboardbasePasscode.key '{}' not found in secret '{}'",
            selector.key.as_deref().unwrap_or_default(),
            selector.name.as_deref().unwrap_or_default()
        )));
    }
    Ok(held)
}
