//! One lock a secret, for backends whose writes have no condition: a push that changes a property
//! reads, changes and writes. Other secrets never wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use async_lock::Mutex as AsyncMutex;
use parking_lot::Mutex;

/// Locks by name of the secret. Take the one that all connections share from `ctx.shared()`, and
/// begin names with the provider's.
#[derive(Debug, Default)]
pub struct Locks(Mutex<BTreeMap<String, Weak<AsyncMutex<()>>>>);

impl Locks {
    /// The lock of one secret.
    pub fn of(&self, name: &str) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock();
        if let Some(lock) = locks.get(name).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(name.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_secret_has_one_lock_while_somebody_uses_it() {
        let locks = Locks::default();

        let one = locks.of("a");

        assert!(Arc::ptr_eq(&one, &locks.of("a")));
        assert!(!Arc::ptr_eq(&one, &locks.of("b")));
        drop(one);
        drop(locks.of("c"));
        assert_eq!(locks.0.lock().len(), 1);
    }
}
