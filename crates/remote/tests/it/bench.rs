//! Stores whose answers tell with whose credentials they were asked for, on a wire under control.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request as HttpRequest, Response};
use jiff::Timestamp;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_plan::Salt;
use lockstep_plan::external_secret::{Payload, Read};
use lockstep_provider_api::conformance::{
    Faults, TestServices, block_on, response, scripted, services,
};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{RemoteRef, Result, SecretValue};
use lockstep_remote::{Connections, ReadRequest, RemoteClient, StoreRecord};

/// A cluster store whose credentials are looked up in `namespace`; an empty one means the caller's.
pub(crate) fn store(namespace: &str) -> Arc<StoreRecord> {
    let yaml = format!(
        "
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {{name: shared, uid: u1, generation: 1}}
spec:
  provider:
    kubernetes:
      remoteNamespace: remote
      server: {{url: https://cluster.example}}
      auth:
        token:
          bearerToken: {{name: login, key: token, namespace: {namespace}}}
"
    );
    let store: ClusterSecretStore = serde_saphyr::from_str(&yaml).unwrap();
    Arc::new(store.into())
}

/// A SecretStore of a namespace; all are alike but for where they are.
pub(crate) fn own_store(namespace: &str) -> Arc<StoreRecord> {
    let yaml = format!(
        "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {{name: shared, namespace: {namespace}, uid: u-{namespace}, generation: 1}}
spec:
  provider:
    kubernetes:
      remoteNamespace: remote
      server: {{url: https://cluster.example}}
      auth:
        token:
          bearerToken: {{name: login, key: token}}
"
    );
    let store: SecretStore = serde_saphyr::from_str(&yaml).unwrap();
    Arc::new(store.into())
}

/// A server that answers every read with the token it was asked with.
pub(crate) fn echo(request: HttpRequest<Bytes>) -> Response<Bytes> {
    let token = request.headers()[http::header::AUTHORIZATION]
        .to_str()
        .unwrap();
    let token = STANDARD.encode(token.trim_start_matches("Bearer "));
    let body =
        format!(r#"{{"metadata":{{"name":"db"}},"data":{{"whose":"{token}","other":"eA=="}}}}"#);
    response(200, body)
}

pub(crate) struct Bench {
    pub(crate) services: TestServices,
    pub(crate) reads: Arc<RemoteClient>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::over(echo)
    }

    /// The same with another server.
    pub(crate) fn over(
        server: impl Fn(HttpRequest<Bytes>) -> Response<Bytes> + Send + Sync + 'static,
    ) -> Self {
        let services = services().plugged(scripted(server));
        for tenant in ["a", "b", "vault"] {
            let token = format!("token-of-{tenant}");
            services
                .objects
                .put_secret(tenant, "login", "token", token.as_str());
        }
        let reads = RemoteClient::new(Connections::new(services.shared()), Salt::new([3; 16]));
        Self { services, reads }
    }

    /// Reads one key for an object.
    pub(crate) async fn key(
        &self,
        store: &Arc<StoreRecord>,
        (caller, object): (&str, &str),
        key: &str,
    ) -> Result<Payload> {
        let request = ReadRequest {
            store,
            caller,
            object: Some(object),
            read: &Read::Value(RemoteRef::key(key)),
            asked: self.services.time.now(),
        };
        self.reads.read(request).await?.outcome
    }

    /// Three keys fail, as many as open the breaker of a store that answered nobody.
    pub(crate) fn trip(&self, store: &Arc<StoreRecord>, caller: &str) {
        for key in ["one", "two", "three"] {
            self.services.time.advance(Duration::from_millis(10));
            block_on(self.key(store, (caller, "es"), key)).unwrap_err();
        }
        assert!(self.reads.is_open(&store.key));
    }

    pub(crate) async fn whose(
        &self,
        store: &Arc<StoreRecord>,
        caller: &str,
    ) -> Result<SecretValue> {
        self.asked(store, caller, self.services.time.now()).await
    }

    pub(crate) async fn asked(
        &self,
        store: &Arc<StoreRecord>,
        caller: &str,
        asked: Timestamp,
    ) -> Result<SecretValue> {
        let request = ReadRequest {
            store,
            caller,
            object: None,
            read: &Read::Value(RemoteRef::key("db").property("whose")),
            asked,
        };
        let outcome = self.reads.read(request).await?.outcome?;
        let Payload::Value(value) = outcome else {
            unreachable!("a map for a value");
        };
        Ok(value)
    }

    pub(crate) fn sent(&self) -> usize {
        self.services.wire.sent()
    }
}
