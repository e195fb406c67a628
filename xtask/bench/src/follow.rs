//! Watches that count: Secrets as they appear and ExternalSecrets as they become Ready, each with
//! the time it was seen. The threads end with the process; nothing waits for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::manifest;
use serde_json::Value;

use crate::fixture::list_version;

/// When each name was first seen.
#[derive(Default)]
struct Seen {
    first: BTreeMap<String, Instant>,
    broken: Option<String>,
}

/// One counting watch.
#[derive(Clone)]
pub(crate) struct Follow {
    shared: Arc<(Mutex<Seen>, Condvar)>,
}

impl Follow {
    /// Secrets of the benchmark, from their appearance on.
    pub(crate) fn secrets(cluster: &Cluster) -> Result<Self> {
        Self::start(cluster.admin()?, "/api/v1/secrets", |_| true)
    }

    /// ExternalSecrets, from their first Ready on.
    pub(crate) fn ready(cluster: &Cluster) -> Result<Self> {
        Self::start(
            cluster.admin()?,
            "/apis/external-secrets.io/v1/externalsecrets",
            is_ready,
        )
    }

    /// PushSecrets, from their first Ready on.
    pub(crate) fn pushed(cluster: &Cluster) -> Result<Self> {
        Self::start(
            cluster.admin()?,
            "/apis/external-secrets.io/v1alpha1/pushsecrets",
            is_ready,
        )
    }

    fn start(api: Api, path: &'static str, counts: fn(&Value) -> bool) -> Result<Self> {
        let version = list_version(&api, path)?;
        let events = api.watch(&format!(
            "{path}?watch=true&resourceVersion={version}&timeoutSeconds=86400"
        ))?;
        let follow = Self {
            shared: Arc::default(),
        };
        let writer = follow.clone();
        thread::spawn(move || {
            for event in events {
                match event {
                    Ok(event) => writer.note(&event, counts),
                    Err(error) => return writer.give_up(&format!("{error:#}")),
                }
            }
            writer.give_up("the API server ended the watch");
        });
        Ok(follow)
    }

    fn note(&self, event: &Value, counts: fn(&Value) -> bool) {
        let now = Instant::now();
        let object = &event["object"];
        if event["type"] == "ERROR" {
            return self.give_up(&object.to_string());
        }
        if event["type"] == "DELETED"
            || !manifest::text(object, "/metadata/namespace").starts_with("bench-")
            || !counts(object)
        {
            return;
        }
        let name = manifest::text(object, "/metadata/name").to_owned();
        self.lock().first.entry(name).or_insert(now);
        self.shared.1.notify_all();
    }

    fn give_up(&self, why: &str) {
        self.lock().broken = Some(why.to_owned());
        self.shared.1.notify_all();
    }

    /// How many were seen.
    pub(crate) fn count(&self) -> usize {
        self.lock().first.len()
    }

    /// When the last of at least `count` was first seen, or nothing within `limit`.
    pub(crate) fn all(&self, count: usize, limit: Duration) -> Result<Option<Instant>> {
        self.wait(limit, |seen| {
            (seen.first.len() >= count)
                .then(|| seen.first.values().max().copied())
                .flatten()
        })
    }

    /// When this one was first seen, or nothing within `limit`.
    pub(crate) fn one(&self, name: &str, limit: Duration) -> Result<Option<Instant>> {
        self.wait(limit, |seen| seen.first.get(name).copied())
    }

    fn wait<T>(&self, limit: Duration, found: impl Fn(&Seen) -> Option<T>) -> Result<Option<T>> {
        let (_, changed) = &*self.shared;
        let until = Instant::now() + limit;
        let mut seen = self.lock();
        loop {
            if let Some(why) = &seen.broken {
                bail!("a watch of the benchmark broke: {why}");
            }
            if let Some(value) = found(&seen) {
                return Ok(Some(value));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            seen = changed
                .wait_timeout(seen, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn is_ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}
