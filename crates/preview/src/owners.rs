//! Who owns the fields of an object that is there, as far as it decides what an apply removes. Server-side
//! apply removes what its manager owns and the manifest lacks; client-side apply and Helm remove what they
//! last wrote. The plan cannot know which tool applies the manifests, so all that applied count.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use lockstep_api::keys::FIELD_MANAGER;
use serde_json::{Map, Value};

use crate::field_tree::{FieldTree, extend};

/// Annotation in which client-side apply keeps the manifest it applied.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Managers that write without server-side apply and remove what their last manifest had: all they own
/// counts, defaults included.
const WRITERS: [&str; 3] = ["helm", "helm-controller", "kubectl-replace"];
/// Managers of client-side apply: what they applied is in the annotation.
const CLIENT_SIDE: [&str; 3] = [
    "argocd-application-controller",
    "argocd-controller",
    "kubectl-client-side-apply",
];

/// Who owns what of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// Fields of managers that apply.
    applied: Option<FieldTree>,
    /// Fields that a tool wrote, and removes whoever else owns them.
    written: Option<FieldTree>,
    /// Fields of everybody else: the operator, people with `kubectl edit`, other controllers.
    others: Option<FieldTree>,
    /// Whether the fields of the tools are known apart from the defaults of the API server.
    pub(crate) is_exact: bool,
    /// Whether Argo CD is among the tools.
    pub(crate) has_argo: bool,
}

impl Owners {
    /// The owners of an object. One without `managedFields`, as in a folder, counts as applied in all of
    /// its fields.
    pub(crate) fn of(metadata: &ObjectMeta) -> Self {
        let entries = metadata.managed_fields.as_deref().unwrap_or_default();
        if entries.is_empty() {
            return Self {
                written: Some(FieldTree::default()),
                ..Self::default()
            };
        }
        let applied_by_client = last_applied(metadata);
        let mut owners = Self {
            is_exact: true,
            ..Self::default()
        };
        for entry in entries.iter().filter(|entry| is_of_the_object(entry)) {
            owners.add(entry, applied_by_client.is_some());
        }
        extend(&mut owners.written, applied_by_client);
        owners
    }

    fn add(&mut self, entry: &ManagedFieldsEntry, has_annotation: bool) {
        let fields = entry.fields_v1.as_ref();
        let fields = fields.and_then(|fields| FieldTree::of_entry(&fields.0));
        let manager = entry.manager.as_deref().unwrap_or_default();
        self.has_argo |= manager.starts_with("argocd");
        let is_client_side = CLIENT_SIDE.contains(&manager);
        if is_operator(manager) {
            extend(&mut self.others, fields);
        } else if entry.operation.as_deref() == Some("Apply") {
            extend(&mut self.applied, fields);
        } else if is_client_side && has_annotation {
            // The annotation tells what of it was in the manifest.
        } else if is_client_side || WRITERS.contains(&manager) {
            self.is_exact = false;
            extend(&mut self.written, fields);
        } else {
            extend(&mut self.others, fields);
        }
    }

    /// The owners of what is below a field.
    pub(crate) fn below(&self, name: &str) -> FieldOwners<'_> {
        let all = FieldOwners {
            applied: self.applied.as_ref(),
            written: self.written.as_ref(),
            others: self.others.as_ref(),
        };
        all.below(name)
    }
}

/// The owners of one field.
#[derive(Clone, Copy)]
pub(crate) struct FieldOwners<'a> {
    applied: Option<&'a FieldTree>,
    written: Option<&'a FieldTree>,
    others: Option<&'a FieldTree>,
}

impl FieldOwners<'_> {
    /// The owners of what is below a field.
    pub(crate) fn below(self, name: &str) -> Self {
        let below = |set: Option<_>| set.and_then(|set: &FieldTree| set.below(name));
        Self {
            applied: below(self.applied),
            written: below(self.written),
            others: below(self.others),
        }
    }

    /// What an apply leaves of a field that the manifest lacks. A field that nobody owns is a default, and
    /// goes with the map around it.
    pub(crate) fn left(self, held: &Value) -> Option<Value> {
        if self.written.is_some() {
            return None;
        }
        match (self.applied, self.others, held) {
            (Some(_), None, _) => None,
            (Some(_), Some(_), Value::Object(fields)) => {
                let left = fields.iter().filter_map(|(name, value)| {
                    Some((name.clone(), self.below(name).left(value)?))
                });
                Some(Value::Object(left.collect::<Map<_, _>>()))
            }
            _ => Some(held.clone()),
        }
    }
}

/// Whether an entry is about the object and not about its status.
fn is_of_the_object(entry: &ManagedFieldsEntry) -> bool {
    entry.subresource.as_deref().is_none_or(str::is_empty)
}

/// Whether a manager is the operator itself.
fn is_operator(manager: &str) -> bool {
    manager == FIELD_MANAGER || manager.contains("external-secrets.io/")
}

fn last_applied(metadata: &ObjectMeta) -> Option<FieldTree> {
    let text = metadata.annotations.as_ref()?.get(LAST_APPLIED)?;
    let manifest = serde_json::from_str(text).ok()?;
    FieldTree::of_manifest(&manifest)
}
