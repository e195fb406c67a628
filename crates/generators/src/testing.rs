//! What the tests of all kinds share: objects in memory, a server that a function plays, and its log
//! of requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{Request, Response};
use lockstep_provider_api::conformance::{NAMESPACE, TestServices, response, scripted, services};
use lockstep_provider_api::generator::Maker;
use lockstep_provider_api::{Generated, SecretValue};
use serde_json::Value;

use crate::lookup;
use crate::random::Counting;

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn of(request: &Request<Bytes>) -> Self {
        Self {
            line: format!("{} {}", request.method(), request.uri()),
            headers: request.headers().clone(),
            body: String::from_utf8_lossy(request.body()).into_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// What was made, in a form to compare.
#[derive(Debug)]
pub(crate) struct Made(pub(crate) Generated);

impl Made {
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let text = |value: &SecretValue| value.expose_utf8().unwrap().to_owned();
        let values = self.0.values.iter();
        values
            .map(|(key, value)| (key.to_owned(), text(value)))
            .collect()
    }
}

/// A place to try a generator at.
pub(crate) struct Bench {
    services: TestServices,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            services: services(),
            seen: Arc::default(),
        }
    }

    pub(crate) fn secret(self, name: &str, data: &[(&str, &str)]) -> Self {
        for (key, value) in data {
            self.services
                .objects
                .put_secret(NAMESPACE, name, key, *value);
        }
        self
    }

    pub(crate) fn service_account(self, name: &str) -> Self {
        let objects = &self.services.objects;
        objects.put_service_account(NAMESPACE, name, BTreeMap::new());
        self
    }

    /// Puts a server at the other end of the wire: status and body for each request line.
    pub(crate) fn server(
        mut self,
        answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let log = Arc::clone(&self.seen);
        let transport = scripted(move |request: Request<Bytes>| -> Response<Bytes> {
            let seen = Seen::of(&request);
            let (status, body) = answer(&seen);
            log.lock().unwrap().push(seen);
            response(status, body)
        });
        self.services = self.services.plugged(transport);
        self
    }

    /// Requests that came, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn generate(&self, kind: &str, spec: &Value) -> Result<Made, String> {
        let ctx = self.services.ctx("g");
        let mut random = Counting::default();
        let made = match lookup(kind).unwrap().maker() {
            Maker::Local(maker) => maker.generate(spec, &mut random).map(Generated::from),
            Maker::Remote(maker) => maker
                .generate(spec, &ctx, &mut random)
                .now_or_never()
                .expect("the test server answers at once"),
        };
        made.map(Made).map_err(|error| {
            assert!(!error.consequence().absent, "{error}");
            error.to_string()
        })
    }

    pub(crate) fn cleanup(&self, kind: &str, spec: &Value, state: Value) -> Result<(), String> {
        let ctx = self.services.ctx("g");
        let Maker::Remote(maker) = lookup(kind).unwrap().maker() else {
            panic!("{kind} keeps no state");
        };
        let done = maker.cleanup(spec, state, &ctx).now_or_never();
        done.expect("the test server answers at once")
            .map_err(|error| error.to_string())
    }
}

/// An answer of one status and body to everything.
pub(crate) fn always(status: u16, body: &str) -> impl Fn(&Seen) -> (u16, String) + use<> {
    let body = body.to_owned();
    move |_| (status, body.clone())
}
