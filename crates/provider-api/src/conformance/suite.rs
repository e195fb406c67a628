//! Runs the checks one after the other, each on a fresh connection and with keys of its own, so
//! that one check's faults and leavings do not reach the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::checks;
use super::probe::{CANARY, Leaks, Probe};
use super::report::{Report, Topic, Verdict};
use super::services::{NAMESPACE, ctx, services};
use super::subject::{Faults, Subject};
use super::time::ManualTime;
use crate::capability::Capabilities;
use crate::context::{Scope, Services};
use crate::erased::Entry;
use crate::error::Result;
use crate::request::PushItem;
use crate::shared::Shared;
use crate::store::Provider;
use crate::value::{SecretMap, SecretValue};

/// One run of the suite.
pub struct Suite<'a, S> {
    pub(super) subject: &'a S,
    pub(super) capabilities: Capabilities,
    pub(super) faults: Option<Arc<dyn Faults>>,
    pub(super) leaks: Leaks,
    services: Arc<Services>,
    store: String,
    patience: Duration,
}

/// Tells the stores of one process apart, for providers that keep state by name.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// What a check ends with: the faults it found, or why it ended early.
pub(super) type Findings = Result<Vec<String>, Stop>;

/// Why a check ended early.
pub(super) enum Stop {
    /// It says nothing of this provider.
    Skip(String),
    /// There is nothing to check without this.
    Fault(String),
}

impl<'a, S: Subject> Suite<'a, S> {
    /// A suite for one provider.
    pub fn new(subject: &'a S) -> Self {
        let mut services = services().timed(ManualTime::hasty());
        let mut faults = subject.faults();
        if let Some(transport) = subject.transport() {
            services = services.plugged(transport);
            services.wire = services.wire.sparing(subject.spared_hosts());
            faults = Some(Arc::new(services.wire.clone()));
        }
        subject.prepare(&services.objects);
        let defaults = services.shared();
        let services = Services {
            objects: Arc::clone(&defaults.objects),
            transports: Arc::clone(&defaults.transports),
            time: subject.time().unwrap_or_else(|| Arc::clone(&defaults.time)),
            calls: Arc::clone(&defaults.calls),
            ambient: false,
            variables: subject.variables(),
            shared: Shared::default(),
        };
        Self {
            subject,
            capabilities: Capabilities::NONE,
            faults,
            leaks: Leaks::default(),
            services: Arc::new(services),
            store: format!("conformance-{}", RUNS.fetch_add(1, Ordering::Relaxed)),
            patience: Duration::from_secs(20),
        }
    }

    /// The same suite with another limit on the real time one call may take.
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// Runs every check.
    pub async fn run(mut self) -> Report {
        let provider = <S::Provider as Provider>::NAME;
        let entry = Entry::of::<S::Provider>();
        match entry.capabilities(&self.subject.spec()) {
            Ok(capabilities) => self.capabilities = capabilities,
            Err(error) => {
                let fault = vec![format!("the subject's own spec is refused: {error}")];
                let verdict = (Topic::Capabilities, Verdict::Failed(fault));
                return Report::new(provider, vec![verdict]);
            }
        }
        let mut verdicts = Vec::new();
        for topic in checks::ALL {
            let findings = match self.subject.waives(topic) {
                Some(reason) => Err(Stop::Skip(format!("waived: {reason}"))),
                None => checks::run(&self, topic).await,
            };
            if let Some(faults) = &self.faults {
                faults.heal();
            }
            verdicts.push((topic, verdict(findings)));
        }
        Report::new(provider, verdicts)
    }

    /// A fresh connection.
    pub(super) async fn open(&self) -> Result<Probe, Stop> {
        let entry = Entry::of::<S::Provider>();
        let scope = Scope::Namespaced {
            namespace: NAMESPACE.to_owned(),
        };
        let ctx = ctx(Arc::clone(&self.services), &self.store, scope);
        let connected = entry.connect(self.subject.spec(), ctx).await;
        let store = connected.map_err(|error| Stop::Fault(format!("cannot connect: {error}")))?;
        Ok(Probe {
            store,
            leaks: self.leaks.clone(),
            patience: self.patience,
        })
    }

    /// The means to make the backend fail, where there are any.
    pub(super) fn faults(&self) -> Result<&dyn Faults, Stop> {
        let faults = self.faults.as_deref();
        faults.ok_or_else(|| Stop::Skip("no network to fail".to_owned()))
    }

    /// Seeds a value that holds the canary and returns what a read of it gives.
    pub(super) async fn seed(&self, key: &str) -> Result<SecretValue, Stop> {
        let value = SecretValue::from(format!("{CANARY} of {key}"));
        match self.subject.seed(key, &value).await {
            Ok(()) => Ok(self.subject.given(&value)),
            Err(reason) => Err(Stop::Skip(format!("cannot seed: {reason}"))),
        }
    }

    /// A push of one value to a key.
    pub(super) fn item(&self, key: &str, value: SecretValue) -> PushItem {
        let source = SecretMap::from_iter([("conformance".to_owned(), value)]);
        PushItem {
            secret_key: Some("conformance".to_owned()),
            ..PushItem::whole(self.subject.target(key), source)
        }
    }
}

/// Skips a check unless a capability is there.
pub(super) fn needs(capability: bool, name: &str) -> Result<(), Stop> {
    if capability {
        return Ok(());
    }
    Err(Stop::Skip(format!("the provider cannot {name}")))
}

fn verdict(findings: Findings) -> Verdict {
    match findings {
        Ok(faults) if faults.is_empty() => Verdict::Passed,
        Ok(faults) => Verdict::Failed(faults),
        Err(Stop::Fault(fault)) => Verdict::Failed(vec![fault]),
        Err(Stop::Skip(reason)) => Verdict::Skipped(reason),
    }
}
