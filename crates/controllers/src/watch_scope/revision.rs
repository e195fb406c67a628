//! The latest resourceVersion that lists and watches have shown. Decides whether versions went down, not
//! what follows.

use std::sync::atomic::{AtomicU64, Ordering};

/// The latest version that a list or a watch has shown.
#[derive(Default)]
pub(crate) struct Revision(AtomicU64);

impl Revision {
    /// Notes the version of an object that a watch shows.
    pub(crate) fn note(&self, version: Option<&str>) {
        if let Some(version) = version.and_then(|version| version.parse().ok()) {
            self.0.fetch_max(version, Ordering::Relaxed);
        }
    }

    /// The latest version so far.
    pub(crate) fn latest(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes the version of a list; returns whether it is lower than the latest one `before` the list
    /// was asked for. Watches may have shown later objects since.
    pub(crate) fn went_down(&self, before: u64, listed: u64) -> bool {
        let went_down = listed < before;
        if went_down {
            self.0.store(listed, Ordering::Relaxed);
        } else {
            self.0.fetch_max(listed, Ordering::Relaxed);
        }
        went_down
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lower_version_than_before_is_noticed_and_only_once() {
        let revision = Revision::default();

        let seen = [900, 900, 950, 500, 500, 501]
            .map(|listed| revision.went_down(revision.latest(), listed));

        assert_eq!(seen, [false, false, false, true, false, false]);
    }

    #[test]
    fn a_version_below_that_of_an_object_seen_since_the_last_list_is_noticed() {
        let revision = Revision::default();
        assert!(!revision.went_down(revision.latest(), 500));

        revision.note(Some("900"));
        revision.note(Some("700"));
        revision.note(Some("opaque"));
        revision.note(None);

        assert!(revision.went_down(revision.latest(), 800));
        assert!(!revision.went_down(revision.latest(), 801));
    }

    #[test]
    fn an_object_that_is_seen_while_the_list_is_on_its_way_is_no_sign() {
        let revision = Revision::default();
        revision.note(Some("500"));

        let before = revision.latest();
        revision.note(Some("502"));

        assert!(!revision.went_down(before, 501));
        assert_eq!(revision.latest(), 502);
    }
}
