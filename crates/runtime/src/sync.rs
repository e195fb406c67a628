//! Locking without poison: a panic inside a run is caught and counted, so state behind a lock
//! must stay usable for the others.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever happened to an earlier holder.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
