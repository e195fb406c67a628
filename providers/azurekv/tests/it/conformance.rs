//! Both ways of the provider keep the contract.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::Response;
use jiff::Timestamp;
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, response, run,
};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::http::Transport;
use lockstep_provider_azurekv::Azurekv;
use lockstep_runtime::clock::SystemTime;
use lockstep_testkit::azure::{Azure, CLIENT, SECRET};
use serde_json::{Value, json};

use crate::bench::{HOST, Redirected, spec};

struct AzureSubject {
    azure: Azure,
    sdk: bool,
}

/// A real clock on which waits are five times shorter: the time limits of sign-ins must not end
/// before the answers of real servers.
struct Shortened;

impl Time for Shortened {
    fn now(&self) -> Timestamp {
        SystemTime.now()
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(delay / 5))
    }
}

impl Subject for AzureSubject {
    type Provider = Azurekv;

    fn spec(&self) -> Value {
        let mut spec = spec();
        spec["useAzureSDK"] = json!(self.sdk);
        spec
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "id", CLIENT);
        objects.put_secret(NAMESPACE, "creds", "secret", SECRET);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::new(Redirected::new(&self.azure)))
    }

    fn time(&self) -> Option<Arc<dyn Time>> {
        Some(Arc::new(Shortened))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["login.microsoftonline.com"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let body = json!({ "value": value.expose_utf8().unwrap() });
        let path = format!("/secrets/{key}");
        self.azure.vault("PUT", HOST, &path, &body).unwrap();
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        match value.expose_utf8() {
            Ok(_) => Ok(()),
            Err(_) => Err("a vault keeps text"),
        }
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let code = match status {
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "SecretNotFound",
            409 => "Conflict",
            429 => "Throttled",
            _ => "InternalServerError",
        };
        let body = json!({ "error": { "code": code, "message": "no" }, "value": CANARY });
        response(status, body.to_string())
    }
}

async fn conforms(sdk: bool) {
    let azure = Azure::start().unwrap();
    let report = run(&AzureSubject { azure, sdk }).await;

    report.assert_passed();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_way_keeps_the_contract() {
    conforms(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_way_keeps_the_contract() {
    conforms(true).await;
}
