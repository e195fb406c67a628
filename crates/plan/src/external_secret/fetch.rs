//! What to fetch and from where: one item an entry of `dataFrom` and `data`, in that order. Every
//! store is checked before anything is read: it must exist, be of our class, admit the namespace
//! and be ready.

use std::collections::BTreeSet;

use lockstep_api::external_secret::{
    ConversionStrategy, DataEntry, DataFromEntry, Find as WrittenFind, GeneratorRef,
    MetadataPolicy as WrittenPolicy, RemoteRef as WrittenRef, SourceRef, StoreRef,
};
use lockstep_api::{ExternalSecret, messages};
use lockstep_provider_api::keys::Conversion;
use lockstep_provider_api::{Find, MetadataPolicy, Read, RemoteRef};

use super::Observed;
use super::entry_failure::fail_entry;
use super::names::namespace;
use crate::cause::Cause;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::spec_entry::SpecEntry;
use crate::store::{Refusal, StoreKey, admit, not_found};

/// What a run reads, in the order in which results are merged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FetchList {
    /// One item a source.
    pub items: Vec<FetchItem>,
}

/// One read.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchItem {
    /// The entry it is for.
    pub entry: SpecEntry,
    /// Where it is read.
    pub source: Source,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A store.
    Store {
        /// The store.
        key: StoreKey,
        /// What is read.
        read: Read,
    },
    /// A generator in the namespace of the object.
    Generator(GeneratorRef),
}

impl FetchList {
    /// The stores it reads from.
    pub fn stores(&self) -> BTreeSet<StoreKey> {
        let sources = self.items.iter().map(|item| &item.source);
        sources
            .filter_map(|source| match source {
                Source::Store { key, .. } => Some(key.clone()),
                Source::Generator(_) => None,
            })
            .collect()
    }
}

/// Every store the object names, whether it exists or not.
pub fn store_keys(object: &ExternalSecret) -> BTreeSet<StoreKey> {
    let named = references(object).filter(|reference| !reference.name().is_empty());
    named
        .filter_map(|reference| StoreKey::referenced(reference, namespace(object)).ok())
        .collect()
}

/// References to stores in the order of upstream's class check.
pub(super) fn references(object: &ExternalSecret) -> impl Iterator<Item = &StoreRef> {
    let spec = &object.spec;
    let data = spec
        .data
        .iter()
        .filter_map(|entry| entry.source_ref.as_deref());
    let data_from = spec
        .data_from
        .iter()
        .filter_map(|entry| entry.source_ref.as_deref());
    let own = data
        .chain(data_from)
        .filter_map(|source| source.store_ref.as_ref());
    spec.secret_store_ref.iter().chain(own)
}

/// References to generators.
pub fn generators(object: &ExternalSecret) -> impl Iterator<Item = &GeneratorRef> {
    let sources = object
        .spec
        .data_from
        .iter()
        .filter_map(|entry| entry.source_ref.as_deref());
    sources.filter_map(|source| source.generator_ref.as_ref())
}

/// What the object reads through a store, in order.
pub fn reads_through(object: &ExternalSecret, store: &StoreKey) -> Vec<Read> {
    let spec = &object.spec;
    let sets = spec.data_from.iter();
    let sets = sets.filter_map(|entry| Some((entry.source_ref.as_deref(), set_work(entry)?)));
    let values = spec.data.iter();
    let values = values.map(|entry| (entry.source_ref.as_deref(), value_work(entry)));
    let mut reads = Vec::new();
    for (source, work) in sets.chain(values) {
        let own = source.and_then(|source| source.store_ref.as_ref());
        let reference = own.or(spec.secret_store_ref.as_ref());
        let key = reference.map(|written| StoreKey::referenced(written, namespace(object)));
        if let (Some(Ok(key)), Work::Read(read)) = (key, work)
            && key == *store
        {
            reads.push(read);
        }
    }
    reads
}

