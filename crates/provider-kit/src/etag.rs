//! Answers by their `ETag`, so that an unchanged secret costs a 304 in place of a transfer. Bounded
//! by number and by bytes, oldest first. Keys hold everything that can change an answer; nothing
//! here decides whether an answer may be kept.

use std::collections::{BTreeMap, VecDeque};

use lockstep_provider_api::SecretValue;
use lockstep_provider_api::token_cache::Fingerprint;
use parking_lot::Mutex;

/// Most answers that are kept.
const MAX_ENTRIES: usize = 4096;
/// Most bytes that all kept answers have.
const MAX_BYTES: usize = 16 << 20;

/// An answer and the tag its backend gave it.
#[derive(Clone, Debug)]
pub struct Tagged {
    /// The backend's tag, as `If-None-Match` sends it back.
    pub tag: String,
    /// The body.
    pub body: SecretValue,
}

/// Kept answers. Take the one that all connections share from `ctx.shared()`.
#[derive(Default)]
pub struct EtagCache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: BTreeMap<Fingerprint, Tagged>,
    order: VecDeque<Fingerprint>,
    groups: BTreeMap<Fingerprint, Fingerprint>,
    bytes: usize,
}

impl EtagCache {
    /// The kept answer to a request.
    pub fn get(&self, request: Fingerprint) -> Option<Tagged> {
        self.0.lock().answers.get(&request).cloned()
    }

    /// Keeps an answer in place of an older one to the same request. Answers of a group, such as
    /// those of one credential, can be forgotten together.
    pub fn put(&self, group: Fingerprint, request: Fingerprint, answer: Tagged) {
        let mut kept = self.0.lock();
        kept.remove(request);
        kept.groups.insert(request, group);
        kept.bytes += answer.body.len();
        kept.order.push_back(request);
        kept.answers.insert(request, answer);
        while kept.answers.len() > MAX_ENTRIES || kept.bytes > MAX_BYTES {
            let Some(oldest) = kept.order.front().copied() else {
                return;
            };
            kept.remove(oldest);
        }
    }

    /// Forgets the answer to a request.
    pub fn forget(&self, request: Fingerprint) {
        self.0.lock().remove(request);
    }

    /// Forgets all answers of a group, after a write.
    pub fn forget_group(&self, group: Fingerprint) {
        let mut kept = self.0.lock();
        let members: Vec<_> = kept
            .groups
            .iter()
            .filter(|(_, of)| **of == group)
            .map(|(request, _)| *request)
            .collect();
        for request in members {
            kept.remove(request);
        }
    }
}

impl Kept {
    fn remove(&mut self, request: Fingerprint) {
        if let Some(old) = self.answers.remove(&request) {
            self.bytes -= old.body.len();
            self.order.retain(|kept| *kept != request);
            self.groups.remove(&request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> Fingerprint {
        Fingerprint::of([n.to_be_bytes()])
    }

    fn answer(bytes: usize) -> Tagged {
        Tagged {
            tag: "\"1\"".to_owned(),
            body: SecretValue::new(vec![b'x'; bytes]),
        }
    }

    #[test]
    fn an_answer_is_kept_until_it_is_forgotten() {
        let cache = EtagCache::default();
        cache.put(key(99_999), key(1), answer(3));

        assert_eq!(cache.get(key(1)).unwrap().body.len(), 3);
        cache.forget(key(1));
        assert!(cache.get(key(1)).is_none());
        assert_eq!(cache.0.lock().bytes, 0);
    }

    #[test]
    fn a_group_is_forgotten_together_and_no_other() {
        let cache = EtagCache::default();
        cache.put(key(100), key(1), answer(3));
        cache.put(key(100), key(2), answer(3));
        cache.put(key(200), key(3), answer(3));

        cache.forget_group(key(100));

        assert!(cache.get(key(1)).is_none() && cache.get(key(2)).is_none());
        assert!(cache.get(key(3)).is_some());
    }

    #[test]
    fn the_oldest_answers_go_when_bytes_run_out() {
        let cache = EtagCache::default();
        for n in 0..4 {
            cache.put(key(99_999), key(n), answer(MAX_BYTES / 2));
        }

        let left: Vec<_> = (0..4).filter(|n| cache.get(key(*n)).is_some()).collect();
        assert_eq!(left, [2, 3]);
    }

    #[test]
    fn the_number_of_answers_is_bounded() {
        let cache = EtagCache::default();
        for n in 0..=MAX_ENTRIES {
            cache.put(key(99_999), key(n), answer(1));
        }

        assert!(cache.get(key(0)).is_none());
        assert_eq!(cache.0.lock().answers.len(), MAX_ENTRIES);
    }
}
