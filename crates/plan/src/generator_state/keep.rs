//! The states of one owner: how a new one looks, and which older ones may go. A credential stays
//! until the one after its successor was written, so that consumers have had a refresh to change.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use lockstep_api::generator_state::{GeneratorState, GeneratorStateSpec, GeneratorStateStatus};
use lockstep_api::keys::{FINALIZER_GENERATOR_STATE, LABEL_GENERATOR_OWNER_KEY};
use lockstep_golang::fmt::object_hash_text;
use serde_json::{Value, json};

/// The state key of a PushSecret; an ExternalSecret's is the index in `dataFrom`.
pub const PUSH_STATE_KEY: &str = "__pushsecret";

/// The object that a credential was made for.
#[derive(Clone, Copy, Debug)]
pub struct StateOwner<'a> {
    /// Its `apiVersion`.
    pub api_version: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its metadata.
    pub metadata: &'a ObjectMeta,
}

impl StateOwner<'_> {
    fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Namespace of the owner and of its states.
    pub fn namespace(&self) -> &str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }
}

/// The value of the label by which the states of an owner's entry are found.
pub fn owner_key(owner: StateOwner<'_>, state_key: &str) -> String {
    let (kind, namespace, name) = (owner.kind, owner.namespace(), owner.name());
    object_hash_text(&format!("{kind}-{namespace}-{name}-{state_key}"))
}

/// The state of a credential that was just made. The server adds to the name.
pub fn new_state(
    owner: StateOwner<'_>,
    state_key: &str,
    (resource, state): (Value, Value),
) -> GeneratorState {
    let label = LABEL_GENERATOR_OWNER_KEY.to_owned();
    let kind = owner.kind.to_lowercase();
    GeneratorState {
        metadata: ObjectMeta {
            generate_name: Some(format!("gen-{kind}-{}-", owner.name())),
            namespace: Some(owner.namespace().to_owned()),
            labels: Some(BTreeMap::from([(label, owner_key(owner, state_key))])),
            finalizers: Some(vec![FINALIZER_GENERATOR_STATE.to_owned()]),
            owner_references: Some(vec![OwnerReference {
                api_version: owner.api_version.to_owned(),
                kind: owner.kind.to_owned(),
                name: owner.name().to_owned(),
                uid: owner.metadata.uid.clone().unwrap_or_default(),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        },
        spec: GeneratorStateSpec {
            garbage_collection_deadline: None,
            resource,
            state,
        },
        // The original always writes one, and its consumers may look for it.
        status: Some(GeneratorStateStatus::default()),
    }
}

/// Names of the states that are no longer needed once `newest` is in use: all without a deadline but
/// that one and the one before it.
pub fn superseded<'a>(states: &'a [GeneratorState], newest: &str) -> Vec<&'a str> {
    let mut live: Vec<&GeneratorState> = states
        .iter()
        .filter(|state| state.spec.garbage_collection_deadline.is_none())
        .filter(|state| state.metadata.deletion_timestamp.is_none())
        .filter(|state| state.metadata.name.as_deref() != Some(newest))
        .collect();
    live.sort_by_key(|state| {
        let created = state.metadata.creation_timestamp.as_ref();
        (created.map(|time| time.0), state.metadata.name.clone())
    });
    live.pop();
    let names = live.into_iter();
    names
        .filter_map(|state| state.metadata.name.as_deref())
        .collect()
}

/// Merge patch that says when a state is to be deleted.
pub fn deadline_patch(at: Timestamp) -> Value {
    let at = at.round(jiff::Unit::Second).unwrap_or(at);
    json!({ "spec": { "garbageCollectionDeadline": at.to_string() } })
}
