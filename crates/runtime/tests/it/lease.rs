//! The election on a real server, under the rights upstream grants for leases.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Client;
use kube::api::{Patch, PatchParams};
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lease::{Candidate, LeaseError, Settings};
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::shutdown::Shutdown;
use lockstep_testkit::PATIENCE;
use lockstep_testkit::client::{TestCluster, TestNamespace, until};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::place::{User, client};

const LEASE: Duration = Duration::from_secs(8);

struct Running {
    leads: watch::Receiver<bool>,
    task: JoinHandle<Result<(), LeaseError>>,
    metrics: Arc<Metrics>,
    readiness: Readiness,
}

/// Starts a candidate with short periods.
fn start(
    client: Client,
    namespace: &TestNamespace,
    identity: &str,
    shutdown: &Shutdown,
) -> Running {
    let settings = Settings {
        namespace: namespace.name().to_owned(),
        name: "external-secrets-controller".to_owned(),
        identity: identity.to_owned(),
        duration: LEASE,
        // Long enough for a machine that stands still now and then.
        renew_deadline: Duration::from_secs(6),
        retry_period: Duration::from_millis(200),
    };
    let metrics = Arc::new(Metrics::default());
    let readiness = Readiness::default();
    let component = readiness.register("lease");
    let time = Arc::new(SystemTime);
    let candidate = Candidate::new(settings, client, time, metrics.clone(), component).unwrap();
    let (sender, leads) = watch::channel(false);
    let task = tokio::spawn(candidate.run(sender, shutdown.clone()));
    Running {
        leads,
        task,
        metrics,
        readiness,
    }
}

async fn until_leading(running: &mut Running) {
    let leading = running.leads.wait_for(|leads| *leads);
    tokio::time::timeout(PATIENCE, leading)
        .await
        .unwrap()
        .unwrap();
}

async fn lease(namespace: &TestNamespace) -> Lease {
    let api = namespace.api::<Lease>();
    api.get("external-secrets-controller").await.unwrap()
}

/// The lease once its holder has renewed it for longer than it lasts.
async fn until_renewed_for(namespace: &TestNamespace, time: Duration) -> LeaseSpec {
    let api = namespace.api::<Lease>();
    let name = "external-secrets-controller";
    let renewed = |lease: Option<&Lease>| {
        let spec = lease.and_then(|lease| lease.spec.as_ref());
        let times = spec
            .and_then(|spec| Some((&spec.acquire_time.as_ref()?.0, &spec.renew_time.as_ref()?.0)));
        times.is_some_and(|(acquired, renewed)| {
            renewed.duration_since(*acquired).unsigned_abs() >= time
        })
    };
    let lease = until(&api, name, "renewed", renewed).await.unwrap();
    lease.unwrap().spec.unwrap()
}

#[tokio::test]
async fn exactly_one_of_two_leads_and_the_other_takes_over_when_it_stops() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let client = client(&cluster, User::Admin).await;
    let (first_stop, stop) = (Shutdown::default(), Shutdown::default());
    let mut first = start(client.clone(), &namespace, "first", &first_stop);
    until_leading(&mut first).await;

    let mut second = start(client, &namespace, "second", &stop);
    let held = until_renewed_for(&namespace, LEASE + Duration::from_secs(1)).await;
    let standby = !*second.leads.borrow() && *first.leads.borrow();
    first_stop.request();
    first.task.await.unwrap().unwrap();
    until_leading(&mut second).await;
    let taken = lease(&namespace).await.spec.unwrap();

    assert!(standby);
    assert!(second.readiness.is_ready());
    assert_eq!(held.holder_identity.as_deref(), Some("first"));
    assert_eq!(held.lease_transitions, Some(0));
    assert_eq!(held.lease_duration_seconds, Some(8));
    assert!(held.renew_time > held.acquire_time);
    assert_eq!(taken.holder_identity.as_deref(), Some("second"));
    assert_eq!(taken.lease_transitions, Some(1));
    let text: String = second.metrics.scrape().collect();
    let leading = r#"leader_election_master_status{name="external-secrets-controller"} 1"#;
    assert!(text.contains(leading));
}

#[tokio::test]
async fn a_stolen_lease_ends_the_leadership_with_an_error() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let client = client(&cluster, User::Admin).await;
    let mut holder = start(client, &namespace, "holder", &Shutdown::default());
    until_leading(&mut holder).await;

    let api = namespace.api::<Lease>();
    let theft = json!({"spec": {"holderIdentity": "thief", "leaseDurationSeconds": 60}});
    let params = PatchParams::default();
    api.patch("external-secrets-controller", &params, &Patch::Merge(theft))
        .await
        .unwrap();
    let ended = tokio::time::timeout(PATIENCE, holder.task).await.unwrap();

    assert!(matches!(ended.unwrap(), Err(LeaseError::Lost(_))));
    assert!(!*holder.leads.borrow());
    let spec = lease(&namespace).await.spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some("thief"));
}
