//! What the suite must know of a provider: how to make a store, how to put a secret at its backend
//! and how to make that backend fail. Everything else has a default.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;

use super::objects::MemoryObjects;
use super::transport::{Fault, response};
use super::{CANARY, Topic};
use crate::context::Time;
use crate::error::ErrorKind;
use crate::http::{StatusCode, Transport, kind_of};
use crate::layer::Call;
use crate::request::{Find, PushTarget, RemoteRef};
use crate::settings::Variables;
use crate::store::Provider;
use crate::value::SecretValue;

/// A provider under test. Its backend may be a script or a real server.
pub trait Subject: Send + Sync {
    /// The provider.
    type Provider: Provider;

    /// The manifest part of a store that works. Asked for again before every connection.
    fn spec(&self) -> serde_json::Value;

    /// Stores the Kubernetes objects the spec refers to. Stores live in the namespace
    /// [`super::NAMESPACE`].
    fn prepare(&self, _objects: &MemoryObjects) {}

    /// What answers the provider's HTTP requests: a script or a way to a real server. `None` for
    /// providers that do not use `ctx.http`.
    fn transport(&self) -> Option<Arc<dyn Transport>> {
        None
    }

    /// Hosts that never fail: those where the provider signs in, so that faults meet the backend.
    /// With a path (`host/login`) only what is below it never fails.
    fn spared_hosts(&self) -> &'static [&'static str] {
        &[]
    }

    /// A way to make the backend fail, for providers that reach it by other means than `ctx.http`,
    /// such as a vendor's SDK through a proxy. Checks that need faults are skipped without it.
    fn faults(&self) -> Option<Arc<dyn Faults>> {
        None
    }

    /// Settings of the operator, such as the address of the backend.
    fn variables(&self) -> Variables {
        Variables::default()
    }

    /// The clock, for backends that live in real time. By default nobody ever waits.
    fn time(&self) -> Option<Arc<dyn Time>> {
        None
    }

    /// Puts a secret at the backend, or tells why it cannot be there.
    fn seed(
        &self,
        key: &str,
        value: &SecretValue,
    ) -> impl Future<Output = Result<(), &'static str>> + Send;

    /// Why the backend cannot hold a pushed value; `Ok` if it can.
    fn holds(&self, _value: &SecretValue) -> Result<(), &'static str> {
        Ok(())
    }

    /// How a seeded or pushed secret is read.
    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key)
    }

    /// What a read gives for a seeded value, where the backend or upstream dresses it up.
    fn given(&self, value: &SecretValue) -> SecretValue {
        value.clone()
    }

    /// Where to push so that [`Self::reference`] reads it.
    fn target(&self, key: &str) -> PushTarget {
        PushTarget::key(key)
    }

    /// A search for the seeded secrets whose keys begin with `prefix`.
    fn search(&self, prefix: &str) -> Find {
        Find {
            name: Some(format!("^{prefix}")),
            ..Find::default()
        }
    }

    /// The name under which a search gives a seeded secret.
    fn found_name(&self, key: &str) -> String {
        key.to_owned()
    }

    /// What a search gives for a seeded value.
    fn found(&self, value: &SecretValue) -> SecretValue {
        value.clone()
    }

    /// How many secrets a list needs to span several pages.
    fn long_list(&self) -> usize {
        25
    }

    /// The backend's answer with a status. Its body should hold [`CANARY`] where the backend's own
    /// answers might hold a secret.
    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = serde_json::json!({ "data": { "value": CANARY } });
        response(status, body.to_string())
    }

    /// The kind of error a call must end with when the backend answers with a status.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    /// Why a check does not apply to this provider.
    fn waives(&self, _topic: Topic) -> Option<&'static str> {
        None
    }
}

/// A backend that can be made to fail.
pub trait Faults: Send + Sync {
    /// Lets `passing` requests through and has every later one meet the fault.
    fn fail_after(&self, passing: usize, fault: Fault);

    /// Ends the fault.
    fn heal(&self);

    /// Requests so far.
    fn sent(&self) -> usize;
}
