//! Two minutes in which nothing changes for PushSecrets. In the first none is due: no request may be
//! made. In the second each is refreshed twice: it reads its source again and compares it with what
//! the store holds, and nothing may be written to the cluster.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::progress::{Step, say};
use serde_json::json;

use super::{count, pass};
use crate::figures::{Figure, figure};
use crate::fixture::{Fixture, NAMESPACES, Plan, namespace, parallel};
use crate::follow::Follow;
use crate::requests::Requests;
use crate::scale::One;
use crate::subject::Subject;

/// Long enough for every object to have been refreshed once.
const SETTLE: Duration = Duration::from_secs(45);
const MINUTE: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(200);
const WORKERS: usize = 8;
const GROUP: &str = "/apis/external-secrets.io/v1alpha1";

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let idle = minute(one, subject, "1h")?;
    let refreshed = minute(one, subject, "30s")?;
    Ok(vec![
        figure("API requests, none due", count(idle.requests.single()), "").at_most(0.0),
        figure("CPU, none due", idle.cpu, "s"),
        figure(
            "API writes, refreshed",
            count(refreshed.requests.writes()),
            "",
        )
        .at_most(0.0),
        figure(
            "API requests, refreshed",
            count(refreshed.requests.single()),
            "",
        ),
        figure("CPU, refreshed", refreshed.cpu, "s"),
        figure("memory", refreshed.memory, "MiB"),
    ])
}

/// What a minute cost.
struct Minute {
    requests: Requests,
    cpu: f64,
    memory: f64,
}

/// One quiet minute of an operator of its own, with PushSecrets of this interval.
fn minute(one: &One, subject: &Subject, interval: &str) -> Result<Minute> {
    let backend = Backend::start(Duration::ZERO)?;
    let fixture = Fixture::make(&Plan::new(0, &backend))?;
    fill(&fixture.admin, one.count, interval)?;
    let pushed = Follow::pushed(fixture.cluster())?;
    let mut running = subject.start(&fixture)?;
    until_all(&pushed, one)?;
    pass(&mut running, SETTLE, "until all objects refresh")?;

    let (requests, usage) = (Requests::read(&fixture.admin)?, running.usage()?);
    pass(
        &mut running,
        MINUTE,
        &format!("one minute at an interval of {interval}"),
    )?;
    let used = running.usage()?;
    let requests = Requests::read(&fixture.admin)?.since(&requests);
    say(&format!("API requests of the minute: {requests}"));
    Ok(Minute {
        requests,
        cpu: used.cpu.saturating_sub(usage.cpu).as_secs_f64(),
        memory: used.resident_mib(),
    })
}

/// A store that keeps what is pushed, a source in every namespace, and the PushSecrets.
fn fill(admin: &Api, objects: u32, interval: &str) -> Result<()> {
    let step = Step::begin(format!("creating {objects} PushSecrets"), "2 s a thousand");
    admin.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": {"name": "pushed"}, "spec": {"provider": {"fake": {"data": []}}},
    }))?;
    parallel(WORKERS, NAMESPACES, |number| {
        let path = format!("/api/v1/namespaces/{}/secrets", namespace(number));
        let source = json!({"metadata": {"name": "source"}, "stringData": {"a": "1"}});
        admin.post(&path, &source).map(drop)
    })?;
    parallel(WORKERS, objects, |number| {
        let path = format!("{GROUP}/namespaces/{}/pushsecrets", namespace(number));
        let remote = json!({"remoteKey": format!("key-{number:06}")});
        let object = json!({
            "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
            "metadata": {"name": format!("ps-{number:06}")},
            "spec": {
                "refreshInterval": interval,
                "secretStoreRefs": [{"name": "pushed", "kind": "ClusterSecretStore"}],
                "selector": {"secret": {"name": "source"}},
                "data": [{"match": {"secretKey": "a", "remoteRef": remote}}],
            },
        });
        admin.post(&path, &object).map(drop)
    })?;
    step.done("cluster prepared");
    Ok(())
}

fn until_all(pushed: &Follow, one: &One) -> Result<()> {
    let (began, wanted) = (Instant::now(), usize::try_from(one.count)?);
    while pushed.all(wanted, LOOK)?.is_none() {
        if began.elapsed() > one.limit {
            bail!("gave up: {} of {wanted} were pushed", pushed.count());
        }
    }
    Ok(())
}
