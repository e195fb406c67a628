//! Writes one lane of events: creates, counts on, tries again while the server cannot be reached,
//! and gives up on what the server refuses.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::correlate::{Correlator, Decision, Occurrence};
use super::{Item, Report};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_object::{ApiObject, Written};
use crate::apply::Writer;

/// Where events about cluster-scoped objects go.
const CLUSTER_NAMESPACE: &str = "default";

/// Pauses between tries while the server cannot be reached.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// Events a lane writes at once after a pause.
const BURST: u32 = 50;

/// Time between two events when there are more: the work itself is worth more of the server's time
/// than the news of it.
const BETWEEN: Duration = Duration::from_millis(20);

/// Writes what comes through the lane until all its senders are gone.
pub(super) async fn run(client: Client, lane: &mut mpsc::Receiver<Item>) {
    let writer = Writer::new(client);
    let mut correlator = Correlator::default();
    let mut refused = false;
    let mut pace = Pace(Instant::now());
    while let Some(item) = lane.recv().await {
        let report = match item {
            Item::Event(report) => report,
            Item::Flush(done) => {
                // Nobody waits any more; fine.
                let _ = done.send(());
                continue;
            }
        };
        pace.wait().await;
        let Err(failure) = record(&writer, &mut correlator, &report).await else {
            continue;
        };
        // A missing right is news once; everything else concerns one event.
        if failure.is(ApiErrorKind::Forbidden) && !refused {
            refused = true;
            tracing::warn!(error = %failure, "events cannot be written");
        } else {
            let object = &report.object.name;
            tracing::debug!(%object, reason = %report.reason, error = %failure, "event not written");
        }
    }
}

/// When the next event may be written, were there no burst.
struct Pace(Instant);

impl Pace {
    async fn wait(&mut self) {
        let now = Instant::now();
        let start = now.checked_sub(BETWEEN * BURST).unwrap_or(now);
        self.0 = self.0.max(start) + BETWEEN;
        tokio::time::sleep_until(self.0).await;
    }
}

async fn record(
    writer: &Writer,
    correlator: &mut Correlator,
    report: &Report,
) -> Result<(), ApiError> {
    let (occurrence, known) = match correlator.decide(report) {
        Decision::Skip => return Ok(()),
        Decision::Create(occurrence) => (occurrence, false),
        Decision::Count(occurrence) => (occurrence, true),
    };
    for pause in PAUSES {
        match write(writer, report, &occurrence, known).await {
            Err(failure) if failure.is(ApiErrorKind::Unreachable) => {
                tokio::time::sleep(pause).await;
            }
            done => return done,
        }
    }
    write(writer, report, &occurrence, known).await
}

async fn write(
    writer: &Writer,
    report: &Report,
    occurrence: &Occurrence,
    known: bool,
) -> Result<(), ApiError> {
    let namespace = namespace(report);
    let target = ApiObject::of::<Event>(Some(namespace), &occurrence.name);
    if known {
        let patch = json!({
            "count": occurrence.count,
            "lastTimestamp": seconds(report.at),
            "message": occurrence.message,
        });
        match writer.merge::<Written>(&target, &patch, None).await {
            // Events live an hour; an older one is created again.
            Err(failure) if failure.is(ApiErrorKind::NotFound) => {}
            done => return done.map(drop),
        }
    }
    match writer
        .create::<Written>(&target, &body(report, occurrence), None)
        .await
    {
        // An earlier try arrived although its answer did not.
        Err(failure) if failure.is(ApiErrorKind::AlreadyExists) => Ok(()),
        done => done.map(drop),
    }
}

fn namespace(report: &Report) -> &str {
    if report.object.namespace.is_empty() {
        CLUSTER_NAMESPACE
    } else {
        &report.object.namespace
    }
}

fn body(report: &Report, occurrence: &Occurrence) -> Value {
    let object = &report.object;
    let mut involved = json!({
        "apiVersion": object.api_version,
        "kind": object.kind,
        "name": object.name,
        "uid": object.uid,
        "resourceVersion": object.resource_version,
    });
    if !object.namespace.is_empty() {
        involved["namespace"] = json!(object.namespace);
    }
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": occurrence.name, "namespace": namespace(report)},
        "involvedObject": involved,
        "type": report.event_type.word(),
        "reason": report.reason,
        "message": occurrence.message,
        "count": occurrence.count,
        "firstTimestamp": seconds(occurrence.first),
        "lastTimestamp": seconds(report.at),
        "source": {"component": report.component},
        "reportingComponent": report.component,
        "reportingInstance": "",
    })
}

/// RFC 3339 with whole seconds, as Kubernetes writes times.
fn seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::super::{EventType, ObjectRef};
    use super::*;

    #[test]
    fn events_about_cluster_scoped_objects_go_to_the_default_namespace() {
        let report = Report {
            component: "cluster-secret-store",
            object: ObjectRef {
                api_version: "external-secrets.io/v1".into(),
                kind: "ClusterSecretStore".into(),
                name: "store".to_owned(),
                ..ObjectRef::default()
            },
            event_type: EventType::Normal,
            reason: "Valid".into(),
            message: "store validated".to_owned(),
            at: Timestamp::from_second(0).unwrap(),
        };
        let Decision::Create(occurrence) = Correlator::default().decide(&report) else {
            panic!("not created");
        };

        let event = body(&report, &occurrence);

        assert_eq!(event["metadata"]["namespace"], "default");
        assert_eq!(event["involvedObject"].get("namespace"), None);
        assert_eq!(event["lastTimestamp"], "1970-01-01T00:00:00Z");
        assert_eq!(event["reportingComponent"], "cluster-secret-store");
    }
}
