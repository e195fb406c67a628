//! The identity of the machine or pod that the operator runs on, by the metadata service of a VM,
//! of App Service, of Cloud Shell or of Azure Arc. All of it is ambient identity.

use std::time::Duration;

use lockstep_provider_api::http::{Answer, HttpClient, RequestBuilder};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;
use serde::Deserialize;

use super::entra::{life_until, seconds};
use super::{Described, Source, arc, refusal, within};
use crate::spec::AzureSpec;

/// Longest time for one answer: the service is on the machine or next to it.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Attempts while the service is not ready; the circuit breaker of the store goes on from there.
const ATTEMPTS: u32 = 3;
const DELAY: Duration = Duration::from_millis(500);
/// Address of the service of a VM.
const IMDS: &str = "http://169.254.169.254";

/// A metadata service and the identity that is wanted of it.
pub(super) struct Machine {
    service: Service,
    identity: Option<String>,
}

enum Service {
    /// Of a virtual machine or of AKS nodes.
    Imds {
        base: String,
    },
    /// Of App Service and Container Apps.
    App {
        url: String,
        header: SecretValue,
    },
    /// The older form of App Service, and of Azure ML.
    OldApp {
        url: String,
        secret: SecretValue,
    },
    CloudShell {
        url: String,
    },
    Arc {
        url: String,
    },
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_on: serde_json::Value,
    #[serde(default)]
    expires_in: serde_json::Value,
}

/// The identity of the machine. The operator's settings name the service.
pub(super) fn describe(spec: &AzureSpec, ctx: &Ctx) -> Result<Described> {
    ctx.ambient().ok_or_else(refusal::no_ambient)?;
    let service = service(ctx);
    let identity = spec.identity().map(str::to_owned);
    let who = match &identity {
        Some(id) => format!("managed identity {id}"),
        None => "the managed identity of the operator's machine".to_owned(),
    };
    Ok(Described {
        who,
        parts: vec![
            "machine".to_owned(),
            service.url().to_owned(),
            identity.clone().unwrap_or_default(),
        ],
        source: Source::Machine(Machine { service, identity }),
    })
}

fn service(ctx: &Ctx) -> Service {
    let secret = |name: &str| ctx.variable(name).map(SecretValue::from);
    if let Some(url) = ctx.variable("IDENTITY_ENDPOINT") {
        if let Some(header) = secret("IDENTITY_HEADER") {
            return Service::App { url, header };
        }
        if ctx.variable("IMDS_ENDPOINT").is_some() {
            return Service::Arc { url };
        }
    }
    match (ctx.variable("MSI_ENDPOINT"), secret("MSI_SECRET")) {
        (Some(url), Some(secret)) => Service::OldApp { url, secret },
        (Some(url), None) => Service::CloudShell { url },
        (None, _) => {
            let base = ctx.variable("AZURE_POD_IDENTITY_AUTHORITY_HOST");
            let base = base.unwrap_or_else(|| IMDS.to_owned());
            Service::Imds {
                base: base.trim_end_matches('/').to_owned(),
            }
        }
    }
}

impl Service {
    fn url(&self) -> &str {
        match self {
            Self::Imds { base: url }
            | Self::App { url, .. }
            | Self::OldApp { url, .. }
            | Self::CloudShell { url }
            | Self::Arc { url } => url,
        }
    }
}

impl Machine {
    /// A new token for an audience.
    pub(super) async fn request(
        &self,
        audience: &str,
        http: &HttpClient,
        ctx: &Ctx,
    ) -> Result<AccessToken> {
        let mut attempt = 1;
        let answer = loop {
            let answer = self.ask(audience, http, ctx).await?;
            // The service of a fresh machine answers 404 and 410 for a while.
            let unready = matches!(answer.status().as_u16(), 404 | 410 | 500..=599);
            if !unready || attempt == ATTEMPTS {
                break answer;
            }
            ctx.time().sleep(DELAY * attempt).await;
            attempt += 1;
        };
        if !answer.status().is_success() {
            return Err(refusal::of_machine(&answer, self.identity.as_deref()));
        }
        let granted: Granted = answer.json()?;
        let life = life_until(&granted.expires_on, ctx.now());
        let life = life.or_else(|| seconds(&granted.expires_in)).unwrap_or(300);
        Ok(AccessToken::lasting(
            granted.access_token.into(),
            life,
            ctx.now(),
        ))
    }

    async fn ask(&self, audience: &str, http: &HttpClient, ctx: &Ctx) -> Result<Answer> {
        let send = async |request: RequestBuilder| {
            within(TIMEOUT, ctx, self.service.url(), request.send()).await
        };
        let first = send(self.prepare(audience, http)).await?;
        if matches!(self.service, Service::Arc { .. }) && first.status() == 401 {
            let proof = arc::proof(&first, ctx)?;
            let again = self.prepare(audience, http);
            return send(again.secret_header("Authorization", &proof)).await;
        }
        Ok(first)
    }

    fn prepare(&self, audience: &str, http: &HttpClient) -> RequestBuilder {
        let id = self.identity.as_deref();
        match &self.service {
            Service::Imds { base } => http
                .get(format!("{base}/metadata/identity/oauth2/token"))
                .query("api-version", "2018-02-01")
                .query("resource", audience)
                .query_some("client_id", id)
                .header("Metadata", "true"),
            Service::App { url, header } => http
                .get(url)
                .query("api-version", "2019-08-01")
                .query("resource", audience)
                .query_some("client_id", id)
                .secret_header("X-IDENTITY-HEADER", header),
            Service::OldApp { url, secret } => http
                .get(url)
                .query("api-version", "2017-09-01")
                .query("resource", audience)
                .query_some("clientid", id)
                .secret_header("secret", secret),
            Service::CloudShell { url } => {
                let mut form = vec![("resource", audience)];
                form.extend(id.map(|id| ("client_id", id)));
                http.post(url).header("Metadata", "true").form(&form)
            }
            Service::Arc { url } => http
                .get(url)
                .query("api-version", "2020-06-01")
                .query("resource", audience)
                .header("Metadata", "true"),
        }
    }
}
