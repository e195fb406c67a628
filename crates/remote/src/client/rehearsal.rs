//! A client that writes nothing: pushes and deletions are reported to an observer instead of being made, and
//! generators are refused. Reads go on as usual. Commands that show what would happen use it, so that no
//! other part of theirs can write to a backend by mistake.

use lockstep_plan::StoreKey;
use lockstep_provider_api::{Error, PushItem, PushTarget, Result};

use super::{RemoteClient, RemoteStore};

/// Hears what would be written to stores.
pub trait Rehearsal: Send + Sync {
    /// A value would be pushed. `there` says whether something is at its place, where the store told.
    fn would_push(&self, store: &StoreKey, item: &PushItem, there: Option<bool>);

    /// A remote secret would be deleted. `there` says whether it is, where the store told.
    fn would_delete(&self, store: &StoreKey, target: &PushTarget, there: Option<bool>);
}

impl RemoteClient {
    /// Makes this a client that writes nothing, for good. A second call changes nothing.
    pub fn rehearse(&self, rehearsal: std::sync::Arc<dyn Rehearsal>) {
        // Only the first one counts, and with it nothing is written.
        let _ = self.rehearsal.set(rehearsal);
    }

    /// Tells of a push in place of making it; `None` where it is to be made.
    pub(super) async fn rehearse_push(
        &self,
        remote: RemoteStore<'_>,
        item: &PushItem,
    ) -> Option<()> {
        let rehearsal = self.rehearsal.get()?;
        let there = self.exists(remote, &item.target).await.ok();
        rehearsal.would_push(&remote.store.key, item, there);
        Some(())
    }

    /// Tells of a deletion in place of making it; `None` where it is to be made.
    pub(super) async fn rehearse_delete(
        &self,
        remote: RemoteStore<'_>,
        target: &PushTarget,
    ) -> Option<()> {
        let rehearsal = self.rehearsal.get()?;
        let there = self.exists(remote, target).await.ok();
        rehearsal.would_delete(&remote.store.key, target, there);
        Some(())
    }

    /// Refuses to run a generator: it would make a credential that nobody takes back.
    pub(super) fn refuse_in_rehearsal(&self, name: &str) -> Result<()> {
        if self.rehearsal.get().is_none() {
            return Ok(());
        }
        let text = format!("generator {name} is not run: nothing is written here");
        Err(Error::unsupported(text))
    }
}
