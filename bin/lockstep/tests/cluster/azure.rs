//! The operator with Azure behind it: every identity over TLS, with ServiceAccount tokens that the
//! real API server made and Entra's test server verified, the states of a vault, and the examples
//! of the documentation.

use std::path::Path;

use lockstep_testkit::azure::{Azure, CERTIFICATE, CLIENT, SECRET, TENANT, Trust};
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, log, until};

/// Issuer of the ServiceAccount tokens of test clusters.
const ISSUER: &str = "https://kubernetes.default.svc";

/// A cloud, a namespace and an operator between them.
struct World {
    azure: Azure,
    room: Room,
    _operator: Operator,
}

impl World {
    fn new(own: impl FnOnce(&Room) -> Vec<(String, String)>) -> Self {
        let cluster = Cluster::shared().unwrap();
        let azure = Azure::start().unwrap();
        let room = Room::new(cluster);
        let keys = room.api.get("/openid/v1/jwks").unwrap();
        azure.directory(|directory| drop(directory.keys.insert(ISSUER.to_owned(), keys)));
        let mut environment = azure.environment();
        environment.extend(own(&room));
        let class = format!("--controller-class={}", room.namespace);
        let operator = Operator::start_in(
            Path::new(env!("CARGO_BIN_EXE_lockstep")),
            &cluster.operator_kubeconfig(),
            &[&room.flag(), &class],
            &environment,
            &log(),
        );
        room.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
            "stringData": { "id": CLIENT, "secret": SECRET, "certificate": CERTIFICATE },
        }));
        Self {
            azure,
            room,
            _operator: operator.unwrap(),
        }
    }

    fn put(&self, name: &str, value: &str) {
        let path = format!("/secrets/{name}");
        let body = json!({ "value": value });
        let host = self.azure.host();
        self.azure.vault("PUT", &host, &path, &body).unwrap();
    }

    /// A store of the vault with fields of its own.
    fn store(&self, name: &str, own: &Value) {
        let mut azurekv = json!({ "vaultUrl": self.azure.url() });
        for (field, value) in own.as_object().unwrap() {
            azurekv[field] = value.clone();
        }
        self.room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": { "name": name },
            "spec": { "controller": self.room.namespace, "provider": { "azurekv": azurekv } },
        }));
    }

    /// An ExternalSecret that reads a key through a store of the same name.
    fn external_secret(&self, name: &str, key: &str, policy: &str) {
        self.room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": { "name": name },
            "spec": {
                "refreshInterval": "1s", "secretStoreRef": { "name": name },
                "target": { "deletionPolicy": policy },
                "data": [{ "secretKey": "a", "remoteRef": { "key": key } }],
            },
        }));
    }

    /// Waits for the message of an ExternalSecret's condition.
    fn told(&self, name: &str, words: &str) -> String {
        until(words, || {
            let object = self.room.external_secret(name);
            let text = object["status"]["conditions"][0]["message"].as_str();
            let text = text.unwrap_or_default().to_owned();
            if text.contains(words) {
                Ok(text)
            } else {
                Err(text)
            }
        })
    }

    fn token_requests(&self) -> usize {
        let seen = self.azure.seen();
        let tokens = seen.iter().filter(|one| one.text.contains("/oauth2/"));
        tokens.count()
    }

    fn trust(&self, account: &str) {
        let subject = format!("system:serviceaccount:{}:{account}", self.room.namespace);
        self.azure.directory(|directory| {
            directory.trusts.push(Trust {
                issuer: ISSUER.to_owned(),
                subject,
                audience: "api://AzureADTokenExchange".to_owned(),
            });
        });
    }
}

fn principal() -> Value {
    json!({
        "tenantId": TENANT,
        "authSecretRef": {
            "clientId": { "name": "creds", "key": "id" },
            "clientSecret": { "name": "creds", "key": "secret" },
        },
    })
}

fn account(world_room: &Room, name: &str) {
    world_room.apply(&json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": { "name": name, "annotations": {
            "azure.workload.identity/client-id": CLIENT,
            "azure.workload.identity/tenant-id": TENANT,
        } },
    }));
}

#[test]
fn every_identity_reads_and_signs_in_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let world = World::new(|room| {
        account(room, "operator");
        let path = format!(
            "/api/v1/namespaces/{}/serviceaccounts/operator/token",
            room.namespace
        );
        let request = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": { "audiences": ["api://AzureADTokenExchange"] },
        });
        let made = room.api.post(&path, &request).unwrap();
        std::fs::write(&file, made["status"]["token"].as_str().unwrap()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            pair("AZURE_CLIENT_ID", CLIENT),
            pair("AZURE_TENANT_ID", TENANT),
            pair("AZURE_FEDERATED_TOKEN_FILE", &file.display().to_string()),
        ]
    });
    account(&world.room, "app");
    world.trust("app");
    world.trust("operator");
    world.put("plain", "hello");
    let certificate = json!({
        "tenantId": TENANT,
        "authSecretRef": {
            "clientId": { "name": "creds", "key": "id" },
            "clientCertificate": { "name": "creds", "key": "certificate" },
        },
    });
    let workload =
        json!({ "authType": "WorkloadIdentity", "serviceAccountRef": { "name": "app" } });
    let mut sdk = workload.clone();
    sdk["useAzureSDK"] = json!(true);
    let identities = [
        ("secret", principal()),
        ("certificate", certificate),
        ("machine", json!({ "authType": "ManagedIdentity" })),
        (
            "assigned",
            json!({ "authType": "ManagedIdentity", "identityId": CLIENT }),
        ),
        ("workload", workload),
        ("workload-sdk", sdk),
        ("pod", json!({ "authType": "WorkloadIdentity" })),
    ];

    for (name, spec) in &identities {
        world.store(name, spec);
        world.external_secret(name, "plain", "Retain");
    }
    for (name, _) in &identities {
        world.told(name, "secret synced");
        let data = world.room.secret(name).unwrap()["data"]["a"].clone();
        assert_eq!(data, "aGVsbG8=", "{name}");
    }

    // The two ways of workload identity share one sign-in.
    assert_eq!(world.token_requests(), 6);
}

