//! The GeneratorState controller: reconciles a state and maps the outcome to the next time. No row is kept,
//! so there is nothing to collect. Decides nothing.

mod world;

use std::sync::Arc;

use lockstep_index::ObjectKey;
use lockstep_reconcile::generator_state::Reconciler;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::next::next_run;
use crate::world::ClusterWorld;

/// Reconciles one state.
pub(crate) async fn reconcile(context: Arc<Context>, key: ObjectKey) -> Next {
    let now = context.now();
    let reconciler = Reconciler {
        world: &ClusterWorld { context: &context },
        remote: &context.remote,
    };
    let ended = reconciler.reconcile(key.namespace(), key.name(), now).await;
    next_run(ended, now)
}
