//! ClusterExternalSecrets: one ExternalSecret in each of many namespaces. What to do is decided in
//! [`crate::fan_out`]; this file says what the kind looks like.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use lockstep_api::conditions::READY;
use lockstep_api::fan_out::{
    ChildMetadata, ClusterExternalSecretStatus, FailedNamespace, PlainCondition,
};
use lockstep_api::keys::{FINALIZER_CLUSTER_EXTERNAL_SECRET, namespace_finalizer};
use lockstep_api::{ClusterExternalSecret, ExternalSecret, messages};

use crate::fan_out::{Child, Namespaces, Parent, child_name};

#[cfg(test)]
mod tests;

impl Child for ExternalSecret {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl Parent for ClusterExternalSecret {
    type Child = ExternalSecret;
    type Status = ClusterExternalSecretStatus;

    const API_VERSION: &'static str = Self::API_VERSION;
    const KIND: &'static str = Self::KIND;
    const FINALIZER: Option<&'static str> = Some(FINALIZER_CLUSTER_EXTERNAL_SECRET);
    const FORCES_SYNC: bool = true;
    const CHILD_EXISTS: &'static str = messages::CHILD_EXISTS;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn given_name(&self) -> Option<&str> {
        self.spec.external_secret_name.as_deref()
    }

    fn child_metadata(&self) -> ChildMetadata {
        let metadata = self.spec.external_secret_metadata.clone();
        metadata.unwrap_or_default()
    }

    fn fill(&self, child: &mut ExternalSecret) {
        child.spec = self.spec.external_secret_spec.clone();
    }

    fn is_filled(&self, child: &ExternalSecret) -> bool {
        child.spec == self.spec.external_secret_spec
    }

    fn mark(&self) -> Option<String> {
        let name = self.metadata.name.as_deref().unwrap_or_default();
        Some(namespace_finalizer(name))
    }

    fn selectors(&self) -> Vec<(String, &LabelSelector)> {
        let single = self.spec.namespace_selector.iter();
        let single = single.map(|selector| ("spec.namespaceSelector".to_owned(), selector));
        let several = self.spec.namespace_selectors.iter().enumerate();
        let several =
            several.map(|(at, selector)| (format!("spec.namespaceSelectors[{at}]"), selector));
        single.chain(several).collect()
    }

    fn names(&self) -> &[String] {
        &self.spec.namespaces
    }

    fn refresh_time(&self) -> Option<&str> {
        self.spec.refresh_time.as_deref()
    }

    fn status(&self) -> Option<&ClusterExternalSecretStatus> {
        self.status.as_ref()
    }

    fn provisioned(status: &ClusterExternalSecretStatus) -> &[String] {
        &status.provisioned_namespaces
    }

    fn failed(status: &ClusterExternalSecretStatus) -> &[FailedNamespace] {
        &status.failed_namespaces
    }

    fn is_ready(status: &ClusterExternalSecretStatus) -> Option<bool> {
        let ready = status.conditions.iter().find(|one| one.type_ == READY)?;
        Some(ready.status == "True")
    }

    fn observed_generation(status: &ClusterExternalSecretStatus) -> Option<i64> {
        status.observed_generation
    }

    fn new_status(
        &self,
        said: Namespaces,
        observed_generation: Option<i64>,
    ) -> ClusterExternalSecretStatus {
        let ready = said.failed.is_empty();
        let condition = PlainCondition {
            type_: READY.to_owned(),
            status: if ready { "True" } else { "False" }.to_owned(),
            message: (!ready).then(|| messages::NAMESPACES_FAILED.to_owned()),
        };
        ClusterExternalSecretStatus {
            observed_generation,
            external_secret_name: Some(child_name(self).to_owned()),
            failed_namespaces: said.failed,
            provisioned_namespaces: said.provisioned,
            conditions: vec![condition],
        }
    }
}
