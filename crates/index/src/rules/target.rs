//! Targets: one whose data somebody changed, or that is gone, requeues its ExternalSecret at once;
//! another change waits for the next refresh, which has to look at the target.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::index::Index;
use crate::key::ObjectKey;
use crate::rows::{InputKind, ManifestKind, TargetChange};
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wakes};

impl Index {
    /// Requeues whose Secret with the operator's label somebody else changed or deleted.
    pub fn target_seen(&self, seen: Seen<Secret>, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        match seen {
            Seen::ListBegins => self.targets().begin_list(),
            Seen::Applied(secret) => {
                let state = self.targets().list_state();
                wakes = self.input_seen(&InputKind::Secret, &secret.metadata, state, now);
                let (key, change) = self.targets().apply(*secret, self.salt());
                wakes.extend(match change {
                    TargetChange::Known => Wakes::default(),
                    TargetChange::Drifted => self.target_drifted(&key, now),
                    TargetChange::Touched => self.target_touched(&key, now),
                });
            }
            Seen::Deleted(secret) => {
                let key = self.targets().gone(&secret);
                wakes = self.input_gone(&InputKind::Secret, &key, now);
                wakes.extend(self.target_touched(&key, now));
            }
            Seen::ListEnds => {
                let gone = self.targets().end_list();
                for key in &gone {
                    wakes.extend(self.target_touched(key, now));
                }
            }
        }
        wakes
    }

    /// Requeues whose target of another kind somebody else changed or deleted.
    pub fn manifest_target_seen(
        &self,
        kind: &ManifestKind,
        seen: Seen<ObjectMeta>,
        now: Timestamp,
    ) -> Wakes {
        let mut wakes = Wakes::default();
        match seen {
            Seen::ListBegins => self.manifest_targets().begin_list(kind),
            Seen::Applied(metadata) => {
                let key = ObjectKey::of(&metadata);
                let version = metadata.resource_version.unwrap_or_default();
                let changed = self.manifest_targets().apply(kind, &key, version);
                if changed {
                    wakes = self.target_touched(&key, now);
                }
            }
            Seen::Deleted(metadata) => {
                let key = ObjectKey::of(&metadata);
                self.manifest_targets().remove(kind, &key);
                wakes = self.target_touched(&key, now);
            }
            Seen::ListEnds => {
                let gone = self.manifest_targets().end_list(kind);
                for key in &gone {
                    wakes.extend(self.target_touched(key, now));
                }
            }
        }
        wakes
    }

    /// Takes the answer to a write of a target; a change by somebody else that the watch showed
    /// meanwhile waits for the next refresh.
    pub fn target_answered(&self, secret: Secret, now: Timestamp) -> Wakes {
        let key = ObjectKey::of(&secret.metadata);
        let drifted = self.targets().answered(secret, self.salt());
        self.drift_after_write(&key, drifted, now)
    }

    /// Notes the end of a write of a target. Without an answer it counts as failed.
    pub fn target_write_ended(&self, key: &ObjectKey, now: Timestamp) -> Wakes {
        let drifted = self.targets().end_write(key);
        self.drift_after_write(key, drifted, now)
    }

    fn drift_after_write(&self, key: &ObjectKey, drifted: bool, now: Timestamp) -> Wakes {
        if drifted {
            self.target_drifted(key, now)
        } else {
            Wakes::default()
        }
    }

    /// Requeues the writers of a target whose data changed.
    fn target_touched(&self, target: &ObjectKey, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let writers = self.external_secrets().writers_of(target);
        for key in writers {
            let mut rows = self.external_secrets();
            rows.ask(&key, now, false);
            rows.target_changed(&key);
            drop(rows);
            wakes.now(Queued::ExternalSecret(key), Trigger::TargetChanged);
        }
        wakes
    }

    /// Has the next refresh of the writers look at the target. Shared reads alone would never repair
    /// it, so that refresh has to be a reconcile.
    fn target_drifted(&self, target: &ObjectKey, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let writers = self.external_secrets().writers_of(target);
        for key in writers {
            self.external_secrets().target_changed(&key);
            wakes.at(Queued::ExternalSecret(key), now, Trigger::TargetChanged);
        }
        wakes
    }
}
