//! What stores read from: an HTTP server that misbehaves on demand, or the API server behind a wire
//! that can be cut. Values and moods change while it runs; nothing here knows Kubernetes objects.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lockstep_testkit::stub::{Answer, Request, Stub};
use serde_json::json;

/// Fields of a remote secret with their values.
pub(crate) type Fields = BTreeMap<String, String>;

/// How a server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    Status(u16),
    /// Answers only when everybody has given up.
    Hang,
    /// 429, with so many seconds to wait.
    Throttle(u32),
    Garbage,
    Slow(u64),
    /// Every other answer is an error.
    Flap,
}

impl Mood {
    /// A bad one.
    pub(crate) fn bad(rng: &mut fastrand::Rng) -> Self {
        match rng.u32(0..11) {
            0 | 1 => Self::Status(503),
            2 => Self::Status(500),
            3 => Self::Status(401),
            4 => Self::Status(403),
            5 => Self::Status(404),
            6 => Self::Throttle(rng.u32(1..4)),
            7 => Self::Garbage,
            8 => Self::Slow(rng.u64(100..1500)),
            9 => Self::Flap,
            _ => Self::Hang,
        }
    }

    /// Whether secrets look absent.
    pub(crate) fn is_absence(self) -> bool {
        self == Self::Status(404)
    }
}

struct State {
    mood: Mood,
    token: String,
    values: BTreeMap<String, Fields>,
}

/// An HTTP server with secrets as JSON objects, for whoever knows its token.
pub(crate) struct Remote {
    stub: Stub,
    state: Arc<Mutex<State>>,
}

impl Remote {
    pub(crate) fn start(token: &str) -> Self {
        let state = Arc::new(Mutex::new(State {
            mood: Mood::Well,
            token: token.to_owned(),
            values: BTreeMap::new(),
        }));
        let (shared, calls) = (Arc::clone(&state), AtomicU32::default());
        let stub = Stub::start(move |request| answer(&shared, &calls, &request));
        Self {
            stub: stub.unwrap(),
            state,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.stub.url()
    }

    pub(crate) fn mood(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    pub(crate) fn token(&self, token: &str) {
        token.clone_into(&mut self.state.lock().unwrap().token);
    }

    /// Sets or removes a secret.
    pub(crate) fn put(&self, key: &str, fields: Option<&Fields>) {
        let values = &mut self.state.lock().unwrap().values;
        match fields {
            Some(fields) => values.insert(key.to_owned(), fields.clone()),
            None => values.remove(key),
        };
    }
}

fn answer(state: &Mutex<State>, calls: &AtomicU32, request: &Request) -> Answer {
    let (mood, known, found) = {
        let state = state.lock().unwrap();
        let known = request.header("authorization") == Some(&format!("Bearer {}", state.token));
        let found = state.values.get(request.path.trim_start_matches('/'));
        (state.mood, known, found.cloned())
    };
    let told = |status| Answer::text(status, "no");
    match mood {
        Mood::Status(status) => return told(status),
        Mood::Throttle(seconds) => {
            return Answer {
                headers: vec![("Retry-After", seconds.to_string())],
                ..told(429)
            };
        }
        Mood::Garbage => return Answer::text(200, "{\"u\": \"cut o"),
        Mood::Hang => {
            std::thread::park_timeout(Duration::from_secs(40));
            return told(503);
        }
        Mood::Slow(millis) => std::thread::park_timeout(Duration::from_millis(millis)),
        Mood::Flap if calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) => return told(502),
        Mood::Well | Mood::Flap => {}
    }
    match found {
        _ if !known => told(401),
        Some(fields) => Answer::json(200, &json!(fields)),
        None => told(404),
    }
}
