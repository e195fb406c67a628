//! State that outlives single connections: one value a type, made when it is first asked for. A
//! provider keeps sign-ins here, so that a new connection of an identity already known costs no
//! request. What is kept must be bounded by its owner, and keyed by all that can change an answer.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};
use parking_lot::Mutex;

/// Values by their type, and what is to be done before the process ends; clones share them.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    farewells: Vec<Farewell>,
}

/// Something to be done before the process ends, such as revoking a token.
type Farewell = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

impl Shared {
    /// The one value of this type.
    pub fn get<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let mut state = self.0.lock();
        let value = state
            .values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The entry of a type always holds that type.
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// Has something done before the process ends.
    pub fn at_end(&self, farewell: impl FnOnce() -> BoxFuture<'static, ()> + Send + 'static) {
        let mut state = self.0.lock();
        state.farewells.push(Box::new(farewell));
    }

    /// Does what is to be done before the process ends, all of it at the same time. How long that
    /// may take is the caller's affair.
    pub async fn end(&self) {
        let farewells = {
            let mut state = self.0.lock();
            std::mem::take(&mut state.farewells)
        };
        join_all(farewells.into_iter().map(|farewell| farewell())).await;
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

    #[test]
    fn what_is_to_be_done_at_the_end_is_done_once() {
        let shared = Shared::default();
        let counter = shared.get::<Counter>();
        let own = Arc::clone(&counter);
        shared.at_end(move || {
            Box::pin(async move {
                own.0.fetch_add(1, Ordering::Relaxed);
            })
        });

        futures_util::FutureExt::now_or_never(shared.end()).unwrap();
        futures_util::FutureExt::now_or_never(shared.end()).unwrap();

        assert_eq!(counter.0.load(Ordering::Relaxed), 1);
    }
}
