//! The suite that every kind of generator runs with one call, like the one for providers.
//!
//! ```text
//! #[test]
//! fn acme_token_keeps_the_contract() {
//!     lockstep_provider_api::conformance::generator::assert_conforms(&AcmeToken);
//! }
//! ```
//!
//! A kind describes itself through [`GeneratorSubject`]. Kinds without a server leave the transport out,
//! and the checks that need one are left out with it.

mod checks;
mod exchange;
mod subject;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::executor::block_on;
use super::patience::within;
use super::probe::Leaks;
use super::services::{NAMESPACE, ctx, services};
use super::subject::Faults;
use super::time::ManualTime;
use super::transport::{Fault, Wire};
use crate::context::{Ctx, Scope, Services};
use crate::error::{Error, ErrorKind, Result};
use crate::generator::{Generated, Maker, Random};
use crate::shared::Shared;

pub use exchange::Exchange;
pub use subject::{GeneratorSubject, GeneratorTopic};

/// Longest real time that one call may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the suite and fails the test unless the kind keeps the contract.
#[track_caller]
pub fn assert_conforms(subject: &dyn GeneratorSubject) {
    let faults = block_on(faults(subject));
    let kind = subject.entry().kind();
    assert!(
        faults.is_empty(),
        "generator {kind} breaks the contract:\n  {}",
        faults.join("\n  ")
    );
}

/// Runs every check and returns what is wrong, one line a fault.
pub async fn faults(subject: &dyn GeneratorSubject) -> Vec<String> {
    let mut faults = Vec::new();
    let leaks = Leaks::default();
    for topic in GeneratorTopic::ALL {
        if subject.waives(topic).is_some() {
            continue;
        }
        let probe = GeneratorProbe::new(subject, leaks.clone());
        let found = checks::run(&probe, topic).await;
        faults.extend(found.into_iter().map(|fault| format!("{topic:?}: {fault}")));
    }
    let leaked = leaks.found().into_iter();
    faults.extend(leaked.map(|leak| format!("Leaks: {leak}")));
    faults
}

/// A kind as the checks use it: every call is bounded in time and searched for leaked values.
struct GeneratorProbe<'a> {
    subject: &'a dyn GeneratorSubject,
    wire: Option<Wire>,
    ctx: Ctx,
    leaks: Leaks,
}

impl<'a> GeneratorProbe<'a> {
    fn new(subject: &'a dyn GeneratorSubject, leaks: Leaks) -> Self {
        let mut test = services().timed(ManualTime::hasty());
        let mut wire = None;
        if let Some(transport) = subject.transport() {
            test = test.plugged(transport);
            test.wire = test.wire.sparing(subject.spared_hosts());
            wire = Some(test.wire.clone());
        }
        subject.prepare(&test.objects);
        let edges = test.shared();
        let services = Services {
            objects: Arc::clone(&edges.objects),
            transports: Arc::clone(&edges.transports),
            time: Arc::clone(&edges.time),
            calls: Arc::clone(&edges.calls),
            ambient: false,
            variables: subject.variables(),
            shared: Shared::default(),
        };
        let scope = Scope::Namespaced {
            namespace: NAMESPACE.to_owned(),
        };
        Self {
            subject,
            wire,
            ctx: ctx(Arc::new(services), "generator", scope),
            leaks,
        }
    }

    fn keeps_state(&self) -> bool {
        matches!(self.subject.entry().maker(), Maker::Remote(maker) if maker.keeps_state())
    }

    async fn generate(&self, spec: &Value, random: &mut dyn Random) -> Result<Generated> {
        let entry = self.subject.entry();
        let made = async {
            match entry.maker() {
                Maker::Local(maker) => maker.generate(spec, random).map(Generated::from),
                Maker::Remote(maker) => maker.generate(spec, &self.ctx, random).await,
            }
        };
        self.bounded("generate", made).await
    }

    /// Generates from the subject's own spec.
    async fn make(&self) -> Result<Generated> {
        let mut random = self.subject.random();
        self.generate(&self.subject.spec(), random.as_mut()).await
    }

    async fn clean_up(&self, state: Value) -> Result<()> {
        let entry = self.subject.entry();
        let Maker::Remote(maker) = entry.maker() else {
            return Ok(());
        };
        let spec = self.subject.spec();
        let cleaned = maker.cleanup(&spec, state, &self.ctx);
        self.bounded("cleanup", cleaned).await
    }

    /// Has every request after the first `passing` ones meet the fault.
    fn fail_after(&self, passing: usize, fault: Fault) {
        if let Some(wire) = &self.wire {
            wire.fail_after(passing, fault);
        }
    }

    fn heal(&self) {
        if let Some(wire) = &self.wire {
            wire.heal();
        }
    }

    fn sent(&self) -> usize {
        self.wire.as_ref().map_or(0, Faults::sent)
    }

    async fn bounded<T: Debug>(
        &self,
        call: &str,
        future: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let ended = within(PATIENCE, future).await;
        let result = ended.unwrap_or_else(|| {
            let text = format!("{call} hangs: no answer within {PATIENCE:?}");
            Err(Error::new(ErrorKind::Internal, text))
        });
        self.leaks.inspect(call, &result);
        result
    }
}
