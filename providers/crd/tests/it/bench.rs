//! A store on the server in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_provider_api::conformance::{NAMESPACE, services};
use lockstep_provider_api::{Ctx, Entry, Result, Scope, SharedStore, StoreName};
use lockstep_provider_crd::Crd;
use serde_json::{Value, json};

use crate::server::Server;

/// A ConfigMap store that signs in as the ServiceAccount `reader` of the test's namespace.
pub(crate) fn spec(rules: &Value) -> Value {
    json!({
        "server": { "url": "https://api.test:6443" },
        "auth": { "serviceAccount": { "name": "reader", "namespace": NAMESPACE } },
        "resource": { "group": "", "version": "v1", "kind": "ConfigMap" },
        "whitelist": { "rules": rules },
    })
}

/// The same for a kind of the whole cluster.
pub(crate) fn planets() -> Value {
    let mut spec = spec(&json!([]));
    spec["resource"] = json!({ "group": "sky.io", "version": "v1", "kind": "Planet" });
    spec
}

pub(crate) fn namespaced() -> Scope {
    Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    }
}

pub(crate) fn cluster() -> Scope {
    Scope::Cluster {
        caller: Some(NAMESPACE.to_owned()),
    }
}

pub(crate) async fn connect(server: &Server, spec: Value, scope: Scope) -> Result<SharedStore> {
    let services = services().plugged(server.transport());
    services
        .objects
        .put_service_account(NAMESPACE, "reader", BTreeMap::new());
    let name = StoreName {
        namespace: (!scope.is_cluster()).then(|| NAMESPACE.to_owned()),
        name: "store".to_owned(),
    };
    let ctx = Ctx::new(Arc::clone(&services.shared()), name, scope);
    Entry::of::<Crd>().connect(spec, ctx).await
}
