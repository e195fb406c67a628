//! Records core/v1 Events about objects. Never blocks or fails the run that reports something:
//! events wait in bounded lanes, are aggregated and limited as client-go does it, and are dropped
//! rather than waited for when there are too many.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use kube::Client;
use lockstep_provider_api::context::Time;
use tokio::sync::{mpsc, oneshot};

use crate::background::Background;

mod correlate;
mod write;

/// Events of one object go through one lane, so they are written in order.
const LANES: usize = 2;
const LANE_LENGTH: usize = 1024;

/// Longest message the API server takes.
const MESSAGE_LIMIT: usize = 1024;

/// The object an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectRef {
    /// Group and version.
    pub api_version: Cow<'static, str>,
    /// Kind.
    pub kind: Cow<'static, str>,
    /// Namespace; empty for cluster-scoped objects, whose events go to `default`.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Unique id.
    pub uid: String,
    /// Version the event is about.
    pub resource_version: String,
}

/// Weight of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Something happened as it should.
    Normal,
    /// Somebody may have to act.
    Warning,
}

impl EventType {
    fn word(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// What a lane carries.
enum Item {
    Event(Box<Report>),
    Flush(oneshot::Sender<()>),
}

/// One reported event.
#[derive(Clone, Debug)]
struct Report {
    component: &'static str,
    object: ObjectRef,
    event_type: EventType,
    reason: Cow<'static, str>,
    message: String,
    at: Timestamp,
}

/// Where all recorders of the process send events. Clones share it.
#[derive(Clone)]
pub struct Events(Arc<Shared>);

struct Shared {
    lanes: Vec<mpsc::Sender<Item>>,
    hasher: RandomState,
    time: Arc<dyn Time>,
    dropped: AtomicU64,
}

impl Events {
    /// Starts writing events through this client. Must be called inside a tokio runtime.
    pub fn start(client: &Client, time: Arc<dyn Time>, background: &Background) -> Self {
        let lanes = (0..LANES).map(|_| {
            let (lane, items) = mpsc::channel(LANE_LENGTH);
            let (client, items) = (client.clone(), Arc::new(tokio::sync::Mutex::new(items)));
            background.keep("events", move || {
                let (client, items) = (client.clone(), Arc::clone(&items));
                // The lane outlives a writer that panics.
                async move { write::run(client, &mut *items.lock().await).await }
            });
            lane
        });
        Self(Arc::new(Shared {
            lanes: lanes.collect(),
            hasher: RandomState::new(),
            time,
            dropped: AtomicU64::new(0),
        }))
    }

    /// A recorder for one component, such as `external-secrets`.
    pub fn recorder(&self, component: &'static str) -> Recorder {
        Recorder {
            events: self.clone(),
            component,
        }
    }

    /// Waits until everything reported so far is written, at most for `limit`.
    pub async fn flush(&self, limit: Duration) {
        let written = async {
            let mut waits = Vec::new();
            for lane in &self.0.lanes {
                let (done, wait) = oneshot::channel();
                if lane.send(Item::Flush(done)).await.is_ok() {
                    waits.push(wait);
                }
            }
            for wait in waits {
                // A lane that ended has nothing left to write.
                let _ = wait.await;
            }
        };
        if tokio::time::timeout(limit, written).await.is_err() {
            tracing::warn!("some events were not written before the stop");
        }
    }

    /// Number of events dropped because too many waited.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Ordering::Relaxed)
    }

    fn send(&self, report: Report) {
        let object = (
            &report.object.kind,
            &report.object.namespace,
            &report.object.name,
        );
        let hash = self.0.hasher.hash_one(object);
        let place = usize::try_from(hash % LANES as u64).unwrap_or(0);
        let Some(lane) = self.0.lanes.get(place) else {
            return;
        };
        if lane.try_send(Item::Event(Box::new(report))).is_err()
            && self.0.dropped.fetch_add(1, Ordering::Relaxed) == 0
        {
            tracing::warn!("too many events wait to be written; dropping some");
        }
    }
}

/// Reports events of one component.
#[derive(Clone)]
pub struct Recorder {
    events: Events,
    component: &'static str,
}

impl Recorder {
    /// Reports an event. Returns at once, whatever becomes of it.
    pub fn publish(
        &self,
        object: &ObjectRef,
        event_type: EventType,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) {
        let mut message = message.into();
        cut(&mut message, MESSAGE_LIMIT);
        self.events.send(Report {
            component: self.component,
            object: object.clone(),
            event_type,
            reason: reason.into(),
            message,
            at: self.events.0.time.now(),
        });
    }
}

/// Shortens a text to `limit` bytes without splitting a character.
fn cut(text: &mut String, limit: usize) {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_between_characters() {
        let mut text = "ä".repeat(600);

        cut(&mut text, MESSAGE_LIMIT);

        assert_eq!(text.len(), 1024);
        let mut odd = format!("x{}", "ä".repeat(600));
        cut(&mut odd, MESSAGE_LIMIT);
        assert_eq!(odd.len(), 1023);
    }
}
