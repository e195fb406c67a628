//! The settings of the process, with what the installed CRDs were seen to keep. Changes once at most.

use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_plan::Settings;

/// Settings for reconciles.
pub(crate) struct LiveSettings {
    as_given: Settings,
    without_generation: Settings,
    prunes_generation: AtomicBool,
}

impl LiveSettings {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            without_generation: Settings {
                observed_generation: false,
                ..settings.clone()
            },
            as_given: settings,
            prunes_generation: AtomicBool::new(false),
        }
    }

    /// Settings for a reconcile that begins now.
    pub(crate) fn current(&self) -> &Settings {
        if self.prunes_generation.load(Ordering::Relaxed) {
            &self.without_generation
        } else {
            &self.as_given
        }
    }

    /// Compares a written `status.observedGeneration` with what came back: where the installed CRDs drop
    /// it, it is not written again.
    pub(crate) fn note_generation(&self, written: Option<i64>, kept: Option<i64>) {
        let pruned = written.is_some() && kept.is_none();
        if pruned && !self.prunes_generation.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the installed CRDs are another version's: they keep no status.observedGeneration, so \
                 tools that wait for a sync may go on too early; to put ours in place: lockstep crds | \
                 kubectl apply --server-side --force-conflicts -f -"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_that_is_not_kept_is_not_written_again() {
        let settings = LiveSettings::new(Settings {
            observed_generation: true,
            ..Settings::default()
        });

        settings.note_generation(Some(3), Some(3));
        assert!(settings.current().observed_generation);

        settings.note_generation(Some(3), None);
        assert!(!settings.current().observed_generation);
    }
}
