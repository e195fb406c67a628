//! Leader election by a Lease, compatible with client-go's: a roll-out of both programs elects
//! exactly one. Polls, because the usual role may not watch leases. The lease is not given back on a
//! stop, and its loss ends the program, both as upstream does it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use lockstep_provider_api::context::Time;
use tokio::sync::watch;
use uuid::Builder;

use crate::api_error::ApiError;
use crate::api_object::{ApiObject, Written};
use crate::apply::Writer;
use crate::clock::Stopwatch;
use crate::health::Component;
use crate::metrics::Metrics;
use crate::shutdown::Shutdown;
use crate::supervise;

mod election;

use election::{Election, Step};

/// Share of the retry period that chance adds while waiting for the lease.
const JITTER: f64 = 1.2;

/// Which lease, and how patiently.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Namespace of the lease.
    pub namespace: String,
    /// Name of the lease.
    pub name: String,
    /// Who we are; see [`identity`].
    pub identity: String,
    /// How long others respect a lease that is not renewed.
    pub duration: Duration,
    /// How long the holder tries to renew before it gives up.
    pub renew_deadline: Duration,
    /// Pause between tries.
    pub retry_period: Duration,
}

impl Settings {
    /// Refuses settings under which two could lead at once, with client-go's rules.
    fn check(&self) -> Result<(), LeaseError> {
        let wrong = if self.duration <= self.renew_deadline {
            "lease duration must be greater than renew deadline"
        } else if self.renew_deadline <= self.retry_period.mul_f64(JITTER) {
            "renew deadline must be greater than 1.2 times retry period"
        } else if self.retry_period.is_zero() {
            "retry period must be greater than zero"
        } else {
            return Ok(());
        };
        Err(LeaseError::Settings(wrong))
    }
}

/// Why there is no election.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// The settings contradict themselves.
    #[error("leader election: {0}")]
    Settings(&'static str),
    /// Somebody else may lead now.
    #[error("leader election lost: lease {0} could not be renewed in time")]
    Lost(String),
}

/// An identity as client-go makes them: host name and a random UUID.
pub fn identity(hostname: &str) -> String {
    let id = Builder::from_random_bytes(fastrand::u128(..).to_be_bytes()).into_uuid();
    format!("{hostname}_{id}")
}

/// Takes part in the election in the background. The channel turns true when we lead, and the task
/// ends with an error when the lease is lost; the caller must then stop the program.
pub struct Candidate {
    settings: Settings,
    target: ApiObject,
    writer: Writer,
    time: Arc<dyn Time>,
    metrics: Arc<Metrics>,
    component: Component,
    election: Election,
    stored: Option<Lease>,
    started: Stopwatch,
}

impl Candidate {
    /// A candidate that has not asked yet.
    pub fn new(
        settings: Settings,
        client: Client,
        time: Arc<dyn Time>,
        metrics: Arc<Metrics>,
        component: Component,
    ) -> Result<Self, LeaseError> {
        settings.check()?;
        metrics.set_leader(&settings.name, false);
        Ok(Self {
            target: ApiObject::of::<Lease>(Some(&settings.namespace), &settings.name),
            writer: Writer::new(client),
            election: Election::new(settings.identity.clone(), settings.duration),
            settings,
            time,
            metrics,
            component,
            stored: None,
            started: Stopwatch::start(),
        })
    }

    /// Runs for the lease until a stop is asked for or a lease once held is lost. `leads` turns
    /// true when the lease is ours.
    pub async fn run(
        mut self,
        leads: watch::Sender<bool>,
        shutdown: Shutdown,
    ) -> Result<(), LeaseError> {
        tokio::select! {
            () = shutdown.requested() => return Ok(()),
            () = self.acquire() => {}
        }
        tracing::info!(lease = %self.name(), identity = %self.settings.identity, "leading");
        self.metrics.set_leader(&self.settings.name, true);
        leads.send_replace(true);
        tokio::select! {
            () = shutdown.requested() => return Ok(()),
            () = self.renew() => {}
        }
        self.metrics.set_leader(&self.settings.name, false);
        leads.send_replace(false);
        Err(LeaseError::Lost(self.name()))
    }

    fn name(&self) -> String {
        format!("{}/{}", self.settings.namespace, self.settings.name)
    }

    async fn acquire(&mut self) {
        while !self.attempt(self.settings.renew_deadline).await {
            let stretch = 1.0 + JITTER * fastrand::f64();
            let pause = self.settings.retry_period.mul_f64(stretch);
            self.time.sleep(pause).await;
        }
    }

