//! Taking the HelmRelease out of Git and putting it back: nothing of people's is lost, and the
//! webhook that Flux installed really answers.

use std::time::{Duration, Instant};

use lockstep_testkit::helm::Helm;
use lockstep_testkit::manifest;
use lockstep_testkit::progress::say;
use serde_json::json;

use crate::layout::{external_secret, helm, namespace, store};
use crate::world::{SECRET, World, until};

const MINUTES: Duration = Duration::from_mins(3);
/// What people type.
const INSTALL: [&str; 6] = [
    "install",
    "external-secrets",
    "--namespace=external-secrets",
    "--create-namespace",
    "--wait",
    "--timeout=3m",
];

#[test]
fn helm_waits_for_pods_that_really_run_and_the_webhook_then_answers() {
    let world = World::without_flux();
    let helm = Helm::on(world.kubeconfig()).unwrap();

    let began = Instant::now();
    helm.release(&INSTALL, &json!({})).unwrap();

    say(&format!(
        "helm install --wait took {:.1} s",
        began.elapsed().as_secs_f64()
    ));
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
    for object in [store(), external_secret()] {
        world.api.apply(&object).unwrap();
    }
    world.converged(MINUTES);
    refused_by_webhook(&world);
    world.assert_no_restarts();
}

#[test]
fn installing_again_takes_no_longer_than_the_first_time() {
    let world = World::without_flux();
    let helm = Helm::on(world.kubeconfig()).unwrap();
    let install = || {
        let began = Instant::now();
        helm.release(&INSTALL, &json!({})).unwrap();
        began.elapsed()
    };

    let first = install();
    let release = "external-secrets";
    let uninstall = ["uninstall", release, "--namespace=external-secrets"];
    helm.run(&uninstall).unwrap();
    let again = install();

    say(&format!(
        "helm install --wait took {:.1} s, and {:.1} s after an uninstall",
        first.as_secs_f64(),
        again.as_secs_f64()
    ));
    // Helm looks every few seconds; a lease that runs out takes 15 s and more.
    assert!(again < first + Duration::from_secs(10), "{again:?}");
    world.assert_no_restarts();
}

#[test]
fn a_certificate_controller_that_is_switched_on_serves_the_webhook() {
    let world = World::without_flux();
    let helm = Helm::on(world.kubeconfig()).unwrap();

    let values = json!({"certController": {"create": true}});
    helm.release(&INSTALL, &values).unwrap();

    let pods = "/api/v1/namespaces/external-secrets/pods?labelSelector=app.kubernetes.io%2Fcomponent%3Dcert-controller";
    let found = world.api.get(pods).unwrap();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    for object in [store(), external_secret()] {
        world.api.apply(&object).unwrap();
    }
    world.converged(MINUTES);
    refused_by_webhook(&world);
    world.assert_no_restarts();
}

#[test]
fn pruning_the_release_and_installing_it_again_loses_nothing() {
    let mut world = World::new();
    world.write("operator/namespace.yaml", &[namespace()]);
    world.write("operator/helm.yaml", &helm(&world));
    world.write("objects/objects.yaml", &[store(), external_secret()]);
    world.commit();
    world
        .flux()
        .kustomization("operator", "./operator", &json!({"wait": true}))
        .unwrap();
    let after = json!({"retryInterval": "5s", "dependsOn": [{"name": "operator"}]});
    world
        .flux()
        .kustomization("objects", "./objects", &after)
        .unwrap();
    world.converged(MINUTES);
    let before = identities(&world);
    refused_by_webhook(&world);

    world.remove("operator/helm.yaml");
    world.commit();
    let deployment = "/apis/apps/v1/namespaces/external-secrets/deployments/external-secrets";
    until("the operator's removal", MINUTES, || {
        world.api.find(deployment).unwrap().is_none()
    });
    assert_eq!(identities(&world), before);

    world.write("operator/helm.yaml", &helm(&world));
    world.commit();
    until("the operator's return", MINUTES, || {
        let found = world.api.find(deployment).unwrap();
        found.is_some_and(|found| found["status"]["availableReplicas"] == 1)
    });
    world.converged(MINUTES);
    assert_eq!(identities(&world), before);
}

/// UIDs of a CRD, an object and a Secret.
fn identities(world: &World) -> Vec<String> {
    let paths = [
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/externalsecrets.external-secrets.io",
        "/apis/external-secrets.io/v1/namespaces/external-secrets/externalsecrets/es",
        SECRET,
    ];
    let objects = paths.map(|path| world.api.get(path).unwrap());
    objects
        .iter()
        .map(|object| manifest::text(object, "/metadata/uid").to_owned())
        .collect()
}

/// Waits until the installed webhook, reached through its Service, refuses what is wrong.
fn refused_by_webhook(world: &World) {
    let mut wrong = external_secret();
    wrong["metadata"]["name"] = json!("wrong");
    let entry = wrong["spec"]["data"][0].clone();
    wrong["spec"]["data"].as_array_mut().unwrap().push(entry);
    let path =
        "/apis/external-secrets.io/v1/namespaces/external-secrets/externalsecrets?dryRun=All";
    until("a refusal by the webhook", MINUTES, || {
        let error = world
            .api
            .post(path, &wrong)
            .err()
            .map(|error| error.to_string());
        error.is_some_and(|error| error.contains("duplicate secretKey found: pg-fqdn"))
    });
}