/// The list for an object, or the first store that cannot be used.
pub(super) fn list(observed: &Observed<'_>, settings: &Settings) -> Result<FetchList, Failure> {
    let object = &observed.object;
    let mut items = Vec::with_capacity(object.spec.data_from.len() + object.spec.data.len());
    let data_from = object.spec.data_from.iter().enumerate();
    let sets = data_from.filter_map(|(at, entry)| {
        Some((
            SpecEntry::DataFrom(at),
            entry.source_ref.as_deref(),
            set_work(entry)?,
        ))
    });
    let data = object.spec.data.iter().enumerate();
    let values = data.map(|(at, entry)| {
        (
            SpecEntry::Data(at),
            entry.source_ref.as_deref(),
            value_work(entry),
        )
    });
    for (entry, source_ref, work) in sets.chain(values) {
        let source = match work {
            Work::Generate(generator) => Source::Generator(generator.clone()),
            Work::Read(read) => {
                let usable = usable_store(observed, settings, source_ref);
                let key = usable.map_err(|failure| fail_entry(entry, object, failure))?;
                Source::Store { key, read }
            }
        };
        items.push(FetchItem { entry, source });
    }
    Ok(FetchList { items })
}

enum Work<'a> {
    Read(Read),
    Generate(&'a GeneratorRef),
}

/// The first of find, extract and generator; an entry with none of them does nothing.
fn set_work(entry: &DataFromEntry) -> Option<Work<'_>> {
    if let Some(find) = &entry.find {
        return Some(Work::Read(Read::Find(find_request(find))));
    }
    if let Some(extract) = &entry.extract {
        return Some(Work::Read(Read::Map(remote_ref(extract))));
    }
    let source = entry.source_ref.as_deref()?;
    source.generator_ref.as_ref().map(Work::Generate)
}

fn value_work(entry: &DataEntry) -> Work<'_> {
    Work::Read(Read::Value(remote_ref(&entry.remote_ref)))
}

fn remote_ref(written: &WrittenRef) -> RemoteRef {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    RemoteRef {
        key: written.key.clone(),
        property: given(&written.property),
        version: given(&written.version),
        metadata: match written.metadata_policy {
            Some(WrittenPolicy::Fetch) => MetadataPolicy::Fetch,
            _ => MetadataPolicy::None,
        },
    }
}

fn find_request(written: &WrittenFind) -> Find {
    Find {
        path: written.path.clone(),
        name: written
            .name
            .as_ref()
            .map(|name| name.regexp.clone().unwrap_or_default()),
        tags: written.tags.clone(),
        conversion: conversion(written.conversion_strategy.as_ref()),
    }
}

pub(super) fn conversion(strategy: Option<&ConversionStrategy>) -> Conversion {
    match strategy {
        Some(ConversionStrategy::Unicode) => Conversion::Unicode,
        _ => Conversion::Default,
    }
}

/// The store of an entry, once every rule admits it.
fn usable_store(
    observed: &Observed<'_>,
    settings: &Settings,
    source: Option<&SourceRef>,
) -> Result<StoreKey, Failure> {
    let object = &observed.object;
    let unnamed = StoreRef::default();
    let own = source.and_then(|source| source.store_ref.as_ref());
    let reference = own
        .or(object.spec.secret_store_ref.as_ref())
        .unwrap_or(&unnamed);
    let key = StoreKey::referenced(reference, namespace(object))
        .map_err(|error| failed(Cause::INVALID_SPEC, error.to_string()))?;
    let Some(store) = observed.stores.store(&key) else {
        return Err(missing_store(&key, source));
    };
    let caller = (namespace(object), observed.namespace_labels.as_deref());
    match admit(&store, caller, settings) {
        Ok(()) => Ok(key),
        Err(refusal) => {
            let retry = refusal.retry();
            let Refusal { cause, text, fault } = refusal;
            let failure = Refusal::explain(fault, failed(cause, text));
            Err(failure.retrying(retry).from_store(key))
        }
    }
}

fn missing_store(key: &StoreKey, source: Option<&SourceRef>) -> Failure {
    let (name, text) = (&key.name, not_found(key));
    let failure = failed(Cause::STORE_NOT_FOUND, text).from_store(key.clone());
    if !name.is_empty() {
        return failure;
    }
    let generator = source.is_some_and(|source| source.generator_ref.is_some());
    failure.advised().with_detail(|_| {
        let text = if generator {
            "generatorRef works in spec.dataFrom only; name a store here"
        } else {
            "no store is named; set spec.secretStoreRef or sourceRef.storeRef"
        };
        text.to_owned()
    })
}

fn failed(cause: Cause, text: String) -> Failure {
    Failure::new(messages::COULD_NOT_GET_DATA, cause, text)
}