    /// Renews until that failed for the whole renew deadline.
    async fn renew(&mut self) {
        loop {
            self.time.sleep(self.settings.retry_period).await;
            let deadline = self.settings.renew_deadline;
            let period = self.settings.retry_period;
            let time = Arc::clone(&self.time);
            let renewed = async {
                while !self.attempt(deadline).await {
                    time.sleep(period).await;
                }
            };
            if tokio::time::timeout(deadline, renewed).await.is_err() {
                return;
            }
        }
    }

    /// One try to get or keep the lease, within the time limit.
    async fn attempt(&mut self, limit: Duration) -> bool {
        let attempt = tokio::time::timeout(limit, self.try_once()).await;
        match attempt {
            Ok(Ok(leads)) => {
                if leads {
                    self.component.ready();
                }
                leads
            }
            Ok(Err(failure)) => {
                self.component
                    .waiting(format!("lease {}: {failure}", self.name()));
                false
            }
            Err(_) => {
                let name = self.name();
                self.component
                    .waiting(format!("lease {name}: the API server does not answer"));
                false
            }
        }
    }

    async fn try_once(&mut self) -> Result<bool, ApiError> {
        let passed = self.started.elapsed();
        if let Some(lease) = self.stored.clone().filter(|_| self.election.leads(passed)) {
            // The holder writes on what it wrote last; only a surprise makes it read again.
            if self.write(lease).await.is_ok() {
                return Ok(true);
            }
        }
        let found: Option<Lease> = self.target.get(self.writer.client()).await?;
        let Some(lease) = found else {
            return self.create().await;
        };
        let passed = self.started.elapsed();
        match self.election.observe(lease.spec.as_ref(), passed) {
            Step::Wait { holder } => {
                let name = self.name();
                // A standby is ready: it does what standbys do.
                self.component
                    .ready_but(format!("lease {name} is held by {holder}"));
                self.stored = None;
                Ok(false)
            }
            Step::Take => self.write(lease).await.map(|()| true),
        }
    }

    async fn create(&mut self) -> Result<bool, ApiError> {
        let passed = self.started.elapsed();
        let mut lease = Lease::default();
        lease.metadata.name = Some(self.settings.name.clone());
        lease.metadata.namespace = Some(self.settings.namespace.clone());
        lease.spec = Some(self.election.claim(self.time.now()));
        let written: Written = self.writer.create(&self.target, &lease, None).await?;
        self.hold(lease, written.resource_version, passed);
        Ok(true)
    }

    async fn write(&mut self, mut lease: Lease) -> Result<(), ApiError> {
        // Counted from before the request, so that we never believe longer than others do.
        let passed = self.started.elapsed();
        lease.spec = Some(self.election.claim(self.time.now()));
        let written: Written = self.writer.replace(&self.target, &lease, None).await?;
        self.hold(lease, written.resource_version, passed);
        Ok(())
    }

    fn hold(&mut self, mut lease: Lease, version: String, passed: Duration) {
        self.election.held(lease.spec.as_ref(), passed);
        lease.metadata.resource_version = Some(version);
        lease.metadata.managed_fields = None;
        self.stored = Some(lease);
    }
}

/// Runs a candidate in the background; `lost` is called when the lease was lost.
pub fn spawn(
    candidate: Candidate,
    shutdown: Shutdown,
    lost: impl FnOnce(LeaseError) + Send + 'static,
) -> watch::Receiver<bool> {
    let (leads, receiver) = watch::channel(false);
    supervise::spawn("lease", async move {
        let name = candidate.name();
        let run = AssertUnwindSafe(candidate.run(leads, shutdown)).catch_unwind();
        // A candidate that panicked renews no more: the same as a lost lease.
        let ended = run.await.unwrap_or(Err(LeaseError::Lost(name)));
        if let Err(error) = ended {
            tracing::error!(%error, "stopping");
            lost(error);
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            namespace: "ns".to_owned(),
            name: "lease".to_owned(),
            identity: "me".to_owned(),
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }

    #[test]
    fn upstreams_defaults_are_accepted_and_contradictions_are_not() {
        assert!(settings().check().is_ok());
        let short = Settings {
            duration: Duration::from_secs(10),
            ..settings()
        };
        let slow = Settings {
            retry_period: Duration::from_secs(9),
            ..settings()
        };

        assert!(short.check().is_err());
        assert!(slow.check().is_err());
    }

    #[test]
    fn identities_are_host_and_uuid_and_never_the_same() {
        let (one, two) = (identity("pod"), identity("pod"));

        assert_ne!(one, two);
        let (host, uuid) = one.split_once('_').unwrap();
        assert_eq!(host, "pod");
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(uuid.as_bytes()[14], b'4');
    }
}
