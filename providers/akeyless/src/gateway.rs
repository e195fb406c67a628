//! Where commands are sent. An address that does not answer as Akeyless's API does is a gateway, whose
//! API is below `/v2`; that is found out with the first command and remembered.

use async_lock::OnceCell;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, tls};
use serde_json::{Map, Value};

use crate::spec::AkeylessSpec;

/// The metric's label, in upstream's spelling.
const PROVIDER: &str = "AKEYLESSLESS/SecretsManager";
const DEFAULT_URL: &str = "https://api.akeyless.io";
const VERSION: &str = "/v2";
/// What the API itself says to an empty request.
const UNKNOWN: &[u8] = b"unknown command";

/// The address, as the manifest has it and as it turned out to be.
pub(crate) struct Gateway {
    rest: Rest,
    found: OnceCell<Address>,
}

/// The address that the manifest has.
pub(crate) fn address(spec: &AkeylessSpec) -> Result<Address> {
    let url = match spec.gateway.as_str() {
        "" => DEFAULT_URL,
        url => url,
    };
    Address::new("spec.provider.akeyless.akeylessGWApiURL", url)
}

impl Gateway {
    /// Resolves trust; sends nothing.
    pub(crate) async fn new(spec: &AkeylessSpec, base: Address, ctx: &Ctx) -> Result<Self> {
        let bundle = spec.ca_bundle.as_ref().filter(|bundle| !bundle.is_empty());
        let trust = tls::trusting(ctx, bundle, spec.ca_provider.as_ref()).await?;
        let found = OnceCell::new();
        if spec.gateway.is_empty() || base.as_str().ends_with(VERSION) {
            let _ = found.set(base.clone()).await;
        }
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        Ok(Self { rest, found })
    }

    /// The context of the store.
    pub(crate) fn ctx(&self) -> &Ctx {
        self.rest.ctx()
    }

    /// The address as the manifest has it, for connection tests and identities.
    pub(crate) fn given(&self) -> &Address {
        self.rest.base()
    }

    /// Sends a command.
    pub(crate) async fn send(
        &self,
        (call, command): (&'static str, &str),
        body: Map<String, Value>,
        check: impl FnOnce(Answer) -> Result<Answer>,
    ) -> Result<Answer> {
        let base = self.found.get_or_try_init(|| self.probe()).await?;
        let rest = self.rest.clone().at(base.clone());
        let request = rest.post(&format!("/{command}")).accept_json();
        rest.send(call, request.json(&Value::Object(body)), check)
            .await
    }

    /// An outage is not remembered: it says nothing about the address.
    async fn probe(&self) -> Result<Address> {
        let request = self
            .rest
            .post("")
            .header("content-type", "application/json");
        let answer = request.send().await?;
        let body = answer.expose_body();
        let is_api = body.windows(UNKNOWN.len()).any(|part| part == UNKNOWN);
        if is_api {
            return Ok(self.given().clone());
        }
        Address::new("akeylessGWApiURL", &self.given().join(VERSION))
    }
}
