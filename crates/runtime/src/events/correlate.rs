//! Decides what becomes of a reported event, as client-go's correlator does: an event seen before is
//! counted on, ten different messages of one reason within ten minutes become one combined event,
//! and an object has a budget of 25 events with one more every five minutes. Pure, and bounded in
//! memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use jiff::{SignedDuration, Timestamp};

use super::{MESSAGE_LIMIT, Report, cut};

#[cfg(test)]
mod tests;

/// Entries each memory keeps at most.
const REMEMBERED: usize = 2048;

/// Different messages of one reason before they are combined.
const DIFFERENT: usize = 10;
const WINDOW: SignedDuration = SignedDuration::from_mins(10);

const BURST: f64 = 25.0;
const REFILL_PER_SECOND: f64 = 1.0 / 300.0;

/// What to do about a report.
#[derive(Debug)]
pub(super) enum Decision {
    /// Nothing: the object's budget is spent.
    Skip,
    /// Write a new event.
    Create(Occurrence),
    /// Count on an event written before.
    Count(Occurrence),
}

/// An event as it has to be written.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    /// Name of the event object.
    pub(super) name: String,
    /// Message, combined or not.
    pub(super) message: String,
    /// How often it occurred.
    pub(super) count: u32,
    /// When it occurred first.
    pub(super) first: Timestamp,
}

/// The memory behind the decisions.
#[derive(Default)]
pub(super) struct Correlator {
    hasher: RandomState,
    groups: Recent<Group>,
    written: Recent<Written>,
    budgets: Recent<Budget>,
}

/// Messages of one object and reason.
#[derive(Default)]
struct Group {
    messages: Vec<u64>,
    last: Option<Timestamp>,
}

struct Written {
    name: String,
    count: u32,
    first: Timestamp,
}

struct Budget {
    tokens: f64,
    last: Timestamp,
}

impl Correlator {
    pub(super) fn decide(&mut self, report: &Report) -> Decision {
        let (message, key) = self.combine(report);
        let mut create = false;
        let written = self.written.entry(key, || {
            create = true;
            Written {
                name: event_name(&report.object.name, report.at),
                count: 0,
                first: report.at,
            }
        });
        written.count = written.count.saturating_add(1);
        let occurrence = Occurrence {
            name: written.name.clone(),
            message,
            count: written.count,
            first: written.first,
        };
        if !self.afford(report) {
            return Decision::Skip;
        }
        if create {
            Decision::Create(occurrence)
        } else {
            Decision::Count(occurrence)
        }
    }

    /// The message to write and the key of the event it belongs to.
    fn combine(&mut self, report: &Report) -> (String, u64) {
        let group_key = self.hash(&(identity(report), &report.reason));
        let message_key = self.hash(&report.message);
        let group = self.groups.entry(group_key, Group::default);
        let old = group
            .last
            .is_some_and(|last| report.at.duration_since(last) > WINDOW);
        if old {
            group.messages.clear();
        }
        group.last = Some(report.at);
        if !group.messages.contains(&message_key) {
            group.messages.push(message_key);
        }
        if group.messages.len() < DIFFERENT {
            return (report.message.clone(), self.hash(&(group_key, message_key)));
        }
        group.messages.truncate(DIFFERENT - 1);
        let mut message = format!("(combined from similar events): {}", report.message);
        cut(&mut message, MESSAGE_LIMIT);
        (message, group_key)
    }

    fn afford(&mut self, report: &Report) -> bool {
        let key = self.hash(&identity(report));
        let budget = self.budgets.entry(key, || Budget {
            tokens: BURST,
            last: report.at,
        });
        let passed = report.at.duration_since(budget.last).as_secs_f64().max(0.0);
        budget.tokens = (budget.tokens + passed * REFILL_PER_SECOND).min(BURST);
        budget.last = report.at;
        let affordable = budget.tokens >= 1.0;
        if affordable {
            budget.tokens -= 1.0;
        }
        affordable
    }

    fn hash(&self, value: &impl Hash) -> u64 {
        self.hasher.hash_one(value)
    }
}

/// Component, object and type, whatever its version.
fn identity(report: &Report) -> impl Hash + '_ {
    let object = &report.object;
    let name = (&object.namespace, &object.name, &object.uid);
    let kind = (&object.api_version, &object.kind);
    (report.component, kind, name, report.event_type)
}

/// Object name and time in hexadecimal, as client-go names events.
fn event_name(object: &str, at: Timestamp) -> String {
    let time = at.as_nanosecond();
    let name = format!("{object}.{time:x}");
    // The API server takes 253 bytes.
    if name.len() > 253 {
        return format!("event.{time:x}");
    }
    name
}

/// A memory of bounded size that forgets the older half when full.
struct Recent<V> {
    entries: HashMap<u64, (u64, V)>,
    clock: u64,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            clock: 0,
        }
    }
}

impl<V> Recent<V> {
    fn entry(&mut self, key: u64, new: impl FnOnce() -> V) -> &mut V {
        self.clock += 1;
        if self.entries.len() >= REMEMBERED && !self.entries.contains_key(&key) {
            let mut uses: Vec<u64> = self.entries.values().map(|(used, _)| *used).collect();
            let (_, middle, _) = uses.select_nth_unstable(REMEMBERED / 2);
            let oldest_kept = *middle;
            self.entries.retain(|_, (used, _)| *used >= oldest_kept);
        }
        let (used, value) = self.entries.entry(key).or_insert_with(|| (0, new()));
        *used = self.clock;
        value
    }
}
