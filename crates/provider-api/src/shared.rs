//! State that outlives single connections: one value a type, made when it is first asked for. A
//! provider keeps sign-ins here, so that a new connection of an identity already known costs no
//! request. What is kept must be bounded by its owner, and keyed by all that can change an answer.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by their type; clones share them.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Values>>);

type Values = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl Shared {
    /// The one value of this type.
    pub fn get<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The entry of a type always holds that type.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counter(AtomicUsize);

    #[test]
    fn everyone_gets_the_same_value_of_a_type() {
        let shared = Shared::default();

        shared.get::<Counter>().0.fetch_add(2, Ordering::Relaxed);
        let other = shared.get::<AtomicUsize>();

        assert_eq!(shared.clone().get::<Counter>().0.load(Ordering::Relaxed), 2);
        assert_eq!(other.load(Ordering::Relaxed), 0);
    }
}
