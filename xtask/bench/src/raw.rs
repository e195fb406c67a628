//! `bench raw`: the writes of a first sync (finalizer, Secret, status) by a plain client with a number of workers, under
//! the operator's own account. What an operator needs beyond this time is its own.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep_testkit::api::Api;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::progress::Step;
use serde_json::{Value, json};

use crate::cli::RawArgs;
use crate::fixture::{self, Fixture, Plan, parallel};
use crate::follow::Follow;
use crate::report::Report;
use crate::requests::Requests;

const FINALIZER: &str = "externalsecrets.external-secrets.io/externalsecret-cleanup";

pub(crate) fn run(args: &RawArgs) -> Result<()> {
    measure(args.objects, args.workers)?.print(args.output)
}

/// Does the writes for `count` objects.
pub(crate) fn measure(count: u32, workers: u16) -> Result<Report> {
    let backend = Backend::start(Duration::ZERO)?;
    let fixture = Fixture::make(&Plan::new(count, &backend))?;
    let secrets = Follow::secrets(fixture.cluster())?;
    let ready = Follow::ready(fixture.cluster())?;
    let account = Api::new(Access::read(&fixture.cluster().operator_kubeconfig())?)?;
    let before = Requests::read(&fixture.admin)?;

    let step = Step::begin("writing with a plain client", "2 s a thousand objects");
    let began = Instant::now();
    parallel(workers.into(), count, |number| write(&account, number))?;
    let wanted = usize::try_from(count)?;
    let soon = Duration::from_secs(10);
    let last_secret = secrets
        .all(wanted, soon)?
        .context("a Secret never appeared")?;
    let last_ready = ready
        .all(wanted, soon)?
        .context("a status never appeared")?;
    step.done("all objects written");
    let requests = Requests::read(&fixture.admin)?.since(&before);

    Ok(Report {
        kind: "raw",
        operator: format!("a plain client with {workers} workers"),
        objects: count,
        secrets_seconds: (last_secret - began).as_secs_f64(),
        ready_seconds: (last_ready - began).as_secs_f64(),
        requests: requests.total(),
        requests_by_verb: requests.0,
    })
}

fn write(account: &Api, number: u32) -> Result<()> {
    let path = fixture::path(number);
    let object = account.merge(&path, &json!({"metadata": {"finalizers": [FINALIZER]}}))?;
    let namespace = fixture::namespace(number);
    account.post(
        &format!("/api/v1/namespaces/{namespace}/secrets"),
        &secret(number, &object),
    )?;
    let status = json!({"status": {
        "refreshTime": "2026-01-01T00:00:00Z",
        "binding": {"name": fixture::object(number)},
        "conditions": [{
            "type": "Ready", "status": "True", "reason": "SecretSynced", "message": "secret synced",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }],
    }});
    account.merge(&format!("{path}/status"), &status).map(drop)
}

fn secret(number: u32, owner: &Value) -> Value {
    let name = fixture::object(number);
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "labels": {"reconcile.external-secrets.io/managed": "true"},
            "annotations": {"reconcile.external-secrets.io/data-hash": "none"},
            "ownerReferences": [{
                "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "name": name,
                "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "data": {"value": "OCBieXRlcyE="},
    })
}
