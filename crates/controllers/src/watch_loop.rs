//! The one watch loop of all kinds: hands what a watch shows to the index and carries out what
//! follows. Knows no kind and decides nothing.

use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use lockstep_index::{Event, Seen};
use lockstep_runtime::watch::Change;

use crate::gate::Gate;
use crate::shared::Shared;

/// Follows a watch for good. The gate opens when the first list is complete.
pub(crate) async fn follow<K>(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<K>>,
    gate: Gate,
    event: impl Fn(Seen<K>) -> Event,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        let seen = match change {
            Change::Reset => Seen::ListBegins,
            Change::Applied(object) => Seen::Applied(Box::new(object)),
            Change::Deleted(object) => Seen::Deleted(Box::new(object)),
            Change::Synced => Seen::ListEnds,
            Change::Invalid(_) => continue,
        };
        let complete = matches!(seen, Seen::ListEnds);
        shared.apply(event(seen));
        if complete {
            gate.open();
        }
    }
}
