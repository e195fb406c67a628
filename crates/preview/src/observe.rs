//! Collects what a reconcile knows before it decides, as the controllers do from their index: the target,
//! former targets and the labels of the namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::core::Selector;
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE, LABEL_OWNER};
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::{Observed, ObservedTarget, TemplateSources, created_by};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{Settings, TargetRow, push_secret};
use lockstep_reconcile::external_secret::observe_manifest_target;
use lockstep_runtime::api_error::ApiError;

use crate::scene::Scene;

/// How an object is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// As it stands: fetched when it is due.
    AsItStands,
    /// As if something it reads from had changed: fetched wherever time would have it fetched too.
    Refreshed,
    /// The same, and every byte of the target is compared; the operator compares what it keeps of it.
    Compared,
}

impl Scene {
    /// What a reconcile of an ExternalSecret observes.
    pub(crate) async fn observe(
        &self,
        object: ExternalSecret,
        (look, now): (Look, Timestamp),
        settings: &Settings,
    ) -> Result<Observed<'_>, ApiError> {
        let salt = &settings.salt;
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let key = ObjectKey::new(&namespace, object.target_name());
        let target = match ObjectRef::of(&object).filter(|_| settings.generic_targets) {
            Some(target) => {
                let read = self.present.object(&target);
                observe_manifest_target(&object, &target, read).await
            }
            None => match self.secret(&key).await? {
                None => ObservedTarget::Absent,
                Some(secret) if is_managed(&secret) => {
                    ObservedTarget::Row(Arc::new(TargetRow::of(&secret, salt)))
                }
                Some(_) => ObservedTarget::Unlabelled,
            },
        };
        let label = (LABEL_OWNER.to_owned(), created_by(&object));
        let selector = Selector::from_iter(BTreeMap::from([label]));
        let mut former = self.secrets(&namespace, &selector).await?;
        former.retain(|secret| secret.metadata.name.as_deref() != Some(key.name()));
        Ok(Observed {
            namespace_labels: Some(Arc::new(self.namespace_labels(&namespace))),
            stores: self,
            target,
            former_targets: former
                .iter()
                .map(|secret| Arc::new(TargetRow::of(secret, salt)))
                .collect(),
            last_refresh: None,
            inputs_changed: look != Look::AsItStands,
            asked: now,
            sources: TemplateSources::new(),
            jitter: fastrand::f64(),
            object,
        })
    }

    /// What a reconcile of a PushSecret observes.
    pub(crate) fn observe_push(&self, object: PushSecret, look: Look) -> push_secret::Observed<'_> {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        push_secret::Observed {
            namespace_labels: Some(Arc::new(self.namespace_labels(&namespace))),
            stores: self,
            last_refresh: None,
            inputs_changed: look != Look::AsItStands,
            doomed_since: None,
            jitter: fastrand::f64(),
            object,
        }
    }
}

/// Whether a Secret carries the label of those an ExternalSecret looks after.
fn is_managed(secret: &Secret) -> bool {
    let labels = secret.metadata.labels.as_ref();
    let label = labels.and_then(|labels| labels.get(LABEL_MANAGED));
    label.is_some_and(|label| label == LABEL_MANAGED_VALUE)
}
