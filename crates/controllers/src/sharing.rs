//! Reads that many objects share: makes those that fall due and sends objects to a run when an
//! answer is another one. What is due and who is concerned is decided in `lockstep-scheduling`; this file
//! moves messages.

mod slots;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_index::{InputKey, InputKind, ObjectKey, number_of};
use lockstep_plan::StoreKey;
use lockstep_provider_api::{Error, ErrorKind, Read};
use lockstep_remote::{
    Credential, CredentialKind, GroupKey, ReadRequest, RemoteObserver, StoreIdentity, StoreRecord,
};
use lockstep_runtime::shutdown::Shutdown;
use lockstep_runtime::supervise::{TaskGroup, supervise};
use lockstep_scheduling::limits::{
    NO_SLOT_DELAY, OUTAGE_PATIENCE, READ_RETRY, SHARED_READS_AT_ONCE, THROTTLE_PATIENCE,
};

use crate::refresh_floor;
use crate::shared::Shared;

use slots::ReadSlots;

/// Longest time for one read, its waits included.
const DEADLINE: Duration = Duration::from_mins(2);
/// Longest sleep, after which held answers are wiped and a clock that was set is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);

impl RemoteObserver for Shared {
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize {
        let mut groups = self.sharing.locked();
        let woken = groups.read(group, fingerprint, read_at, fastrand::f64());
        drop(groups);
        self.sharing.changed.notify_one();
        let takers = woken.len();
        self.input_changed(woken, read_at);
        takers
    }

    fn connected(&self, store: &StoreKey, caller: Option<&str>, read: &BTreeSet<Credential>) {
        let inputs = read.iter().map(|credential| InputKey {
            kind: match credential.kind {
                CredentialKind::Secret => InputKind::Secret,
                CredentialKind::ConfigMap => InputKind::ConfigMap,
            },
            name: ObjectKey::new(&credential.namespace, &credential.name),
        });
        let wakes = self.index.store_connected(store, caller, inputs.collect());
        self.carry_out(wakes);
    }

    fn is_present(&self, namespace: &str, object: &str) -> bool {
        let key = ObjectKey::new(namespace, object);
        self.index.external_secrets().contains(&key)
    }

    fn troubled(&self, store: &StoreKey) {
        self.carry_out(self.index.store_troubled(store));
    }

    fn recovered(&self, store: &StoreKey) {
        self.carry_out(self.index.store_recovered(store, self.now()));
    }
}

/// Makes shared reads as they fall due, until a stop is asked for.
pub(crate) async fn run(shared: Arc<Shared>, shutdown: Shutdown) {
    let (mut tasks, slots) = (TaskGroup::default(), ReadSlots::default());
    while !shutdown.is_requested() {
        while tasks.len() < SHARED_READS_AT_ONCE {
            let due = pop(&shared);
            if due.is_empty() {
                break;
            }
            let alone = due.len() == 1;
            for (group, member) in due {
                if let Some(until) = floored(&shared, &group, &member) {
                    shared.sharing.locked().postpone(&group, until);
                    continue;
                }
                let free = SHARED_READS_AT_ONCE.saturating_sub(tasks.len());
                let class = member.class(Some(number_of(&group.identity.store)));
                let Some(slot) = slots.take(class, free) else {
                    put_off(&shared, &group);
                    continue;
                };
                let shared = Arc::clone(&shared);
                tasks.spawn(async move {
                    let _slot = slot;
                    supervised(&shared, &group, &member, alone).await;
                });
            }
        }
        shared.reads.sweep();
        let full = tasks.len() >= SHARED_READS_AT_ONCE;
        let idle = shared.services.time.sleep(time_to_deadline(&shared));
        tokio::select! {
            () = shutdown.requested() => {}
            () = tasks.ended(), if !tasks.is_empty() => {}
            () = shared.sharing.changed.notified() => {}
            () = idle, if !full => {}
        }
    }
}

type Outcome = lockstep_runtime::supervise::Outcome<()>;

type Due = (Arc<GroupKey>, ObjectKey);

