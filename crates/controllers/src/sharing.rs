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

use crate::context::Context;
use crate::refresh_floor;

use slots::ReadSlots;

/// Longest time for one read, its waits included.
const DEADLINE: Duration = Duration::from_mins(2);
/// Longest sleep, after which held answers are wiped and a clock that was set is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);

impl RemoteObserver for Context {
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize {
        let mut groups = self.schedule.shared_reads.locked();
        let woken = groups.read(group, fingerprint, read_at, fastrand::f64());
        drop(groups);
        self.schedule.shared_reads.changed.notify_one();
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
pub(crate) async fn run(context: Arc<Context>, shutdown: Shutdown) {
    let (mut tasks, slots) = (TaskGroup::default(), ReadSlots::default());
    while !shutdown.is_requested() {
        while tasks.len() < SHARED_READS_AT_ONCE {
            let due = pop(&context);
            if due.is_empty() {
                break;
            }
            let alone = due.len() == 1;
            for (group, member) in due {
                if let Some(until) = floored(&context, &group, &member) {
                    context
                        .schedule
                        .shared_reads
                        .locked()
                        .postpone(&group, until);
                    continue;
                }
                let free = SHARED_READS_AT_ONCE.saturating_sub(tasks.len());
                let class = member.class(Some(number_of(&group.identity.store)));
                let Some(slot) = slots.take(class, free) else {
                    put_off(&context, &group);
                    continue;
                };
                let context = Arc::clone(&context);
                tasks.spawn(async move {
                    let _slot = slot;
                    supervised(&context, &group, &member, alone).await;
                });
            }
        }
        context.remote.sweep();
        let full = tasks.len() >= SHARED_READS_AT_ONCE;
        let idle = context.time.sleep(time_to_deadline(&context));
        tokio::select! {
            () = shutdown.requested() => {}
            () = tasks.ended(), if !tasks.is_empty() => {}
            () = context.schedule.shared_reads.changed.notified() => {}
            () = idle, if !full => {}
        }
    }
}

type Outcome = lockstep_runtime::supervise::Outcome<()>;

type Due = (Arc<GroupKey>, ObjectKey);

/// The next group that is due and, where its backend reads many values at once, those that can be
/// read in the same request.
fn pop(context: &Context) -> Vec<Due> {
    let now = context.now();
    let first = context.schedule.shared_reads.locked().pop(now);
    let Some((group, member)) = first else {
        return Vec::new();
    };
    let batch = match &group.read {
        Read::Value(_) => {
            usable(context, &group).map_or(1, |store| lockstep_remote::batch_size(&store))
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
        let mut groups = context.schedule.shared_reads.locked();
        due.extend(groups.pop_along(now, batch - 1, fits));
    }
    due
}

async fn supervised(
    context: &Arc<Context>,
    group: &Arc<GroupKey>,
    member: &ObjectKey,
    alone: bool,
) {
    let read = refresh(context, group, member, alone);
    if supervise(DEADLINE, read).await != Outcome::Done(()) {
        tracing::error!(store = %group.identity.store.qualified(), "a shared read was aborted");
        let told = context.schedule.shared_reads.locked().dissolve(group);
        context.input_changed(told, context.now());
    }
}

/// Until when a read has to wait because its subscribers want it too often.
fn floored(context: &Context, group: &GroupKey, member: &ObjectKey) -> Option<Timestamp> {
    let last = context.schedule.shared_reads.locked().last_read(group)?;
    refresh_floor::wait_for(context, member, last, context.now())
}

fn put_off(context: &Context, group: &GroupKey) {
    let until = context.now().saturating_add(NO_SLOT_DELAY);
    let until = until.unwrap_or(Timestamp::MAX);
    context
        .schedule
        .shared_reads
        .locked()
        .postpone(group, until);
}

fn time_to_deadline(context: &Context) -> Duration {
    let next = context.schedule.shared_reads.locked().next_deadline();
    let wait = next.map_or(SignedDuration::MAX, |at| at.duration_since(context.now()));
    Duration::try_from(wait)
        .unwrap_or_default()
        .min(LONGEST_SLEEP)
}

/// Reads one group for all its subscribers. An answer is noted by the observer above.
async fn refresh(context: &Arc<Context>, group: &Arc<GroupKey>, member: &ObjectKey, alone: bool) {
    let asked = context.now();
    let Some(store) = usable(context, group) else {
        dissolve(context, group, asked);
        return;
    };
    let request = ReadRequest {
        store: &store,
        caller: member.namespace(),
        object: Some(member.name()),
        read: &group.read,
        asked,
    };
    match context.remote.refresh(request, group, alone).await {
        Ok(None) => {}
        // Credentials now depend on the caller, or no longer do.
        Ok(Some(answer)) if answer.group != *group => dissolve(context, group, asked),
        Ok(Some(answer)) => {
            if let Some(error) = answer.error().filter(|_| !answer.conclusive) {
                failed(context, group, error, answer.read_at);
            }
        }
        Err(error) if is_transient(&error) => failed(context, group, &error, context.now()),
        Err(_) => dissolve(context, group, asked),
    }
}

/// The store of a group, if it is still the one that was read from and may be read from.
fn usable(context: &Context, group: &GroupKey) -> Option<Arc<StoreRecord>> {
    let store = context.index.stores().get(&group.identity.store)?;
    let open = !context.settings.current().flood_gate || store.view.is_open();
    (open && StoreIdentity::of(&store) == *group.identity).then_some(store)
}

fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unreachable)
}

fn failed(context: &Context, group: &GroupKey, error: &Error, read_at: Timestamp) {
    let now = context.now();
    let patience = match error.kind() {
        ErrorKind::Throttled => THROTTLE_PATIENCE,
        _ => OUTAGE_PATIENCE,
    };
    let told = error
        .retry_after()
        .and_then(|d| SignedDuration::try_from(d).ok());
    let retry = now.saturating_add(told.unwrap_or(READ_RETRY).max(READ_RETRY));
    let retry = retry.unwrap_or(Timestamp::MAX);
    let members = context
        .schedule
        .shared_reads
        .locked()
        .failed(group, patience, retry, now);
    context.input_changed(members, read_at);
}

/// Ends a group whose members have to look for themselves.
fn dissolve(context: &Context, group: &GroupKey, asked: Timestamp) {
    let members = context.schedule.shared_reads.locked().dissolve(group);
    context.input_changed(members, asked);
}
