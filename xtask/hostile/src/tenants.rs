//! The healthy tenants: one reads through a ClusterSecretStore that the hostile tenant may use too, one
//! has a store of its own. Some of their objects stand for the whole run, others are new while an
//! entry is at work.

use anyhow::Result;
use lockstep_testkit::api::Api;
use serde_json::{Value, json};

use crate::backend::Backend;

/// Namespaces of the healthy tenants: the first shares its store, the second does not.
pub(crate) const NAMESPACES: [&str; 2] = ["tenant-shared", "tenant-alone"];
/// Objects that stand for the whole run, in each namespace.
pub(crate) const STANDING: usize = 10;
/// The store everybody may use.
pub(crate) const SHARED: &str = "shared";
const GROUP: &str = "/apis/external-secrets.io/v1";
const PROBE: &str = "hostile-probe";

/// Creates the tenants, their stores and their standing objects.
pub(crate) fn create(api: &Api, backend: &Backend) -> Result<()> {
    for name in NAMESPACES {
        api.apply(&json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": {"tenant": name}},
        }))?;
    }
    let url = format!("{}/shared/{{{{ .remoteRef.key }}}}", backend.url());
    api.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": {"name": SHARED},
        "spec": {"provider": {"webhook": {"url": url, "timeout": "3s"}}},
    }))?;
    let values: Vec<Value> = (0..STANDING)
        .map(|number| json!({"key": format!("k{number}"), "value": "v"}))
        .collect();
    api.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "own", "namespace": NAMESPACES[1]},
        "spec": {"provider": {"fake": {"data": values}}},
    }))?;
    for (at, namespace) in NAMESPACES.iter().enumerate() {
        for number in 0..STANDING {
            let mut object = object(at, &format!("standing-{number}"), number);
            // Short, so that whatever breaks refreshes shows; a lost value must not lose the Secret.
            object["spec"]["refreshInterval"] = "10s".into();
            object["metadata"]["namespace"] = (*namespace).into();
            api.apply(&object)?;
        }
    }
    Ok(())
}

/// Creates a new object of one of the tenants.
pub(crate) fn probe(api: &Api, tenant: usize, name: &str, number: usize) -> Result<()> {
    let mut object = object(tenant, name, number % STANDING);
    object["metadata"]["labels"] = json!({PROBE: "true"});
    let namespace = NAMESPACES[tenant];
    api.post(
        &format!("{GROUP}/namespaces/{namespace}/externalsecrets"),
        &object,
    )?;
    Ok(())
}

/// Deletes the new objects of a round.
pub(crate) fn sweep(api: &Api) -> Result<()> {
    for namespace in NAMESPACES {
        api.delete(&format!(
            "{GROUP}/namespaces/{namespace}/externalsecrets?labelSelector={PROBE}"
        ))?;
    }
    Ok(())
}

fn object(tenant: usize, name: &str, number: usize) -> Value {
    let (store, key) = if tenant == 0 {
        let store = json!({"name": SHARED, "kind": "ClusterSecretStore"});
        (store, format!("{name}-key"))
    } else {
        (json!({"name": "own"}), format!("k{number}"))
    };
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "refreshInterval": "1h", "secretStoreRef": store,
            "data": [{"secretKey": "value", "remoteRef": {"key": key}}],
        },
    })
}