#[test]
fn a_service_account_that_entra_does_not_trust_says_what_to_add() {
    let world = World::new(|_| Vec::new());
    account(&world.room, "app");
    world.put("plain", "hello");
    let workload = json!({
        "authType": "WorkloadIdentity", "useAzureSDK": true, "serviceAccountRef": { "name": "app" },
    });
    world.store("es", &workload);
    world.external_secret("es", "plain", "Retain");

    let text = world.told("es", "AADSTS70021");
    assert!(text.contains("add a federated credential"), "{text}");
    world.trust("app");

    world.told("es", "secret synced");
}

#[test]
fn a_denial_keeps_the_secret_and_a_deletion_names_its_end() {
    let world = World::new(|_| Vec::new());
    world.put("plain", "hello");
    world.store("es", &principal());
    world.external_secret("es", "plain", "Delete");
    world.told("es", "secret synced");

    world.azure.deny(Some("ForbiddenByRbac"));
    let denied = world.told("es", "Denied");
    assert!(denied.contains("Key Vault Secrets User"), "{denied}");
    assert!(world.room.secret("es").is_some());
    world.azure.deny(None);
    world.told("es", "secret synced");

    let host = world.azure.host();
    world
        .azure
        .vault("DELETE", &host, "/secrets/plain", &Value::Null)
        .unwrap();
    until("the deletion of the Secret", || {
        match world.room.secret("es") {
            None => Ok(None),
            some => Err(some),
        }
    });
}

#[test]
fn a_store_that_names_another_namespace_reads_its_own_and_warns() {
    let world = World::new(|_| Vec::new());
    world.put("plain", "hello");
    let mut spec = principal();
    spec["authSecretRef"]["clientSecret"]["namespace"] = json!("elsewhere");
    world.store("es", &spec);
    world.external_secret("es", "plain", "Retain");

    world.told("es", "secret synced");
    let path = format!("/api/v1/namespaces/{}/events", world.room.namespace);
    let warning = until("the warning", || {
        let events = world.room.api.get(&path).unwrap();
        let events = events["items"].as_array().unwrap().clone();
        let found = events
            .iter()
            .find(|event| event["reason"] == "NamespaceIgnored")
            .cloned();
        found.ok_or(json!(events))
    });
    let text = warning["message"].as_str().unwrap();
    assert!(text.starts_with("invalid AuthSecretRef.ClientSecret: namespace should either"));
}

#[test]
fn the_examples_of_the_documentation_work() {
    let world = World::new(|_| Vec::new());
    world.put("example-database", r#"{"user":"app","password":"secret"}"#);
    world.put("example-region", "here");
    let room = &world.room;
    account(room, "azure-reader");
    world.trust("azure-reader");

    for file in ["credentials", "stores", "external-secret", "push-secret"] {
        let path = place::workspace().join(format!("examples/azure/{file}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        let text = text
            .replace(
                "namespace: default",
                &format!("namespace: {}", room.namespace),
            )
            .replace("https://my-vault.vault.azure.net", &world.azure.url())
            .replace("00000000-0000-0000-0000-000000000001", TENANT)
            .replace("00000000-0000-0000-0000-000000000002", CLIENT)
            .replace("the-client-secret", SECRET);
        for mut object in manifest::parse(&text).unwrap() {
            if object["spec"]["provider"].is_object() {
                object["spec"]["controller"] = room.namespace.clone().into();
            }
            room.api.apply(&object).unwrap();
        }
    }
    let secret = until("the example's Secret", || {
        let secret = room.secret("database");
        if secret.is_some() {
            Ok(secret)
        } else {
            Err(secret)
        }
    });
    let data = &secret.unwrap()["data"];
    assert_eq!(data["user"], "YXBw");
    assert_eq!(data["region"], "aGVyZQ==");

    let host = world.azure.host();
    let pushed = until("the pushed secret", || {
        let read = world
            .azure
            .vault("GET", &host, "/secrets/example-pushed", &Value::Null);
        read.map_err(|_| Value::Null)
    });
    assert_eq!(pushed["value"], "secret");
    assert_eq!(pushed["tags"]["managed-by"], "external-secrets");
}
