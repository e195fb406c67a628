//! The certificate controller as a process of its own: makes and renews the certificate in the
//! Secret, and puts its authority into webhook configurations and converting CRDs. Only needed where
//! it is switched on; the webhook does without it.

use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::ListParams;
use kube::{Api, Client};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use lockstep_runtime::health::Component;
use serde_json::Value;

use crate::certificate_secret::CertificateSecret;
use crate::injector::{self, Address};

/// Marks what the certificate controller looks after.
const LABEL: &str = "external-secrets.io/component";
/// Pause while something is missing.
const EAGER: Duration = Duration::from_secs(2);
/// Longest pause between two looks at the webhook configurations, which are small.
const CALM: Duration = Duration::from_secs(15);

/// Looks after the certificate and whoever has to trust it.
pub struct CertController {
    /// Reaches the API server.
    pub client: Client,
    /// The Secret.
    pub secret: CertificateSecret,
    /// Where the webhook is reached.
    pub at: Address,
    /// CRDs that may convert by webhook.
    pub crds: Vec<String>,
    /// Pause between two looks at CRDs.
    pub interval: Duration,
    /// Tells whether webhook configurations are in order.
    pub webhooks: Component,
    /// Tells whether CRDs are in order.
    pub definitions: Component,
}

impl CertController {
    /// Works for ever.
    pub async fn run(&self) {
        let mut since = Duration::MAX;
        loop {
            let crds_due = since >= self.interval;
            let fine = self.look(crds_due).await;
            let pause = if fine { self.interval.min(CALM) } else { EAGER };
            since = if crds_due && fine {
                pause
            } else {
                since.saturating_add(pause)
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// One look; says whether everything is in order.
    async fn look(&self, crds_due: bool) -> bool {
        let authority = match self.authority().await {
            Ok(authority) => authority,
            Err(reason) => {
                self.webhooks.waiting(reason.clone());
                self.definitions.waiting(reason);
                return false;
            }
        };
        let mut fine = tell(&self.webhooks, self.configurations(&authority).await);
        if crds_due {
            fine &= tell(&self.definitions, self.definitions(&authority).await);
        }
        fine
    }

    async fn authority(&self) -> Result<String, String> {
        let stored = self.secret.read().await?;
        let bundle = self.secret.ensure(stored).await?;
        Ok(bundle.ok_or("ca cert not yet ready")?.authority)
    }

    async fn configurations(&self, authority: &str) -> Result<(), String> {
        let api: Api<ValidatingWebhookConfiguration> = Api::all(self.client.clone());
        let found = api
            .list_metadata(&ListParams::default().labels(LABEL))
            .await;
        let found = found.map_err(|error| ApiError::from(error).to_string())?;
        for name in found
            .items
            .into_iter()
            .filter_map(|item| item.metadata.name)
        {
            let target = ApiObject::of::<ValidatingWebhookConfiguration>(None, &name);
            self.update(&target, "ValidatingWebhookConfiguration", |object| {
                Ok(injector::claimed(object, &self.at, authority))
            })
            .await?;
        }
        self.reachable().await
    }

    async fn definitions(&self, authority: &str) -> Result<(), String> {
        for name in &self.crds {
            let target = ApiObject::of::<CustomResourceDefinition>(None, name);
            self.update(&target, "CustomResourceDefinition", |object| {
                injector::converted(object, &self.at, authority)
            })
            .await?;
        }
        Ok(())
    }

    /// Changes an object if there is something to change; one that is not there is fine.
    async fn update(
        &self,
        target: &ApiObject,
        kind: &str,
        change: impl FnOnce(&Value) -> Result<Option<Value>, String>,
    ) -> Result<(), String> {
        let told = |reason: String| format!("{kind} {}: {reason}", target.name());
        let found = target.get::<Value>(&self.client).await;
        let Some(object) = found.map_err(|failure| told(failure.to_string()))? else {
            return Ok(());
        };
        let Some(new) = change(&object).map_err(told)? else {
            return Ok(());
        };
        let writer = Writer::new(self.client.clone());
        match writer.replace::<Written>(target, &new, None).await {
            Ok(_) => {
                tracing::info!(kind, name = target.name(), "put the authority in");
                Ok(())
            }
            Err(failure) if failure.is(ApiErrorKind::Conflict) => Ok(()),
            Err(failure) => Err(told(failure.to_string())),
        }
    }

    /// An error while no webhook pod is ready behind the Service.
    async fn reachable(&self) -> Result<(), String> {
        let Address { service, namespace } = &self.at;
        let api: Api<EndpointSlice> = Api::namespaced(self.client.clone(), namespace);
        let label = format!("kubernetes.io/service-name={service}");
        let slices = api.list(&ListParams::default().labels(&label)).await;
        let slices = slices.map_err(|error| ApiError::from(error).to_string())?;
        let ready = slices
            .items
            .iter()
            .flat_map(|slice| slice.endpoints.iter().flatten())
            .any(|endpoint| {
                let ready = endpoint
                    .conditions
                    .as_ref()
                    .and_then(|conditions| conditions.ready);
                ready.unwrap_or(true) && !endpoint.addresses.is_empty()
            });
        if ready {
            return Ok(());
        }
        Err(format!("no ready pod behind service {namespace}/{service}"))
    }
}

fn tell(component: &Component, result: Result<(), String>) -> bool {
    match result {
        Ok(()) => {
            component.ready();
            true
        }
        Err(reason) => {
            component.waiting(reason);
            false
        }
    }
}
