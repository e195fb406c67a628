//! Keeps the certificate in a Secret that all replicas read: makes one when there is none, renews it
//! before it ends. Writes are optimistic, so that two keepers never overwrite each other; who keeps
//! is the caller's choice. The Secret itself is made by whoever installs the operator.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::context::Time;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use serde_json::json;

use crate::certificate::Bundle;

/// The Secret with the certificate of one server name.
#[derive(Clone)]
pub struct CertificateSecret {
    writer: Writer,
    target: ApiObject,
    label: String,
    name: String,
    ahead: Duration,
    time: Arc<dyn Time>,
}

/// What the Secret holds now.
#[derive(Debug)]
pub struct Stored {
    /// A whole bundle, good or not.
    pub bundle: Option<Bundle>,
    version: Option<String>,
}

impl CertificateSecret {
    /// The keeper of `namespace/secret` for the server `name`, which renews what ends within `ahead`.
    pub fn new(
        client: Client,
        (namespace, secret): (&str, &str),
        name: impl Into<String>,
        ahead: Duration,
        time: Arc<dyn Time>,
    ) -> Self {
        Self {
            writer: Writer::new(client),
            target: ApiObject::of::<Secret>(Some(namespace), secret),
            label: format!("Secret {namespace}/{secret}"),
            name: name.into(),
            ahead,
            time,
        }
    }

    /// Reads the Secret.
    pub async fn read(&self) -> Result<Stored, String> {
        let found: Option<Secret> = self
            .target
            .get(self.writer.client())
            .await
            .map_err(|failure| self.told(&failure))?;
        let Some(secret) = found else {
            return Err(format!(
                "{} is not there: the chart makes it, or `kubectl create secret generic`",
                self.label
            ));
        };
        let data: BTreeMap<_, _> = secret
            .data
            .unwrap_or_default()
            .into_iter()
            .map(|(key, ByteString(bytes))| (key, SecretValue::new(bytes)))
            .collect();
        Ok(Stored {
            bundle: Bundle::from_data(&data),
            version: secret.metadata.resource_version,
        })
    }

    /// Renews what is stored if it is time; says what is stored then.
    pub async fn ensure(&self, stored: Stored) -> Result<Option<Bundle>, String> {
        let now = self.now();
        let Some(new) = Bundle::renewed(stored.bundle.as_ref(), &self.name, now, self.ahead)?
        else {
            return Ok(stored.bundle);
        };
        let data: BTreeMap<_, _> = new
            .to_data()
            .into_iter()
            .map(|(key, value)| (key, ByteString(value.expose().to_vec())))
            .collect();
        let patch = json!({"metadata": {"resourceVersion": stored.version}, "data": data});
        let written = self
            .writer
            .merge::<Written>(&self.target, &patch, None)
            .await;
        match written {
            Ok(_) => {
                tracing::info!(secret = %self.label, name = %self.name, "wrote a new certificate");
                Ok(Some(new))
            }
            // Another keeper was first; its certificate is read next time.
            Err(failure) if failure.is(ApiErrorKind::Conflict) => Ok(stored.bundle),
            Err(failure) => Err(self.told(&failure)),
        }
    }

    /// The time by its clock.
    pub fn now(&self) -> Timestamp {
        self.time.now()
    }

    fn told(&self, failure: &ApiError) -> String {
        let remedy = if failure.is(ApiErrorKind::Forbidden) {
            " (it takes get, update and patch on this one Secret)"
        } else {
            ""
        };
        format!("{}: {failure}{remedy}", self.label)
    }
}
