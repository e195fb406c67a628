//! Cluster stores that admit namespaces by labels, under rights that do not show the labels. Labels
//! that are not known admit nobody, whatever the operator of the selector.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, started, until};

const RBAC: &str = "rbac.authorization.k8s.io";

/// A room whose operator has the rights of the deployment, but for namespaces.
struct Limited<'a> {
    cluster: &'a Cluster,
    room: Room,
}

impl<'a> Limited<'a> {
    fn new(cluster: &'a Cluster, team: &str) -> Self {
        let room = Room::new(cluster);
        let limited = Self { cluster, room };
        limited.label(team);
        limited.allow(&[]);
        let room = &limited.room;
        room.apply(&json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "operator"},
        }));
        room.api
            .apply(&json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding",
                "metadata": {"name": room.namespace},
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": room.namespace},
                "subjects": [
                    {"kind": "ServiceAccount", "name": "operator", "namespace": room.namespace},
                ],
            }))
            .unwrap();
        room.api.apply(&limited.store()).unwrap();
        limited
    }

    /// A store that every team but the red one may use.
    fn store(&self) -> Value {
        let name = &self.room.namespace;
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
            "metadata": {"name": name},
            "spec": {
                "controller": name,
                "provider": {"fake": {"data": [{"key": "k", "value": "v"}]}},
                "conditions": [{"namespaceSelector": {"matchExpressions": [
                    {"key": "team", "operator": "NotIn", "values": ["red"]},
                ]}}],
            },
        })
    }

    fn label(&self, team: &str) {
        let path = format!("/api/v1/namespaces/{}", self.room.namespace);
        let labels = json!({"metadata": {"labels": {"team": team}}});
        self.room.api.merge(&path, &labels).unwrap();
    }

    /// Allows the operator these verbs on namespaces, and everything else its deployment has.
    fn allow(&self, verbs: &[&str]) {
        let path = place::workspace().join("deploy/rbac/controller.yaml");
        let text = std::fs::read_to_string(path).unwrap();
        let objects = manifest::parse(&text).unwrap();
        let mut rules = Vec::new();
        for object in objects
            .iter()
            .filter(|object| object["kind"] == "ClusterRole")
        {
            rules.extend(object["rules"].as_array().cloned().unwrap_or_default());
        }
        for rule in &mut rules {
            if let Some(resources) = rule["resources"].as_array_mut() {
                resources.retain(|resource| resource != "namespaces");
            }
        }
        rules.retain(|rule| rule["resources"] != json!([]));
        if !verbs.is_empty() {
            rules.push(json!({"apiGroups": [""], "resources": ["namespaces"], "verbs": verbs}));
        }
        let role = json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole",
            "metadata": {"name": self.room.namespace}, "rules": rules,
        });
        self.room.api.apply(&role).unwrap();
    }

    fn operator(&self) -> Operator {
        let namespace = &self.room.namespace;
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/operator/token");
        let request = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {},
        });
        let token = self.room.api.post(&path, &request).unwrap();
        let mut access = Access::read(&self.cluster.admin_kubeconfig()).unwrap();
        manifest::text(&token, "/status/token").clone_into(&mut access.token);
        let file: PathBuf = self.cluster.dir().join(format!("kubeconfig-{namespace}"));
        access.write(&file, "operator", namespace).unwrap();
        let class = format!("--controller-class={namespace}");
        started(&file, &[&self.room.flag(), &class])
    }

    fn external_secret(&self) {
        self.room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": "es"},
            "spec": {
                "refreshInterval": "10s",
                "secretStoreRef": {"name": self.room.namespace, "kind": "ClusterSecretStore"},
                "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            },
        }));
    }

    /// Waits for a condition that is not ready for this cause.
    fn refused(&self, cause: &str) {
        until(cause, || {
            let condition = self.room.external_secret("es")["status"]["conditions"][0].clone();
            let message = condition["message"].as_str().unwrap_or_default();
            let refused = condition["status"] == "False" && message.contains(cause);
            if refused {
                Ok(condition)
            } else {
                Err(condition)
            }
        });
    }
}

impl Drop for Limited<'_> {
    fn drop(&mut self) {
        let name = &self.room.namespace;
        let store = format!("/apis/external-secrets.io/v1/clustersecretstores/{name}");
        let _ = self.room.api.delete(&store);
    }
}

#[test]
fn a_namespace_whose_labels_nobody_shows_is_shut_out_until_they_can_be_read() {
    let cluster = Cluster::shared().unwrap();
    let limited = Limited::new(cluster, "red");
    let _operator = limited.operator();
    limited.external_secret();

    limited.refused(": NamespaceUnknown: ");
    assert_eq!(limited.room.secret("es"), None);

    limited.allow(&["get"]);
    limited.refused(": StoreDenied: ");
    assert_eq!(limited.room.secret("es"), None);

    limited.label("blue");
    let path = format!(
        "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets/es",
        limited.room.namespace
    );
    let touch = json!({"metadata": {"annotations": {"force-sync": "1"}}});
    limited.room.api.merge(&path, &touch).unwrap();
    limited.room.synced();
    assert!(limited.room.secret("es").is_some());

    limited.label("red");
    limited.refused(": StoreDenied: ");
}

#[test]
fn labels_that_are_listed_late_admit_at_once() {
    let cluster = Cluster::shared().unwrap();
    let limited = Limited::new(cluster, "blue");
    let _operator = limited.operator();
    limited.external_secret();
    limited.refused(": NamespaceUnknown: ");
    assert_eq!(limited.room.secret("es"), None);

    let began = Instant::now();
    limited.allow(&["list", "watch"]);
    limited.room.synced();

    let took = began.elapsed();
    assert!(took < Duration::from_mins(1), "{took:?}");
    assert!(limited.room.secret("es").is_some());
}