/// The next group that is due and, where its backend reads many values at once, those that can be
/// read in the same request.
fn pop(shared: &Shared) -> Vec<Due> {
    let now = shared.now();
    let first = shared.sharing.locked().pop(now);
    let Some((group, member)) = first else {
        return Vec::new();
    };
    let batch = match &group.read {
        Read::Value(_) => {
            usable(shared, &group).map_or(1, |store| lockstep_remote::batch_size(&store))
        }
        Read::Map(_) | Read::Raw(_) | Read::Find(_) => 1,
    };
    let mut due = vec![(Arc::clone(&group), member)];
    if batch > 1 {
        let fits = |other: &GroupKey| {
            matches!(other.read, Read::Value(_))
                && other.identity == group.identity
                && other.caller == group.caller
        };
        let mut groups = shared.sharing.locked();
        due.extend(groups.pop_along(now, batch - 1, fits));
    }
    due
}

async fn supervised(shared: &Arc<Shared>, group: &Arc<GroupKey>, member: &ObjectKey, alone: bool) {
    let read = refresh(shared, group, member, alone);
    if supervise(DEADLINE, read).await != Outcome::Done(()) {
        tracing::error!(store = %group.identity.store, "a shared read was aborted");
        let told = shared.sharing.locked().dissolve(group);
        shared.input_changed(told, shared.now());
    }
}

/// Until when a read has to wait because its subscribers want it too often.
fn floored(shared: &Shared, group: &GroupKey, member: &ObjectKey) -> Option<Timestamp> {
    let last = shared.sharing.locked().last_read(group)?;
    refresh_floor::wait_for(shared, member, last, shared.now())
}

fn put_off(shared: &Shared, group: &GroupKey) {
    let until = shared.now().saturating_add(NO_SLOT_DELAY);
    let until = until.unwrap_or(Timestamp::MAX);
    shared.sharing.locked().postpone(group, until);
}

fn time_to_deadline(shared: &Shared) -> Duration {
    let next = shared.sharing.locked().next_deadline();
    let wait = next.map_or(SignedDuration::MAX, |at| at.duration_since(shared.now()));
    Duration::try_from(wait)
        .unwrap_or_default()
        .min(LONGEST_SLEEP)
}

/// Reads one group for all its subscribers. An answer is noted by the observer above.
async fn refresh(shared: &Arc<Shared>, group: &Arc<GroupKey>, member: &ObjectKey, alone: bool) {
    let asked = shared.now();
    let Some(store) = usable(shared, group) else {
        dissolve(shared, group, asked);
        return;
    };
    let request = ReadRequest {
        store: &store,
        caller: member.namespace(),
        object: Some(member.name()),
        read: &group.read,
        asked,
    };
    match shared.reads.refresh(request, group, alone).await {
        Ok(None) => {}
        // Credentials now depend on the caller, or no longer do.
        Ok(Some(answer)) if answer.group != *group => dissolve(shared, group, asked),
        Ok(Some(answer)) => {
            if let Some(error) = answer.error().filter(|_| !answer.conclusive) {
                failed(shared, group, error, answer.read_at);
            }
        }
        Err(error) if is_transient(&error) => failed(shared, group, &error, shared.now()),
        Err(_) => dissolve(shared, group, asked),
    }
}

/// The store of a group, if it is still the one that was read from and may be read from.
fn usable(shared: &Shared, group: &GroupKey) -> Option<Arc<StoreRecord>> {
    let store = shared.index.stores().get(&group.identity.store)?;
    let open = !shared.settings().flood_gate || store.view.is_open();
    (open && StoreIdentity::of(&store) == *group.identity).then_some(store)
}

fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unreachable)
}

fn failed(shared: &Shared, group: &GroupKey, error: &Error, read_at: Timestamp) {
    let now = shared.now();
    let patience = match error.kind() {
        ErrorKind::Throttled => THROTTLE_PATIENCE,
        _ => OUTAGE_PATIENCE,
    };
    let told = error
        .retry_after()
        .and_then(|d| SignedDuration::try_from(d).ok());
    let retry = now.saturating_add(told.unwrap_or(READ_RETRY).max(READ_RETRY));
    let retry = retry.unwrap_or(Timestamp::MAX);
    let members = shared.sharing.locked().failed(group, patience, retry, now);
    shared.input_changed(members, read_at);
}

/// Ends a group whose members have to look for themselves.
fn dissolve(shared: &Shared, group: &GroupKey, asked: Timestamp) {
    let members = shared.sharing.locked().dissolve(group);
    shared.input_changed(members, asked);
}
