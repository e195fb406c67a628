//! Watches one kind for ever. A missing kind, missing rights or an unreachable server is waited out
//! and told by name; one object that cannot be decoded is reported and does not harm the others.
//! Initial lists are streamed where the server can, and paged otherwise.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt, unfold};
use futures_util::{Stream, future::Either};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

use crate::api_error::{ApiError, ApiErrorKind};
use crate::health::Component;

mod guard;
#[cfg(test)]
mod tests;

pub use guard::{Guarded, Invalid};

/// Longest pause between tries. A kind installed later must be seen within two seconds.
const LONGEST_PAUSE: Duration = Duration::from_millis(1500);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// A streamed list that says nothing for so long comes from a server that does not know streaming.
const SILENCE: Duration = Duration::from_secs(15);

/// So many streamed lists may break off before pages are tried.
const BROKEN_LISTS: u32 = 5;

/// After trouble, a watch without error for so long works again.
const RECOVERED: Duration = Duration::from_secs(35);

/// Undecodable objects remembered, so that each is reported once.
const REMEMBERED: usize = 1024;

/// News about a kind.
#[derive(Clone, Debug)]
pub enum Change<K> {
    /// A full list begins. Objects not applied again before [`Change::Synced`] are gone.
    Reset,
    /// The object is there, new or changed or listed.
    Applied(K),
    /// The object was deleted; this is its last state.
    Deleted(K),
    /// The list is complete.
    Synced,
    /// An object cannot be decoded; it counts as unknown.
    Invalid(Box<Invalid>),
}

/// What to watch.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Label selector.
    pub labels: Option<String>,
    /// Field selector.
    pub fields: Option<String>,
    /// Objects in a page where lists cannot be streamed.
    pub page: u32,
    /// Every new value makes the watch list again.
    pub relist: Option<Relist>,
    /// Told of every failure of the watch.
    pub failed: Option<Arc<Notify>>,
}

/// Where a watch is asked to list again.
pub type Relist = tokio::sync::watch::Receiver<u64>;

impl Default for Settings {
    fn default() -> Self {
        Self {
            labels: None,
            fields: None,
            page: 500,
            relist: None,
            failed: None,
        }
    }
}

impl Settings {
    fn config(&self, streaming: bool) -> watcher::Config {
        let config = watcher::Config {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            ..watcher::Config::default()
        };
        if streaming {
            config.streaming_lists()
        } else {
            // Not `any_semantic`: with resourceVersion 0 servers ignore the page size.
            config.page_size(self.page)
        }
    }
}

/// Watches what `api` points at; write `watch(Api::all(client), …)`. The stream never ends.
pub fn watch<K>(
    api: Api<Guarded<K>>,
    settings: Settings,
    component: Component,
) -> impl Stream<Item = Change<K>> + Send + use<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let watch = Watch {
        events: events(&api, &settings, true),
        api,
        settings,
        component,
        streaming: true,
        listing: true,
        begun: 0,
        failures: 0,
        hasher: RandomState::new(),
        reported: HashSet::new(),
    };
    unfold(watch, |mut watch| async move {
        let change = watch.next().await;
        Some((change, watch))
    })
}

type Events<K> = BoxStream<'static, watcher::Result<Event<Guarded<K>>>>;

fn events<K>(api: &Api<Guarded<K>>, settings: &Settings, streaming: bool) -> Events<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    watcher(api.clone(), settings.config(streaming)).boxed()
}

struct Watch<K: Resource> {
    api: Api<Guarded<K>>,
    settings: Settings,
    component: Component,
    events: Events<K>,
    streaming: bool,
    /// Between the start and the end of a list.
    listing: bool,
    /// Lists begun since one was completed.
    begun: u32,
    /// Errors since something last worked.
    failures: u32,
    hasher: RandomState,
    reported: HashSet<u64>,
}

