//! What the test control plane promises: it comes up, RBAC is on, the operator has upstream's
//! rights and no more, tokens can be requested, namespaces and owned objects are cleaned up, and
//! nothing is left when it ends.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::path::PathBuf;
use std::sync::Arc;

use lockstep_testkit::PATIENCE;
use lockstep_testkit::api::{Api, status};
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::poll::until_holds;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

fn cluster() -> &'static Cluster {
    Cluster::shared().unwrap()
}

fn admin() -> Api {
    cluster().admin().unwrap()
}

fn operator() -> Api {
    Api::new(Access::read(&cluster().operator_kubeconfig()).unwrap()).unwrap()
}

fn allowed(verb: &str, group: &str, resource: &str) -> bool {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "verb": verb, "group": group, "resource": resource, "subresource": subresource,
        }},
    });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    operator().post(path, &review).unwrap()["status"]["allowed"] == true
}

#[test]
fn operator_is_the_service_account_and_no_master() {
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});

    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let answer = operator().post(path, &review).unwrap();

    let user = &answer["status"]["userInfo"];
    assert_eq!(
        user["username"],
        "system:serviceaccount:external-secrets:external-secrets"
    );
    let groups = user["groups"].as_array().unwrap();
    assert!(!groups.contains(&json!("system:masters")), "{groups:?}");
}

#[test]
fn operator_has_the_rights_of_upstreams_role() {
    let own = "external-secrets.io";
    for (verb, group, resource) in [
        ("create", "", "secrets"),
        ("patch", own, "externalsecrets/status"),
        ("update", own, "clustersecretstores/finalizers"),
        ("create", own, "externalsecrets"),
        (
            "watch",
            "generators.external-secrets.io",
            "clustergenerators",
        ),
        (
            "deletecollection",
            "generators.external-secrets.io",
            "generatorstates",
        ),
        ("create", "", "serviceaccounts/token"),
        ("patch", "", "events"),
    ] {
        assert!(allowed(verb, group, resource), "{verb} {resource}");
    }
}

#[test]
fn operator_has_no_other_rights() {
    for (verb, group, resource) in [
        ("get", "", "pods"),
        ("create", "", "configmaps"),
        ("create", "", "serviceaccounts"),
        ("create", "events.k8s.io", "events"),
        ("list", "coordination.k8s.io", "leases"),
        ("get", "apiextensions.k8s.io", "customresourcedefinitions"),
        ("create", "external-secrets.io", "secretstores"),
        ("delete", "external-secrets.io", "secretstores"),
        ("deletecollection", "", "secrets"),
    ] {
        assert!(!allowed(verb, group, resource), "{verb} {resource}");
    }
}

#[test]
fn denied_requests_carry_their_status() {
    let error = operator().get("/api/v1/pods").unwrap_err();

    assert_eq!(status(&error), Some(403), "{error}");
}

#[test]
fn client_certificates_name_their_user() {
    let pair = cluster()
        .client_certificate("somebody", Some("some-group"))
        .unwrap();
    let access = Access::read(&cluster().admin_kubeconfig()).unwrap();
    let chain = [Certificate::from_pem(pair.certificate.as_bytes()).unwrap()];
    let key = PrivateKey::from_pem(pair.key.as_bytes()).unwrap();
    let ca = Certificate::from_pem(access.ca.as_bytes()).unwrap();
    let tls = TlsConfig::builder()
        .client_cert(Some(ClientCert::new_with_certs(&chain, key)))
        .root_certs(RootCerts::new_with_certs(&[ca]))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let agent = Agent::new_with_config(Agent::config_builder().tls_config(tls).build());
    let review = r#"{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}"#;

    let url = format!(
        "{}/apis/authentication.k8s.io/v1/selfsubjectreviews",
        access.server
    );
    let mut answer = agent
        .post(&url)
        .content_type("application/json")
        .send(review)
        .unwrap();

    let answer: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(answer["status"]["userInfo"]["username"], "somebody");
}

#[test]
fn deleted_namespaces_and_orphans_of_owners_go_away() {
    let api = admin();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gc"}});
    api.apply(&namespace).unwrap();
    let config = |name: &str, owners: Value| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "gc", "ownerReferences": owners},
        })
    };
    let owner = api.apply(&config("owner", json!([]))).unwrap();
    let uid = &owner["metadata"]["uid"];
    let reference = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]);
    let dependent = api.apply(&config("owned", reference)).unwrap();
    let owned_path = api.path_of(&dependent).unwrap();

    api.delete(&api.path_of(&owner).unwrap()).unwrap();
    until(|| api.find(&owned_path).unwrap().is_none());
    api.delete("/api/v1/namespaces/gc").unwrap();

    until(|| api.find("/api/v1/namespaces/gc").unwrap().is_none());
}

#[test]
fn a_second_cluster_in_the_same_folder_is_refused() {
    let folder = cluster().dir().to_owned();

    let error = ControlPlane::start(Some(&folder)).err().unwrap();

    assert!(error.to_string().contains("already runs"), "{error}");
}

#[test]
fn an_ended_cluster_leaves_no_process_and_no_folder() {
    let plane = ControlPlane::start(None).unwrap();
    let folder: PathBuf = plane.dir().to_owned();
    let api = plane.admin().unwrap();
    assert!(api.text("/readyz").is_ok());
    assert!(Cluster::open(&folder).is_ok());

    drop(plane);

    assert!(api.text("/readyz").is_err());
    assert!(!folder.exists());
}

fn until(done: impl FnMut() -> bool) {
    assert!(until_holds(PATIENCE, done).is_some());
}
