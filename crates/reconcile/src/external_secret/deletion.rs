//! What everybody shares who asks the deletion guard: when a store is released, which of two answers counts,
//! and a look at another object of a store. When to hold is decided in `lockstep-scheduling`.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::keys::ANNOTATION_ALLOW_MASS_DELETION;
use lockstep_plan::external_secret::{Payload, reads_through};
use lockstep_remote::{ReadRequest, RemoteClient, StoreRecord};
use lockstep_scheduling::deletion::Sight;

use super::world::Deletion;

impl Deletion {
    /// The stricter of two answers.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Held(store), _) | (_, Self::Held(store)) => Self::Held(store),
            (Self::LookAgain(one), Self::LookAgain(other)) => Self::LookAgain(one.max(other)),
            (Self::LookAgain(at), Self::Allowed) | (Self::Allowed, Self::LookAgain(at)) => {
                Self::LookAgain(at)
            }
            (Self::Allowed, Self::Allowed) => Self::Allowed,
        }
    }
}

/// Whether someone said on the store that its deletions are meant.
pub fn is_released(store: &StoreRecord) -> bool {
    let annotations = store.metadata.annotations.as_ref();
    annotations
        .and_then(|annotations| annotations.get(ANNOTATION_ALLOW_MASS_DELETION))
        .is_some_and(|value| value == "true")
}

/// Reads what an object reads through a store, and tells whether it is still there. The object has a
/// target; neither is touched.
pub async fn sight(
    remote: &Arc<RemoteClient>,
    store: &Arc<StoreRecord>,
    object: &ExternalSecret,
    asked: Timestamp,
) -> Sight {
    let reads = reads_through(object, &store.key);
    if reads.is_empty() {
        return Sight::Void;
    }
    for read in &reads {
        let request = ReadRequest {
            store,
            caller: object.metadata.namespace.as_deref().unwrap_or_default(),
            object: object.metadata.name.as_deref(),
            read,
            asked,
        };
        let read = remote.read(request).await;
        match read.and_then(|reply| reply.outcome) {
            Ok(Payload::Map(found)) if found.is_empty() => {}
            Ok(_) => return Sight::Present,
            Err(error) if error.consequence().absent => {}
            Err(_) => return Sight::Unknown,
        }
    }
    Sight::Absent
}

#[cfg(test)]
mod tests {
    use lockstep_plan::StoreKey;

    use super::*;

    #[test]
    fn the_stricter_answer_counts() {
        let at = |second| Deletion::LookAgain(Timestamp::from_second(second).unwrap());
        let held = || Deletion::Held(StoreKey::cluster("s"));

        assert_eq!(Deletion::Allowed.and(Deletion::Allowed), Deletion::Allowed);
        assert_eq!(Deletion::Allowed.and(at(1)), at(1));
        assert_eq!(at(2).and(at(1)), at(2));
        assert_eq!(held().and(at(1)), held());
        assert_eq!(Deletion::Allowed.and(held()), held());
    }
}