impl<K> Watch<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    async fn next(&mut self) -> Change<K> {
        loop {
            let patience = if self.listing && self.streaming {
                SILENCE
            } else {
                RECOVERED
            };
            let watched = self.listing && self.streaming || self.failures > 0;
            let event = self.events.next();
            let event = if watched {
                Either::Left(tokio::time::timeout(patience, event))
            } else {
                Either::Right(async { Ok(event.await) })
            };
            let event = tokio::select! {
                biased;
                event = event => event,
                () = asked(&mut self.settings.relist) => {
                    self.restart(self.streaming);
                    continue;
                }
            };
            match event {
                Ok(Some(Ok(Event::Init))) => return self.begin().await,
                Ok(Some(Ok(event))) => return self.event(event),
                Ok(Some(Err(error))) => self.failed(&error).await,
                // The watcher never ends; should it, a new one takes over.
                Ok(None) => self.restart(self.streaming),
                Err(_) if self.listing => self.restart(false),
                Err(_) => self.works(),
            }
        }
    }

    /// A list begins. Servers that end one list after the other are given time, then read in pages.
    async fn begin(&mut self) -> Change<K> {
        self.listing = true;
        if self.begun > 0 && self.failures == 0 {
            tokio::time::sleep(pause(self.begun, fastrand::f64())).await;
        }
        self.begun = self.begun.saturating_add(1);
        if self.streaming && self.begun > BROKEN_LISTS {
            self.restart(false);
        }
        Change::Reset
    }

    fn event(&mut self, event: Event<Guarded<K>>) -> Change<K> {
        let (object, deleted) = match event {
            Event::Init => return Change::Reset,
            Event::InitDone => {
                (self.listing, self.begun) = (false, 0);
                self.works();
                return Change::Synced;
            }
            Event::InitApply(object) => (object, false),
            Event::Apply(object) => {
                self.works();
                (object, false)
            }
            Event::Delete(object) => {
                self.works();
                (object, true)
            }
        };
        match (object.0, deleted) {
            (Ok(object), false) => Change::Applied(object),
            (Ok(object), true) => Change::Deleted(object),
            (Err(mut invalid), deleted) => {
                invalid.deleted = deleted;
                self.report(&invalid);
                Change::Invalid(invalid)
            }
        }
    }

    fn report(&mut self, invalid: &Invalid) {
        let mark = self.hasher.hash_one((&invalid.uid, &invalid.error));
        if self.reported.len() < REMEMBERED && self.reported.insert(mark) {
            let (namespace, name) = (&invalid.namespace, &invalid.name);
            let (watch, error) = (self.component.name(), &invalid.error);
            tracing::warn!(%watch, %namespace, %name, %error, "object cannot be decoded");
        }
    }

    fn works(&mut self) {
        self.failures = 0;
        if !self.listing {
            self.component.ready();
        }
    }

    fn restart(&mut self, streaming: bool) {
        if self.streaming && !streaming {
            let watch = self.component.name();
            tracing::debug!(%watch, "the server does not stream lists; reading pages");
        }
        (self.streaming, self.listing, self.begun) = (streaming, true, 0);
        self.events = events(&self.api, &self.settings, streaming);
    }

    async fn failed(&mut self, error: &watcher::Error) {
        let (failure, at_start) = cause(error);
        if failure.is(ApiErrorKind::Expired) {
            // The watcher lists again by itself; nothing is wrong.
            return;
        }
        if failure.is(ApiErrorKind::Invalid) && at_start && self.listing && self.streaming {
            self.restart(false);
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if let Some(failed) = &self.settings.failed {
            failed.notify_one();
        }
        // A watch that breaks once is everyday life.
        if self.listing || self.failures > 1 {
            self.component.waiting(self.reason(&failure));
        }
        tokio::time::sleep(pause(self.failures, fastrand::f64())).await;
    }

    fn reason(&self, failure: &ApiError) -> String {
        match failure.kind() {
            ApiErrorKind::NotFound => {
                let kind = self.component.name();
                format!("the server does not know {kind}; is the CRD installed?")
            }
            _ => failure.to_string(),
        }
    }
}

/// Completes when the watch is asked to list again.
async fn asked(relist: &mut Option<Relist>) {
    let Some(asked) = relist else {
        return std::future::pending().await;
    };
    if asked.changed().await.is_err() {
        // Nobody is left who could ask.
        std::future::pending::<()>().await;
    }
}

/// The failure behind a watcher's error, and whether it came before any object.
fn cause(error: &watcher::Error) -> (ApiError, bool) {
    match error {
        watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error) => {
            (ApiError::from(error), true)
        }
        watcher::Error::WatchFailed(error) => (ApiError::from(error), false),
        watcher::Error::WatchError(status) => (ApiError::from(status.as_ref()), false),
        watcher::Error::NoResourceVersion => (ApiError::undecodable(error.to_string()), false),
    }
}

/// Doubles from a tenth of a second to one and a half, half of it by chance.
fn pause(failures: u32, chance: f64) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(LONGEST_PAUSE).mul_f64(0.5 + 0.5 * chance)
}
