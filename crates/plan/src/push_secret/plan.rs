//! What is pushed where: the template applied to every source, and the entries of every store. A
//! store or an entry that cannot be used fails by itself; the others are pushed all the same.

use std::sync::Arc;

use lockstep_api::messages::STORE_NO_CLIENT;
use lockstep_api::push_secret::PushData;
use lockstep_provider_api::error::Retry;
use lockstep_provider_api::{Error, PushItem, SecretMap};

use super::entries::{entries, secret_key};
use super::names::{entry_id, namespace, target};
use super::{Observed, Source, data_to};
use crate::cause::Cause;
use crate::external_secret::TemplateSources;
use crate::failure::Failure;
use crate::render::{RenderContext, Rendered, render_push};
use crate::store::{Refusal, StoreKey, StoreView, admit_push};
use crate::work::Work;

/// Everything one run pushes.
#[derive(Debug)]
pub struct PushPlan {
    /// By store, in order.
    pub stores: Vec<StorePush>,
}

/// What is pushed to one store.
#[derive(Debug)]
pub struct StorePush {
    /// The store.
    pub store: StoreKey,
    /// Its entries, or why it gets none.
    pub entries: Result<Vec<Entry>, Failure>,
}

/// One entry.
#[derive(Debug)]
pub struct Entry {
    /// Its name in the record.
    pub id: String,
    /// The entry as it is recorded.
    pub data: PushData,
    /// What is pushed, or why nothing is.
    pub item: Result<PushItem, Failure>,
}

/// Plans the push of `sources`, in order, to `stores`.
pub fn plan(
    observed: &Observed<'_>,
    stores: &[Arc<StoreView>],
    sources: Vec<Source>,
    templates: &TemplateSources,
    work: Work<'_>,
) -> Result<PushPlan, Failure> {
    let spec = &observed.object.spec;
    data_to::check_selectors(spec, stores.iter().map(AsRef::as_ref))
        .map_err(|text| Failure::worded(Cause::INVALID_SPEC, text))?;
    let means = RenderContext {
        sources: templates,
        work,
    };
    let mut rendered = Vec::with_capacity(sources.len());
    for source in sources {
        rendered.push(templated(observed, source, means)?);
    }
    let stores = stores.iter().map(|store| StorePush {
        store: store.key.clone(),
        entries: of_store(observed, store, &rendered, work),
    });
    Ok(PushPlan {
        stores: stores.collect(),
    })
}

fn templated(
    observed: &Observed<'_>,
    source: Source,
    means: RenderContext<'_>,
) -> Result<Rendered, Failure> {
    let source = Rendered {
        secret_type: source.secret_type,
        labels: source.labels,
        annotations: source.annotations,
        finalizers: Vec::new(),
        data: source.data,
    };
    let Some(template) = observed.object.spec.template.as_deref() else {
        return Ok(source);
    };
    render_push(template, source, means)
        .map_err(|error| Failure::worded(Cause::TEMPLATE, error.text))
}

fn of_store(
    observed: &Observed<'_>,
    store: &StoreView,
    sources: &[Rendered],
    work: Work<'_>,
) -> Result<Vec<Entry>, Failure> {
    let caller = (
        namespace(&observed.object),
        observed.namespace_labels.as_deref(),
    );
    if let Err(refusal) = admit_push(store, caller, work.settings) {
        let retry = refusal.retry();
        let Refusal { cause, text, fault } = refusal;
        let name = &store.key.name;
        // Where the store has no client, upstream's push says why, having tried to make one itself.
        let (text, fault) = match fault.as_deref().and_then(client_error) {
            Some(error) => (error.to_owned(), Some(text)),
            None => (text, fault),
        };
        let text = format!("could not get secrets client for store {name}: {text}");
        let failure = Refusal::explain(fault, set_failed(cause, &text)).retrying(retry);
        return Err(failure.from_store(store.key.clone()));
    }
    let mut planned: Vec<Entry> = Vec::new();
    for source in sources {
        for entry in entries(&observed.object, store, source, work)? {
            // Of two sources for one place the later one wins; writing both would make two versions
            // at every refresh.
            match planned.iter_mut().find(|known| known.id == entry.id) {
                Some(known) if known.item.is_ok() => *known = entry,
                Some(_) => {}
                None => planned.push(entry),
            }
        }
    }
    Ok(planned)
}

/// Why the client of a store could not be made, out of what the store's condition says.
fn client_error(fault: &str) -> Option<&str> {
    let told = fault.strip_prefix(STORE_NO_CLIENT)?.strip_prefix(": ")?;
    let (_cause, error) = told.split_once(": ")?;
    Some(error)
}

/// The entries of `spec.data` without their values, to ask whether all of them are there already.
/// `None` where the names of entries depend on the source.
pub fn places(observed: &Observed<'_>, stores: &[Arc<StoreView>]) -> Option<PushPlan> {
    let spec = &observed.object.spec;
    if !spec.data_to.is_empty() || spec.data.is_empty() {
        return None;
    }
    let entry = |data: &PushData| Entry {
        id: entry_id(&data.match_.remote_ref),
        item: Ok(PushItem::whole(target(data), SecretMap::new())),
        data: data.clone(),
    };
    let stores = stores.iter().map(|store| StorePush {
        store: store.key.clone(),
        entries: Ok(spec.data.iter().map(entry).collect()),
    });
    Some(PushPlan {
        stores: stores.collect(),
    })
}

/// A failure of the push, in upstream's words.
pub(super) fn set_failed(cause: Cause, text: &str) -> Failure {
    Failure::worded(cause, format!("set secret failed: {text}"))
}

/// A push that the provider refused.
pub fn push_failed(store: &StoreKey, data: &PushData, error: &Error) -> Failure {
    let (key, name) = (secret_key(data).unwrap_or_default(), &store.name);
    let failure = Failure::worded_error(error, |text| {
        format!(
            "set secret failed: could not write remote ref {key} to target secretstore {name}: \
             {text}"
        )
    });
    failure.from_store(store.clone())
}

/// A place of which it cannot be told whether something is there.
pub fn exists_unknown(store: &StoreKey, error: &Error) -> Failure {
    let failure = Failure::worded_error(error, |text| {
        format!("set secret failed: could not verify if secret exists in store: {text}")
    });
    failure.from_store(store.clone())
}

/// An entry that had to wait for the next run.
pub fn unfinished(store: &StoreKey) -> Failure {
    let text = format!(
        "not everything was pushed to {store} in time; the rest is pushed at the next reconcile"
    );
    set_failed(Cause::UNFINISHED, &text).retrying(Retry::Slow)
}

/// A deletion that failed.
pub fn delete_failed(store: &StoreKey, error: &Error) -> Failure {
    let failure = Failure::worded_error(error, |text| {
        format!("Failed to Delete Secrets from Provider: {text}")
    });
    failure.from_store(store.clone())
}
