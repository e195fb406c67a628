//! The GeneratorState controller: claims states, deletes those whose deadline has passed, and takes
//! credentials back before a state goes. Decides nothing; keeps nothing but its queue.

use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use k8s_openapi::api::core::v1::Namespace;
use kube::core::PartialObjectMeta;
use lockstep_api::GeneratorState;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_generators::{Maker, lookup};
use lockstep_index::ObjectKey;
use lockstep_plan::generator_state::{Decision, decide};
use lockstep_provider_api::ErrorKind;
use lockstep_reconcile::WorldError;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::dispatch::{Handle, Next};
use lockstep_runtime::watch::Change;
use serde_json::Value;

use crate::api::world_error;
use crate::shared::Shared;

/// Queues states: those that want something now, and those that have a deadline.
pub(crate) async fn watch(
    shared: Arc<Shared>,
    queue: Handle<ObjectKey>,
    changes: impl Stream<Item = Change<GeneratorState>>,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Applied(object) => {
                let key = ObjectKey::of(&object.metadata);
                match decide(&object, shared.now()) {
                    Decision::Idle => queue.remove(&key),
                    Decision::Wait(at) => queue.due(key, at),
                    _ => queue.fresh(key),
                }
            }
            Change::Deleted(object) => queue.remove(&ObjectKey::of(&object.metadata)),
            Change::Reset | Change::Synced | Change::Invalid(_) => {}
        }
    }
}

/// Runs one state.
pub(crate) async fn run(shared: Arc<Shared>, key: ObjectKey) -> Next {
    match keep(&shared, &key).await {
        Ok(next) => next,
        Err(WorldError::NotFound) => Next::Idle,
        Err(WorldError::Failed(error)) => {
            tracing::warn!(generator_state = %key, %error, "reconcile failed");
            Next::Failed
        }
        Err(error) => {
            tracing::debug!(generator_state = %key, %error, "changed meanwhile");
            Next::Again
        }
    }
}

async fn keep(shared: &Shared, key: &ObjectKey) -> Result<Next, WorldError> {
    let target = ApiObject::of::<GeneratorState>(Some(key.namespace()), key.name());
    let read = target.require(&shared.client).await;
    let object: GeneratorState = read.map_err(world_error)?;
    match decide(&object, shared.now()) {
        Decision::Idle => Ok(Next::Idle),
        Decision::Wait(at) => Ok(Next::At(at)),
        Decision::Claim(patch) => patched(shared, &target, &patch).await,
        Decision::Delete => {
            let uid = object.metadata.uid.as_deref().unwrap_or_default();
            let deleted = shared.writer.delete(&target, uid, None).await;
            deleted.map_err(world_error)?;
            Ok(Next::Idle)
        }
        Decision::CleanUp {
            kind,
            spec,
            state,
            release,
        } => {
            clean_up(shared, key, (&kind, &spec, state)).await?;
            patched(shared, &target, &release).await
        }
    }
}

/// Writes the finalizers; the watch delivers what follows.
async fn patched(shared: &Shared, target: &ApiObject, patch: &Value) -> Result<Next, WorldError> {
    let written = shared
        .writer
        .merge(target, patch, Some(FIELD_MANAGER))
        .await;
    written.map(|_: Written| Next::Idle).map_err(world_error)
}

/// Takes the credential of a state back. What this build cannot take back is let go, and so is what
/// goes with its namespace after the Secret to sign in with.
async fn clean_up(
    shared: &Shared,
    key: &ObjectKey,
    (kind, spec, state): (&str, &Value, Value),
) -> Result<(), WorldError> {
    let maker = match lookup(kind).map(lockstep_provider_api::GeneratorEntry::maker) {
        Ok(Maker::Remote(maker)) => maker,
        Ok(Maker::Local(_)) => return Ok(()),
        Err(error) => {
            tracing::warn!(generator_state = %key, %error, "let go without a clean-up");
            return Ok(());
        }
    };
    let named = (key.namespace(), key.name());
    let cleaned = shared.reads.clean_up(maker, (spec, state), named).await;
    let Err(error) = cleaned else {
        tracing::info!(generator_state = %key, kind, "credential taken back");
        return Ok(());
    };
    if *error.kind() == ErrorKind::InvalidSpec && is_terminating(shared, key.namespace()).await {
        tracing::warn!(
            generator_state = %key, %error,
            "let go with its namespace without a clean-up; revoke the credential by hand"
        );
        return Ok(());
    }
    Err(WorldError::Failed(format!(
        "could not take back a credential of generator kind {kind}: {error}"
    )))
}

async fn is_terminating(shared: &Shared, namespace: &str) -> bool {
    let target = ApiObject::of::<Namespace>(None, namespace);
    let read = target.get::<PartialObjectMeta<Namespace>>(&shared.client);
    match read.await {
        Ok(Some(namespace)) => namespace.metadata.deletion_timestamp.is_some(),
        Ok(None) => true,
        Err(_) => false,
    }
}
