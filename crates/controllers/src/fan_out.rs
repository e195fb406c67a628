//! The controllers of ClusterExternalSecrets and ClusterPushSecrets: collect what the index knows, reconcile,
//! and carry out what is reported. One controller for both kinds; decides nothing.

mod kind;
mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_reconcile::fan_out::Reconciler;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::world::ClusterWorld;

pub(crate) use kind::FanOut;
use observe::observe;
use outcome::conclude;
pub(crate) use series::FanOutRows;

/// Reconciles one object.
pub(crate) async fn reconcile<P: FanOut>(context: Arc<Context>, name: String) -> Next {
    let (now, clock) = (context.now(), Instant::now());
    let reconciler = Reconciler {
        world: &ClusterWorld { context: &context },
        settings: context.settings.current(),
    };
    let Some(observed) = observe::<P>(&context.index, &name) else {
        return Next::Idle;
    };
    let ended = reconciler.reconcile(observed, now).await;
    conclude::<P>(&context, &name, ended, (now, clock)).await
}
