//! The SecretStore and ClusterSecretStore controllers: collect what the index knows, reconcile, carry out what
//! is reported, and let those go on who waited for the outcome. One controller for both kinds; decides nothing.

mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_plan::StoreKey;
use lockstep_reconcile::store::Reconciler;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::world::ClusterWorld;

use observe::observe;
use outcome::conclude;
pub(crate) use series::StoreRows;

/// Reconciles one store.
pub(crate) async fn reconcile(context: Arc<Context>, key: StoreKey) -> Next {
    let (now, clock) = (context.now(), Instant::now());
    context.index.stores().check_asked(&key, now);
    let settings = context.settings.current();
    let reconciler = Reconciler {
        world: &ClusterWorld { context: &context },
        remote: &context.remote,
        settings,
    };
    let Some(observed) = observe(&context.index, &key) else {
        context.carry_out(context.index.store_checked(&key));
        return Next::Idle;
    };
    let ended = reconciler.reconcile(observed, now).await;
    conclude(&context, &key, ended, (now, clock)).await
}
