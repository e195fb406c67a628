//! `bench webhook`: what the webhook process costs. It runs under the chart's rights, on a cluster
//! with all CRDs, and the API server asks it about ExternalSecrets; a write that it did not review
//! fails, so as many as asked for were reviewed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place, port};
use serde_json::{Value, json};

use crate::cli::WebhookArgs;
use crate::figures::{Beside, Outcome, Report, figure};
use crate::scenario::count;
use crate::subject::Subject;
use lockstep_testkit::process::Usage;

const NAMESPACE: &str = "external-secrets";
const ACCOUNT: &str = "external-secrets-webhook";
/// Nothing is stored, so the cluster is the same for every review.
const OBJECTS: &str =
    "/apis/external-secrets.io/v1/namespaces/external-secrets/externalsecrets?dryRun=All";
const REQUESTS: &str = "controller_runtime_webhook_requests_total";
const LIMIT: Duration = Duration::from_mins(5);
const POLL: Duration = Duration::from_millis(100);
const WORKERS: usize = 8;

pub(crate) fn run(args: &WebhookArgs) -> Result<()> {
    let report = Report::now();
    let subject = Subject::ours(args.ours.as_deref())?;
    let plane = ControlPlane::start_bare()?;
    let crds = plane.install_crds()?;
    let api = plane.admin()?;
    let port = port::free()?.port();
    install(&api, port)?;
    let mut webhook = start(&subject, &plane, &api, port)?;
    until_asked(&api, &mut webhook)?;
    let before = Usage::of(webhook.id())?;
    let began = Instant::now();
    create(&api, args.reviews)?;
    let took = began.elapsed();
    webhook.check()?;
    let answered = answered(&webhook.metrics()?);
    ensure!(
        answered > f64::from(args.reviews),
        "the webhook has answered {answered} reviews only"
    );
    let after = Usage::of(webhook.id())?;
    let figures = vec![
        figure("CRDs", count(u64::try_from(crds)?), ""),
        figure("peak memory", after.peak_mib(), "MiB"),
        figure("memory after the reviews", after.resident_mib(), "MiB"),
        figure("memory before them", before.resident_mib(), "MiB"),
        figure(
            "CPU",
            after.cpu.saturating_sub(before.cpu).as_secs_f64(),
            "s",
        ),
        figure("time", took.as_secs_f64(), "s"),
    ];
    let ours = Outcome {
        scenario: "webhook",
        objects: args.reviews,
        operator: subject.label(),
        figures,
    };
    let scenarios = vec![Beside {
        ours: Some(ours),
        other: None,
    }];
    let report = Report {
        scenarios,
        ..report
    };
    report.print(args.output)
}

/// What the chart renders for the webhook. No Service works here, so its configurations lead to it
/// by URL; and they fail closed, so that no review is left out.
fn install(api: &Api, port: u16) -> Result<()> {
    let file = place::workspace().join("deploy/kustomize/operator.yaml");
    for mut object in manifest::read(&file)? {
        match manifest::text(&object, "/kind") {
            "Deployment" | "Service" => continue,
            "ValidatingWebhookConfiguration" => {
                for webhook in object["webhooks"].as_array_mut().into_iter().flatten() {
                    let client = &mut webhook["clientConfig"];
                    let path = manifest::text(client, "/service/path").to_owned();
                    *client = json!({"url": format!("https://localhost:{port}{path}")});
                    webhook["failurePolicy"] = json!("Fail");
                }
            }
            _ => {}
        }
        api.apply(&object)?;
    }
    Ok(())
}

fn start(subject: &Subject, cluster: &Cluster, api: &Api, port: u16) -> Result<Operator> {
    let flags = [
        format!("--port={port}"),
        "--dns-name=localhost".to_owned(),
        "--cert-dir=/nonexistent".to_owned(),
        "--secret-name=external-secrets-webhook".to_owned(),
        format!("--secret-namespace={NAMESPACE}"),
    ];
    let flags = flags.each_ref().map(String::as_str);
    let log = cluster.dir().join("webhook.log");
    let kubeconfig = kubeconfig(cluster, api)?;
    Operator::start_as(subject.program(), &kubeconfig, "webhook", &flags, &log)
}

/// With the rights that the chart gives the webhook.
fn kubeconfig(cluster: &Cluster, api: &Api) -> Result<PathBuf> {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{ACCOUNT}/token");
    let asked = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {},
    });
    let token = api.post(&path, &asked)?;
    let access = Access {
        token: manifest::text(&token, "/status/token").to_owned(),
        ..Access::read(&cluster.admin_kubeconfig())?
    };
    let file = cluster.dir().join("kubeconfig-webhook");
    access.write(&file, ACCOUNT, NAMESPACE)?;
    Ok(file)
}

/// Waits until the webhook has made its certificate and the API server trusts it.
fn until_asked(api: &Api, webhook: &mut Operator) -> Result<()> {
    let began = Instant::now();
    while let Err(error) = api.post(OBJECTS, &object(0)) {
        webhook.check()?;
        if began.elapsed() > LIMIT {
            return Err(error).context("the webhook answers nothing");
        }
        sleep(POLL);
    }
    Ok(())
}

fn create(api: &Api, reviews: u32) -> Result<()> {
    let next = AtomicU32::new(0);
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= reviews {
                return Ok(());
            }
            api.post(OBJECTS, &object(number))?;
        }
    };
    scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.map_err(|_| anyhow!("a worker panicked"))?
        })
    })
}

/// One that the webhook really reads: a template, a rewrite and several keys.
fn object(number: u32) -> Value {
    let data = (0..10).map(|key| {
        json!({"secretKey": format!("key-{key}"), "remoteRef": {"key": format!("app-{number}"), "property": format!("p{key}")}})
    });
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": format!("es-{number}"), "namespace": NAMESPACE},
        "spec": {
            "refreshInterval": "1h",
            "secretStoreRef": {"kind": "ClusterSecretStore", "name": "store"},
            "target": {"template": {"data": {"url": "https://{{ .user | lower }}@{{ .host }}/"}}},
            "data": data.collect::<Vec<_>>(),
            "dataFrom": [{
                "extract": {"key": "all"},
                "rewrite": [{"regexp": {"source": "^(.*)$", "target": "all-$1"}}],
            }],
        },
    })
}

/// The webhook's own count.
fn answered(metrics: &str) -> f64 {
    let lines = metrics.lines().filter(|line| line.starts_with(REQUESTS));
    let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    values.sum()
}
