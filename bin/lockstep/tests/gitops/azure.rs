//! Two deployments on Azure as people wrote them: the operator under Flux, a ClusterSecretStore on
//! Key Vault with the machine's own identity, in one Kustomization and in two. The vault and the
//! metadata service stand behind the names and addresses that the cloud uses.

use std::time::Duration;

use lockstep_testkit::azure::Azure;
use serde_json::{Value, json};

use crate::layout::{helm, namespace};
use crate::world::{SECRET, World, until};

/// A name that the network namespace leads to loopback.
const VAULT: &str = "kv-platform.vault.azure.net";
const MINUTES: Duration = Duration::from_mins(3);

/// The cloud, and a cluster with Flux whose pods trust the cloud's certificate.
fn platform() -> (Azure, World) {
    let azure = Azure::start_as_cloud().unwrap();
    let body = json!({ "value": "psql-platform.postgres.database.azure.com" });
    azure
        .vault("PUT", VAULT, "/secrets/pg-fqdn", &body)
        .unwrap();
    let trust = azure.ca().display().to_string();
    let world = World::with_environment(vec![("SSL_CERT_FILE".to_owned(), trust)]);
    (azure, world)
}

fn store() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": { "name": "azure-keyvault" },
        "spec": { "provider": { "azurekv": {
            "authType": "ManagedIdentity", "vaultUrl": format!("https://{VAULT}/"),
        } } },
    })
}

fn external_secret() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": { "name": "es", "namespace": "external-secrets" },
        "spec": {
            "refreshInterval": "1m",
            "secretStoreRef": { "kind": "ClusterSecretStore", "name": "azure-keyvault" },
            "data": [{ "secretKey": "pg-fqdn", "remoteRef": { "key": "pg-fqdn" } }],
        },
    })
}

fn sync(name: &str, more: &Value) -> (String, String, Value) {
    let mut spec = json!({ "interval": "10m0s" });
    for (field, value) in more.as_object().unwrap() {
        spec[field] = value.clone();
    }
    (name.to_owned(), format!("./k8s/{name}"), spec)
}

/// The value arrives, read with one token of the machine's identity.
fn assert_delivers(azure: &Azure, world: &World) {
    world.converged(MINUTES);
    let secret = world.api.get(SECRET).unwrap();
    assert_eq!(
        secret["data"]["pg-fqdn"],
        "cHNxbC1wbGF0Zm9ybS5wb3N0Z3Jlcy5kYXRhYmFzZS5henVyZS5jb20="
    );
    let store = "/apis/external-secrets.io/v1/clustersecretstores/azure-keyvault";
    until("readiness of the store", MINUTES, || {
        world.condition(store) == Some("True".to_owned())
    });
    let seen = azure.seen();
    let tokens = seen.iter().filter(|one| one.text.contains("/metadata/"));
    assert_eq!(tokens.count(), 1, "{seen:?}");
    world.assert_no_restarts();
}

#[test]
fn a_key_vault_in_the_kustomization_of_the_release_delivers() {
    let (azure, mut world) = platform();
    let folder = "k8s/external-secrets";
    world.write(&format!("{folder}/namespace.yaml"), &[namespace()]);
    let [repository, release] = helm(&world);
    world.write(&format!("{folder}/helmrepository.yaml"), &[repository]);
    world.write(&format!("{folder}/helmrelease.yaml"), &[release]);
    world.write_crds(&format!("{folder}/crds.yaml"));
    world.write(&format!("{folder}/clustersecretstore.yaml"), &[store()]);
    world.write(&format!("{folder}/test.yaml"), &[external_secret()]);
    world.commit();

    let (name, path, spec) = sync("external-secrets", &json!({}));
    world.flux().kustomization(&name, &path, &spec).unwrap();

    assert_delivers(&azure, &world);
}

#[test]
fn a_key_vault_in_a_kustomization_that_depends_on_the_release_delivers() {
    let (azure, mut world) = platform();
    let [repository, release] = helm(&world);
    world.write("k8s/external-secrets/namespace.yaml", &[namespace()]);
    world.write("k8s/external-secrets/helmrepository.yaml", &[repository]);
    world.write("k8s/external-secrets/helmrelease.yaml", &[release]);
    let folder = "k8s/external-secrets-store";
    world.write(&format!("{folder}/clustersecretstore.yaml"), &[store()]);
    world.write(&format!("{folder}/test.yaml"), &[external_secret()]);
    world.commit();

    let after = json!({ "dependsOn": [{ "name": "external-secrets" }] });
    for (name, path, spec) in [
        sync("external-secrets", &json!({})),
        sync("external-secrets-store", &after),
    ] {
        world.flux().kustomization(&name, &path, &spec).unwrap();
    }

    assert_delivers(&azure, &world);
}
