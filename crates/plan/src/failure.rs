//! A failed sync: what the condition says, what the event says, and when to try again.
//! The condition's message must be the same at every retry of the same failure, or every retry
//! would write a status; request ids are therefore taken out of it.

use std::fmt;
use std::time::Duration;

use lockstep_provider_api::error::{Error, ErrorKind, Retry};

use crate::cause::Cause;
use crate::event::EventNote;
use crate::spec_entry::SpecEntry;
use crate::store_key::StoreKey;
use crate::template_fault::TemplateFault;

mod stable;

pub use stable::stable;

/// Longest message of a condition in bytes; events have the same limit.
const MAX_MESSAGE: usize = 1_024;

/// Why a sync failed.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    message: &'static str,
    cause: Cause,
    remedy: Option<&'static str>,
    detail: String,
    event: String,
    retry: Retry,
    retry_after: Option<Duration>,
    store: Option<StoreKey>,
    entry: Option<SpecEntry>,
    template: Option<TemplateFault>,
    touched_target: bool,
    unasked: bool,
    unchecked: bool,
    notes: Vec<EventNote>,
}

impl Failure {
    /// A failure with its constant message, cause, and the text of event and detail.
    pub fn new(message: &'static str, cause: Cause, text: impl Into<String>) -> Self {
        let text = text.into();
        Self(Box::new(Inner {
            message,
            cause,
            remedy: cause.remedy(),
            detail: text.clone(),
            event: text,
            retry: Retry::OnChange,
            retry_after: None,
            store: None,
            entry: None,
            template: None,
            touched_target: false,
            unasked: false,
            unchecked: false,
            notes: Vec::new(),
        }))
    }

    /// A failure of a provider or of the data it gave, met while working on `message`.
    pub fn of_error(message: &'static str, error: &Error) -> Self {
        let consequence = error.consequence();
        let mut failure = Self::new(message, Cause::of(error), describe(error));
        failure.0.remedy = failure.0.remedy.filter(|_| !error.is_advised());
        failure.0.retry = consequence.retry;
        failure.0.retry_after = error.retry_after();
        failure.0.unasked = error.is_unasked();
        failure
    }

    /// A request to the API server that failed for another reason than a conflict.
    pub fn api(message: &'static str, text: impl Into<String>) -> Self {
        Self::new(message, Cause::API_SERVER, text).retrying(Retry::Slow)
    }

    /// A failure that upstream words as a whole: `text` is event and condition.
    pub fn worded(cause: Cause, text: impl Into<String>) -> Self {
        Self::new("", cause, text)
    }

    /// The same for a failure of a provider; `wording` puts upstream's words around its text.
    pub fn worded_error(error: &Error, wording: impl Fn(&str) -> String) -> Self {
        Self::of_error("", error)
            .with_event(&wording)
            .with_detail(&wording)
    }

    /// Sets when to try again.
    pub fn retrying(mut self, retry: Retry) -> Self {
        self.0.retry = retry;
        self
    }

    /// Says when the API server wants to be asked again, where it does.
    pub fn asked_again_after(mut self, delay: Option<Duration>) -> Self {
        if delay.is_some() {
            self.0.retry = Retry::WhenTold;
            self.0.retry_after = delay;
        }
        self
    }

    /// Names the store the failure came from.
    pub fn from_store(mut self, store: StoreKey) -> Self {
        self.0.store = Some(store);
        self
    }

    /// Names the entry of the spec that failed.
    pub fn at_entry(mut self, entry: SpecEntry) -> Self {
        self.0.entry = Some(entry);
        self
    }

    /// Names the place in a template that is to blame.
    pub fn at_template(mut self, fault: Option<TemplateFault>) -> Self {
        self.0.template = fault;
        self
    }

    /// Says that an existing target was about to be changed: `status.binding` then names it.
    pub fn touching_target(mut self) -> Self {
        self.0.touched_target = true;
        self
    }

    /// Adds events about what was met before the failure.
    pub fn after(mut self, notes: Vec<EventNote>) -> Self {
        self.0.notes = notes;
        self
    }

    /// Says that the detail itself tells what to do.
    pub fn advised(mut self) -> Self {
        self.0.remedy = None;
        self
    }

    /// Says that the store was not checked yet, so that nothing is known to be wrong with it.
    pub fn awaiting_check(mut self) -> Self {
        self.0.unchecked = true;
        self
    }

    /// Whether the store was not checked yet.
    pub fn awaits_check(&self) -> bool {
        self.0.unchecked
    }

    /// Rewrites the text of the event; the detail of the condition stays.
    pub fn with_event(mut self, rewrite: impl FnOnce(&str) -> String) -> Self {
        self.0.event = rewrite(&self.0.event);
        self
    }

    /// Rewrites the detail of the condition; the event stays.
    pub fn with_detail(mut self, rewrite: impl FnOnce(&str) -> String) -> Self {
        self.0.detail = rewrite(&self.0.detail);
        self
    }

    /// The constant text in front of the condition's message.
    pub fn constant_message(&self) -> &'static str {
        self.0.message
    }

    /// Stable word for the cause.
    pub fn cause(&self) -> &'static str {
        self.0.cause.as_str()
    }

    /// Whether the store was not asked, because it is known not to answer at present.
    pub fn is_unasked(&self) -> bool {
        self.0.unasked
    }

    /// Text of the event.
    pub fn event(&self) -> &str {
        &self.0.event
    }

    /// When to try again.
    pub fn retry(&self) -> Retry {
        self.0.retry
    }

    /// The time the backend asked for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The store it came from.
    pub fn store(&self) -> Option<&StoreKey> {
        self.0.store.as_ref()
    }

    /// The entry of the spec that failed.
    pub fn entry(&self) -> Option<SpecEntry> {
        self.0.entry
    }

    /// The place in a template that is to blame.
    pub fn template(&self) -> Option<&TemplateFault> {
        self.0.template.as_ref()
    }

    /// Whether an existing target was about to be changed.
    pub fn touched_target(&self) -> bool {
        self.0.touched_target
    }

    /// Events about what was met before the failure.
    pub fn notes(&self) -> &[EventNote] {
        &self.0.notes
    }

    /// Message of the condition: constant text, cause, detail and what to do. Without a constant text
    /// the detail is upstream's own wording, which comes first, and the cause follows in brackets.
    pub fn condition_message(&self) -> String {
        let Inner {
            message,
            cause,
            detail,
            ..
        } = &*self.0;
        let (detail, cause) = (stable(detail), cause.as_str());
        let (mut text, end) = if message.is_empty() {
            (detail.into_owned(), format!(" ({cause})"))
        } else {
            let remedy = self.0.remedy.map(|remedy| format!("; {remedy}"));
            (
                format!("{message}: {cause}: {detail}"),
                remedy.unwrap_or_default(),
            )
        };
        let room = MAX_MESSAGE.saturating_sub(end.len());
        text.truncate(text.floor_char_boundary(room));
        text + &end
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("message", &self.condition_message())
            .field("event", &self.0.event)
            .field("retry", &self.0.retry)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.condition_message())
    }
}

/// The error's text; a tombstone's state and date follow it.
pub fn describe(error: &Error) -> String {
    let ErrorKind::Tombstoned(tombstone) = error.kind() else {
        return error.to_string();
    };
    match tombstone.until {
        // The provider has said it in its own words.
        _ if error.to_string().contains(&*tombstone.state) => error.to_string(),
        Some(until) => format!("{error} ({} until {until})", tombstone.state),
        None => format!("{error} ({})", tombstone.state),
    }
}

#[cfg(test)]
mod tests;
