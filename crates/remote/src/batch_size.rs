//! How many values the backend of a store reads in one request. Asks the provider's capabilities and
//! connects to nothing.

use lockstep_plan::store::StoreRecord;

/// Returns how many values the store's backend reads in one request; 1 where it reads one by one.
pub fn batch_size(store: &StoreRecord) -> usize {
    let provider = store.spec.provider.only().ok();
    let able = provider.and_then(|(name, spec)| {
        let entry = lockstep_provider_registry::lookup(name).ok()?;
        entry.capabilities(spec).ok()
    });
    able.map_or(1, |able| able.batch)
}
