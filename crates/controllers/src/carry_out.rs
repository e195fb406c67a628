//! Carries out what follows from events: requeues objects and drops what is kept of those that are
//! gone. Which objects these are is decided in `lockstep-index`.

use lockstep_index::{Queued, Wake, Wakes};

use crate::context::Context;

impl Context {
    /// Carries out what follows from an event, in order.
    pub(crate) fn carry_out(&self, wakes: Wakes) {
        let schedule = &self.schedule;
        for wake in wakes {
            match wake {
                Wake::Requeue(requeue) => schedule.queues.requeue(requeue),
                Wake::Forget(object) => self.forget(object),
                Wake::WatchInput(kind) => self.watches.wanted.want(kind),
                Wake::LeaveSharedReads(key) => {
                    if schedule.shared_reads.leave(&key) {
                        schedule.refresh_alone(vec![key], self.now());
                    }
                }
                Wake::DropReads(store) => {
                    self.remote.forget(&store);
                    schedule.shared_reads.leave_store(&store);
                }
                Wake::Reconnect(store) => self.remote.reconnect(&store),
            }
        }
    }

    fn forget(&self, object: Queued) {
        let schedule = &self.schedule;
        let queues = &schedule.queues;
        match object {
            Queued::ExternalSecret(key) => schedule.forget_external_secret(&key),
            Queued::PushSecret(key) => queues.push_secrets.remove(&key),
            Queued::Store(key) => {
                self.remote.forget(&key);
                schedule.deletions.forget(&key);
                let users = schedule.shared_reads.leave_store(&key);
                schedule.refresh_alone(users, self.now());
                queues.stores(&key).remove(&key);
            }
            Queued::ClusterExternalSecret(name) => queues.cluster_external_secrets.remove(&name),
            Queued::ClusterPushSecret(name) => queues.cluster_push_secrets.remove(&name),
            Queued::GeneratorState(key) => queues.generator_states.remove(&key),
        }
    }
}
