//! ClusterPushSecrets: one PushSecret in each of many namespaces. What to do is decided in
//! [`crate::fan_out`]; this file says what the kind looks like. The garbage collector deletes the
//! children of an object that is deleted, so neither it nor namespaces carry a finalizer.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use lockstep_api::conditions::{Condition, FALSE, READY, TRUE};
use lockstep_api::fan_out::{ChildMetadata, ClusterPushSecretStatus, FailedNamespace};
use lockstep_api::push_secret::PushConversion;
use lockstep_api::{ClusterPushSecret, PushSecret, PushSecretSpec, messages, reasons};
use lockstep_golang::duration::Duration;

use crate::fan_out::{Child, Namespaces, Parent, child_name};

#[cfg(test)]
mod tests;

impl Child for PushSecret {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl Parent for ClusterPushSecret {
    type Child = PushSecret;
    type Status = ClusterPushSecretStatus;

    const API_VERSION: &'static str = Self::API_VERSION;
    const KIND: &'static str = Self::KIND;
    const FINALIZER: Option<&'static str> = None;
    const FORCES_SYNC: bool = false;
    const CHILD_EXISTS: &'static str = messages::PUSH_CHILD_EXISTS;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn given_name(&self) -> Option<&str> {
        self.spec.push_secret_name.as_deref()
    }

    fn child_metadata(&self) -> ChildMetadata {
        self.spec.push_secret_metadata.clone().unwrap_or_default()
    }

    fn fill(&self, child: &mut PushSecret) {
        child.spec = written(&self.spec.push_secret_spec);
    }

    fn is_filled(&self, child: &PushSecret) -> bool {
        child.spec == written(&self.spec.push_secret_spec)
    }

    fn mark(&self) -> Option<String> {
        None
    }

    fn selectors(&self) -> Vec<(String, &LabelSelector)> {
        let selectors = self.spec.namespace_selectors.iter().enumerate();
        let named = |(at, selector)| (format!("spec.namespaceSelectors[{at}]"), selector);
        selectors.map(named).collect()
    }

    fn names(&self) -> &[String] {
        &[]
    }

    fn refresh_time(&self) -> Option<&str> {
        self.spec.refresh_time.as_deref()
    }

    fn status(&self) -> Option<&ClusterPushSecretStatus> {
        self.status.as_ref()
    }

    fn provisioned(status: &ClusterPushSecretStatus) -> &[String] {
        &status.provisioned_namespaces
    }

    fn failed(status: &ClusterPushSecretStatus) -> &[FailedNamespace] {
        &status.failed_namespaces
    }

    fn is_ready(status: &ClusterPushSecretStatus) -> Option<bool> {
        Some(Condition::find(&status.conditions, READY)?.status == TRUE)
    }

    fn observed_generation(status: &ClusterPushSecretStatus) -> Option<i64> {
        status.observed_generation
    }

    fn new_status(
        &self,
        said: Namespaces,
        observed_generation: Option<i64>,
    ) -> ClusterPushSecretStatus {
        let ready = said.failed.is_empty();
        let message = match (ready, said.unknown) {
            (true, _) => None,
            (false, false) => Some(messages::NAMESPACES_FAILED),
            (false, true) => Some(messages::NO_TARGET_NAMESPACES),
        };
        let condition = Condition {
            type_: READY.to_owned(),
            status: if ready { TRUE } else { FALSE }.to_owned(),
            // Upstream gives a reason only where the namespaces cannot be told.
            reason: said.unknown.then(|| reasons::PUSH_ERRORED.to_owned()),
            message: message.map(str::to_owned),
            last_transition_time: None,
        };
        ClusterPushSecretStatus {
            observed_generation,
            push_secret_name: Some(child_name(self).to_owned()),
            failed_namespaces: said.failed,
            provisioned_namespaces: said.provisioned,
            conditions: vec![condition],
        }
    }
}

/// Returns the spec as upstream's client writes it: intervals in Go's notation, and defaults that our
/// schema does not set below lists. Children that upstream made are then right as they are.
fn written(spec: &PushSecretSpec) -> PushSecretSpec {
    let mut spec = spec.clone();
    let interval = spec.refresh_interval.as_deref();
    if let Some(interval) = interval.and_then(|text| Duration::parse(text).ok()) {
        spec.refresh_interval = Some(interval.to_string());
    }
    for entry in &mut spec.data {
        entry
            .conversion_strategy
            .get_or_insert(PushConversion::None);
    }
    for entry in &mut spec.data_to {
        entry
            .conversion_strategy
            .get_or_insert(PushConversion::None);
    }
    spec
}
