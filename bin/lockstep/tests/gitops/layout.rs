//! The layouts that people use, with chart defaults, and how long each may take. Most of what the
//! last two take are Flux's own polls of 30 s for dependencies.

use std::time::Duration;

use lockstep_testkit::flux::Flux;
use lockstep_testkit::helm::IMAGE;
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

use crate::world::{World, until};

pub(crate) fn namespace() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "external-secrets"}})
}

/// Where the chart comes from, and the release.
pub(crate) fn helm(world: &World) -> [Value; 2] {
    let reference = json!({"name": "external-secrets", "namespace": "external-secrets"});
    [
        json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "HelmRepository",
            "metadata": reference, "spec": {"interval": "1h", "url": world.flux().charts()},
        }),
        json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": reference,
            "spec": {
                "interval": "1h",
                "chart": {"spec": {
                    "chart": "external-secrets", "version": ">=2.0.0 <3.0.0", "interval": "1h",
                    "sourceRef": {"kind": "HelmRepository", "name": "external-secrets", "namespace": "external-secrets"},
                }},
                "install": {"crds": "CreateReplace", "remediation": {"retries": 5}},
                "upgrade": {"crds": "CreateReplace", "remediation": {"retries": 5}},
                "values": {"installCRDs": true, "image": {"repository": IMAGE}},
            },
        }),
    ]
}

pub(crate) fn store() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"fake": {"data": [{"key": "pg-fqdn", "value": "db.example.org"}]}}},
    })
}

pub(crate) fn external_secret() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es", "namespace": "external-secrets"},
        "spec": {
            "refreshInterval": "1m",
            "secretStoreRef": {"kind": "ClusterSecretStore", "name": "store"},
            "data": [{"secretKey": "pg-fqdn", "remoteRef": {"key": "pg-fqdn"}}],
        },
    })
}

#[test]
fn one_kustomization_with_crds_release_store_and_secret_converges() {
    let mut world = World::new();
    let dir = "k8s/external-secrets";
    world.write_crds(&format!("{dir}/crds.yaml"));
    world.write(&format!("{dir}/namespace.yaml"), &[namespace()]);
    world.write(&format!("{dir}/helm.yaml"), &helm(&world));
    world.write(&format!("{dir}/clustersecretstore.yaml"), &[store()]);
    world.write(&format!("{dir}/externalsecret.yaml"), &[external_secret()]);
    world.commit();

    world
        .flux()
        .kustomization("external-secrets", &format!("./{dir}"), &json!({}))
        .unwrap();

    assert_converges(&world, "one Kustomization", 40);
    runbook(&world);
    world.assert_no_restarts();
}

#[test]
fn two_kustomizations_without_wait_converge() {
    let mut world = World::new();
    world.write("k8s/external-secrets/namespace.yaml", &[namespace()]);
    world.write("k8s/external-secrets/helm.yaml", &helm(&world));
    world.write(
        "k8s/external-secrets-store/clustersecretstore.yaml",
        &[store()],
    );
    world.write(
        "k8s/external-secrets-store/externalsecret.yaml",
        &[external_secret()],
    );
    world.commit();

    world
        .flux()
        .kustomization("external-secrets", "./k8s/external-secrets", &json!({}))
        .unwrap();
    let after = json!({"dependsOn": [{"name": "external-secrets"}]});
    world
        .flux()
        .kustomization(
            "external-secrets-store",
            "./k8s/external-secrets-store",
            &after,
        )
        .unwrap();

    assert_converges(&world, "two Kustomizations", 45);
    world.assert_no_restarts();
}

#[test]
fn the_chain_of_crds_operator_and_objects_converges() {
    let mut world = World::new();
    let dir = "infrastructure/external-secrets";
    let [repository, release] = helm(&world);
    // As the guide has it: namespace and repository come with the three Kustomizations.
    let after = |name: &str| json!([{"name": format!("external-secrets-{name}")}]);
    let parts = [
        ("crds", json!({"wait": true})),
        (
            "operator",
            json!({"wait": true, "dependsOn": after("crds")}),
        ),
        (
            "crs",
            json!({"retryInterval": "1m", "dependsOn": after("operator")}),
        ),
    ];
    world.write(&format!("{dir}/namespace.yaml"), &[namespace()]);
    world.write(&format!("{dir}/repositories.yaml"), &[repository]);
    for (part, more) in &parts {
        let (name, path) = (
            format!("external-secrets-{part}"),
            format!("./{dir}/{part}"),
        );
        let object = Flux::kustomization_object(&name, &path, more);
        world.write(&format!("{dir}/deployment-{part}.yaml"), &[object]);
    }
    let files = [
        "namespace",
        "repositories",
        "deployment-crds",
        "deployment-operator",
        "deployment-crs",
    ];
    let files = files.map(|file| format!("{file}.yaml"));
    world.write(
        &format!("{dir}/kustomization.yaml"),
        &[json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": files,
        })],
    );
    world.write_crds(&format!("{dir}/crds/crds.yaml"));
    world.write(&format!("{dir}/operator/deployment.yaml"), &[release]);
    world.write(
        &format!("{dir}/crs/crs.yaml"),
        &[store(), external_secret()],
    );
    world.commit();

    world
        .flux()
        .kustomization("infrastructure", &format!("./{dir}"), &json!({}))
        .unwrap();

    // Flux asks after dependencies every 30 s: the operator has to be ready when it asks a second time.
    assert_converges(&world, "chain of three Kustomizations", 75);
    world.assert_no_restarts();
}

/// Converges within that many seconds; `bench gitops` reads what is said here.
fn assert_converges(world: &World, layout: &str, seconds: u64) {
    let took = world.converged(Duration::from_mins(4));
    say(&format!(
        "{layout} converged in {:.1} s",
        took.as_secs_f64()
    ));
    assert!(took < Duration::from_secs(seconds), "{took:?}");
}

/// What runbooks ask kubectl, as they ask it.
fn runbook(world: &World) {
    let minutes = Duration::from_mins(2);
    let release =
        "/apis/helm.toolkit.fluxcd.io/v2/namespaces/external-secrets/helmreleases/external-secrets";
    until("readiness of the HelmRelease", minutes, || {
        world.condition(release) == Some("True".to_owned())
    });
    let pods =
        "/api/v1/namespaces/external-secrets/pods?labelSelector=app.kubernetes.io%2Fcomponent%3D";
    for component in ["controller", "webhook"] {
        let found = world.api.get(&format!("{pods}{component}")).unwrap();
        assert_eq!(found["items"].as_array().unwrap().len(), 1, "{component}");
    }
    let deployment =
        "/apis/apps/v1/namespaces/external-secrets/deployments/external-secrets-webhook";
    let found = world.api.get(deployment).unwrap();
    assert_eq!(found["status"]["availableReplicas"], 1);
    let hook = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/externalsecret-validate";
    until("the webhook's authority", minutes, || {
        let found = world.api.get(hook).unwrap();
        found["webhooks"][0]["clientConfig"]["caBundle"].is_string()
    });
    let store = "/apis/external-secrets.io/v1/clustersecretstores/store";
    assert_eq!(world.condition(store), Some("True".to_owned()));
}
