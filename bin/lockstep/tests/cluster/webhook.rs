//! `lockstep webhook` and `lockstep certcontroller` on a real API server, under the rights that the
//! chart gives them: nothing is refused because a webhook is not up, in whatever order things start.

mod certificates;
mod controller;
mod order;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lockstep_testkit::api::{Api, status};
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place, port};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};

use crate::process::until;

const NAMESPACE: &str = "external-secrets";
const SECRET: &str = "/api/v1/namespaces/external-secrets/secrets/external-secrets-webhook";
const CONFIGURATIONS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// A cluster for these tests alone, one test at a time: webhook configurations have fixed names and
/// act on the whole cluster.
struct Stage {
    cluster: &'static Cluster,
    api: Api,
    port: u16,
    _turn: MutexGuard<'static, ()>,
}

impl Stage {
    fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static PLANE: OnceLock<ControlPlane> = OnceLock::new();
        let turn = TURN.lock();
        let cluster: &'static Cluster = PLANE.get_or_init(|| {
            let plane = ControlPlane::start_bare().unwrap();
            plane.install_crds().unwrap();
            plane
        });
        let api = cluster.admin().unwrap();
        let port = port::free().unwrap().port();
        let stage = Self {
            cluster,
            api,
            port,
            _turn: turn,
        };
        stage.clear();
        for object in Self::installed() {
            let kind = manifest::text(&object, "/kind");
            if kind.contains("Role") || kind == "ServiceAccount" {
                stage.api.apply(&object).unwrap();
            }
        }
        stage
    }

    /// What the chart renders.
    fn installed() -> Vec<Value> {
        manifest::read(&place::workspace().join("deploy/kustomize/operator.yaml")).unwrap()
    }

    fn clear(&self) {
        for name in ["secretstore-validate", "externalsecret-validate"] {
            self.api
                .delete(&format!("{CONFIGURATIONS}/{name}"))
                .unwrap();
        }
        self.api.delete(SECRET).unwrap();
        let leases = "/apis/coordination.k8s.io/v1/namespaces/external-secrets/leases";
        for lease in ["external-secrets-webhook-certs", "crd-certs-controller"] {
            self.api.delete(&format!("{leases}/{lease}")).unwrap();
        }
    }

    /// The chart's empty Secret.
    fn secret(&self) {
        self.api
            .apply(&json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": "external-secrets-webhook", "namespace": NAMESPACE},
            }))
            .unwrap();
    }

    /// The chart's webhook configurations; no Service works here, so they lead to us by URL.
    fn configurations(&self, policy: &str) {
        for mut object in Self::installed() {
            if object["kind"] != "ValidatingWebhookConfiguration" {
                continue;
            }
            for webhook in object["webhooks"].as_array_mut().unwrap() {
                let client = &mut webhook["clientConfig"];
                let path = client["service"]["path"].as_str().unwrap().to_owned();
                *client = json!({"url": format!("https://localhost:{}{path}", self.port)});
                webhook["failurePolicy"] = json!(policy);
            }
            self.api.apply(&object).unwrap();
        }
    }

    /// What an uninstalled release of the original leaves behind when somebody keeps it.
    fn left_behind(&self) {
        self.api.apply(&json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "externalsecret-validate", "labels": {"external-secrets.io/component": "webhook"}},
            "webhooks": [{
                "name": "validate.externalsecret.external-secrets.io",
                "rules": [{"apiGroups": ["external-secrets.io"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE", "DELETE"], "resources": ["externalsecrets"], "scope": "Namespaced"}],
                "clientConfig": {"service": {"namespace": "gone", "name": "old-webhook", "path": "/validate-external-secrets-io-v1-externalsecret"}},
                "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 1, "failurePolicy": "Fail",
            }],
        })).unwrap();
    }

    fn configuration(&self) -> Value {
        let path = format!("{CONFIGURATIONS}/externalsecret-validate");
        self.api.get(&path).unwrap()
    }

    /// The authority that the API server trusts for ExternalSecrets, PEM; empty when none.
    fn trusted(&self) -> String {
        use base64::Engine;
        let found = self.configuration();
        let bundle = &found["webhooks"][0]["clientConfig"]["caBundle"];
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(bundle.as_str().unwrap_or_default())
            .unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// One value of the Secret, as text.
    fn stored(&self, key: &str) -> String {
        use base64::Engine;
        let found = self.api.get(SECRET).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(found["data"][key].as_str().unwrap_or_default())
            .unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// A process under the rights of a ServiceAccount.
    fn start(&self, account: &str, subcommand: &str, flags: &[&str]) -> Operator {
        let program = Path::new(env!("CARGO_BIN_EXE_lockstep"));
        let kubeconfig = self.kubeconfig(account);
        let log = crate::process::log();
        Operator::start_as(program, &kubeconfig, subcommand, flags, &log).unwrap()
    }

    /// The webhook as the chart starts it, but for its name.
    fn webhook(&self, more: &[&str]) -> Operator {
        let port = format!("--port={}", self.port);
        let mut flags = vec![
            port.as_str(),
            "--dns-name=localhost",
            "--cert-dir=/nonexistent",
            "--secret-name=external-secrets-webhook",
            "--secret-namespace=external-secrets",
            "--check-interval=1s",
        ];
        flags.extend(more);
        self.start("external-secrets-webhook", "webhook", &flags)
    }

    fn kubeconfig(&self, account: &str) -> PathBuf {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{account}/token");
        let request = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {},
        });
        let token = self.api.post(&path, &request).unwrap();
        let mut access = Access::read(&self.cluster.admin_kubeconfig()).unwrap();
        manifest::text(&token, "/status/token").clone_into(&mut access.token);
        let file = self.cluster.dir().join(format!("kubeconfig-{account}"));
        access.write(&file, account, NAMESPACE).unwrap();
        file
    }

    /// Tries to create an ExternalSecret that only the webhook refuses; says with which status.
    fn attempt(&self) -> Result<Value, (Option<u16>, String)> {
        attempt(&self.api)
    }
}

fn attempt(api: &Api) -> Result<Value, (Option<u16>, String)> {
    let object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"generateName": "es-", "namespace": NAMESPACE},
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [
                {"secretKey": "same", "remoteRef": {"key": "a"}},
                {"secretKey": "same", "remoteRef": {"key": "b"}},
            ],
        },
    });
    let path = "/apis/external-secrets.io/v1/namespaces/external-secrets/externalsecrets";
    api.post(path, &object)
        .map_err(|error| (status(&error), format!("{error:#}")))
}

/// Waits until the webhook refuses what it should.
fn refuses(stage: &Stage) -> String {
    until("a refusal by the webhook", || match stage.attempt() {
        Err((Some(403), text)) if text.contains("duplicate secretKey found: same") => Ok(text),
        Err((status, text)) => Err(format!("{status:?} {text}")),
        Ok(_) => Err("accepted".to_owned()),
    })
}

/// Waits until `/readyz` says that all is well, and returns its report.
fn ready(process: &Operator) -> String {
    until("readiness", || match process.probe("/readyz?verbose") {
        Ok((200, body)) => Ok(body),
        Ok((_, body)) => Err(body),
        Err(error) => Err(error.to_string()),
    })
}

/// Waits until `/readyz` says no, for this reason.
fn waits_for(process: &mut Operator, reason: &str) {
    process.healthy().unwrap();
    until(reason, || match process.probe("/readyz").unwrap() {
        (503, body) if body.contains(reason) => Ok(body),
        (_, body) => Err(body),
    });
}
