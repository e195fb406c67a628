//! The provider keeps the contract.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, response, run,
};
use lockstep_provider_api::http::{StatusCode, Tls, Transport, Transports, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, Find, PushTarget, RemoteRef, SecretValue};
use lockstep_provider_onepassword::Onepassword;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::onepassword::TOKEN;
use serde_json::{Value, json};

use crate::bench::{Bench, spec};

struct OnepasswordSubject {
    bench: Bench,
    transport: Arc<dyn Transport>,
}

impl Subject for OnepasswordSubject {
    type Provider = Onepassword;

    fn spec(&self) -> Value {
        spec(&self.bench.connect, &json!({ "first": 1 }))
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "token", TOKEN);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    /// An item of the key's name, with a field of that name too: searches go by labels.
    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let text = value.expose_utf8().unwrap();
        let connect = &self.bench.connect;
        connect.item(&self.bench.first, key, "LOGIN", &[(key, text)]);
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value
            .expose_utf8()
            .map(|_| ())
            .map_err(|_| "fields hold text")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(key)
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget {
            property: Some(key.to_owned()),
            ..PushTarget::key(key)
        }
    }

    fn search(&self, prefix: &str) -> Find {
        Find {
            name: Some(format!("^{prefix}")),
            ..Find::default()
        }
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = json!({ "status": status, "message": "no", "value": CANARY });
        response(status, body.to_string())
    }

    /// Nothing is absence here, as at upstream.
    fn expected(&self, _: Call, status: u16) -> Option<ErrorKind> {
        match status {
            404 => Some(ErrorKind::InvalidData),
            other => StatusCode::from_u16(other).ok().and_then(kind_of),
        }
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        (topic == Topic::Deletes).then_some("a deleted item is no missing secret, as at upstream")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn onepassword_keeps_the_contract() {
    let transports = HttpTransports::new(Settings::default());
    let subject = OnepasswordSubject {
        bench: Bench::new(),
        transport: transports.connect(&Tls::default()).unwrap(),
    };

    let report = run(&subject).await;

    report.assert_passed();
}
