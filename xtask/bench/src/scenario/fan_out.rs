//! A ClusterExternalSecret and a ClusterPushSecret over many namespaces: how long until each namespace has its
//! child, beside a plain client that does the same writes, and what a reconcile writes that finds nothing changed.
//! The children name a store of another class, so that nobody's work on them blurs the figures.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::progress::Step;
use serde_json::{Value, json};

use super::{count, pass};
use crate::figures::{Figure, figure};
use crate::fixture::{Fixture, Plan, parallel};
use crate::requests::Requests;
use crate::scale::One;
use crate::subject::{Running, Subject};

/// Requests at once, of the plain client as of the operator.
const WORKERS: usize = 8;
/// Time over which unchanged objects are reconciled several times.
const UNCHANGED: Duration = Duration::from_secs(20);
/// How much longer than a plain client the operator may take.
const TARGET: f64 = 5.0;

/// One of the two kinds.
struct Kind {
    name: &'static str,
    collection: &'static str,
    child_group: &'static str,
    child_plural: &'static str,
    /// Whether namespaces get a finalizer.
    marks: bool,
    figures: [&'static str; 4],
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "ClusterExternalSecret",
        collection: "/apis/external-secrets.io/v1/clusterexternalsecrets",
        child_group: "external-secrets.io/v1",
        child_plural: "externalsecrets",
        marks: true,
        figures: [
            "CES: all namespaces",
            "CES: plain client",
            "CES: ratio",
            "CES: longer",
        ],
    },
    Kind {
        name: "ClusterPushSecret",
        collection: "/apis/external-secrets.io/v1alpha1/clusterpushsecrets",
        child_group: "external-secrets.io/v1alpha1",
        child_plural: "pushsecrets",
        marks: false,
        figures: [
            "CPS: all namespaces",
            "CPS: plain client",
            "CPS: ratio",
            "CPS: longer",
        ],
    },
];

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(Duration::ZERO)?;
    let fixture = Fixture::make(&Plan::new(0, &backend))?;
    let admin = &fixture.admin;
    make_namespaces(admin, one.count)?;
    let account = Api::new(Access::read(&fixture.cluster().operator_kubeconfig())?)?;
    let plain: Vec<f64> = KINDS
        .iter()
        .map(|kind| plainly(&account, kind, one.count))
        .collect::<Result<_>>()?;
    let mut running = subject.start(&fixture)?;
    running.operator.healthy()?;

    let mut figures = Vec::new();
    for (kind, plain) in KINDS.iter().zip(plain) {
        let took = provisioned(admin, kind, one, &mut running)?;
        let [all, client, ratio, longer] = kind.figures;
        figures.push(figure(all, took, "s"));
        figures.push(figure(client, plain, "s"));
        figures.push(figure(ratio, took / plain, ""));
        figures.push(figure(longer, (took - plain).max(0.0), "s").at_most(TARGET));
    }
    let before = Requests::read(admin)?;
    pass(
        &mut running,
        UNCHANGED,
        "unchanged objects, reconciled every second",
    )?;
    let written = Requests::read(admin)?.since(&before).writes();
    figures.push(figure("writes while unchanged", count(written), "").at_most(0.0));
    Ok(figures)
}

/// Namespaces for the operator and as many for the plain client, and the store of another class.
fn make_namespaces(admin: &Api, namespaces: u32) -> Result<()> {
    let step = Step::begin(
        format!("creating {} namespaces", 2 * namespaces),
        "4 s a thousand",
    );
    admin.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": {"name": "foreign"},
        "spec": {"controller": "another", "provider": {"fake": {"data": []}}},
    }))?;
    parallel(WORKERS, namespaces, |number| {
        for (name, label) in [(theirs(number), "yes"), (plain(number), "no")] {
            let metadata = json!({"name": name, "labels": {"fan-out": label}});
            admin.post("/api/v1/namespaces", &json!({"metadata": metadata}))?;
        }
        Ok(())
    })?;
    step.done("cluster prepared");
    Ok(())
}

fn theirs(number: u32) -> String {
    format!("fan-{number:05}")
}

fn plain(number: u32) -> String {
    format!("plain-{number:05}")
}

/// Seconds that a plain client needs for the writes of one kind.
fn plainly(account: &Api, kind: &Kind, namespaces: u32) -> Result<f64> {
    let began = Instant::now();
    parallel(WORKERS, namespaces, |number| {
        let namespace = plain(number);
        if kind.marks {
            let mark = json!({"metadata": {"finalizers": ["external-secrets.io/plain-client"]}});
            account.merge(&format!("/api/v1/namespaces/{namespace}"), &mark)?;
        }
        let path = format!(
            "/apis/{}/namespaces/{namespace}/{}",
            kind.child_group, kind.child_plural
        );
        account.post(&path, &child(kind)).map(drop)
    })?;
    Ok(began.elapsed().as_secs_f64())
}

fn child_spec(kind: &Kind) -> Value {
    let store = json!({"name": "foreign", "kind": "ClusterSecretStore"});
    if kind.marks {
        return json!({
            "refreshInterval": "1h", "secretStoreRef": store,
            "data": [{"secretKey": "a", "remoteRef": {"key": "a"}}],
        });
    }
    json!({
        "refreshInterval": "1h", "secretStoreRefs": [store],
        "selector": {"secret": {"name": "source"}},
        "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "a"}}}],
    })
}

fn child(kind: &Kind) -> Value {
    json!({
        "apiVersion": kind.child_group, "kind": kind.name.trim_start_matches("Cluster"),
        "metadata": {"name": "plain"}, "spec": child_spec(kind),
    })
}

/// Seconds from the creation of the object until its status names every namespace.
fn provisioned(admin: &Api, kind: &Kind, one: &One, running: &mut Running) -> Result<f64> {
    let field = if kind.marks {
        "externalSecretSpec"
    } else {
        "pushSecretSpec"
    };
    let object = json!({
        "apiVersion": kind.child_group, "kind": kind.name, "metadata": {"name": "wide"},
        "spec": {
            "refreshTime": "1s",
            "namespaceSelectors": [{"matchLabels": {"fan-out": "yes"}}],
            field: child_spec(kind),
        },
    });
    let (began, wanted) = (Instant::now(), usize::try_from(one.count)?);
    admin.post(kind.collection, &object)?;
    loop {
        let seen = admin.get(&format!("{}/wide", kind.collection))?;
        let namespaces = seen["status"]["provisionedNamespaces"].as_array();
        let done = namespaces.map_or(0, Vec::len);
        if done == wanted {
            return Ok(began.elapsed().as_secs_f64());
        }
        if began.elapsed() > one.limit {
            bail!("gave up: {} has {done} of {wanted} namespaces", kind.name);
        }
        running.operator.check()?;
        std::thread::sleep(Duration::from_millis(20));
    }
}
