//! Carries pushes and deletions out. Stores are worked on at once, and so are the places in a store;
//! entries for the same place go one after another, because providers read before they write.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use lockstep_api::push_secret::PushUpdatePolicy;
use lockstep_plan::push_secret::{
    Done, Entry, Observed, PushPlan, Recorded, Resolved, SourceRef, StorePush, deletable,
    delete_failed, deletion_failed, exists_unknown, places, push_failed, source, unfinished,
};
use lockstep_plan::{Failure, StoreKey};
use lockstep_provider_api::Error;
use lockstep_remote::RemoteStore;

use super::world::PushSecretWorld;
use super::{Reconciler, namespace};

/// Stores worked on at once, and places of one store.
const AT_ONCE: usize = 8;

impl<W: PushSecretWorld> Reconciler<'_, W> {
    /// Pushes everything; the outcomes are those of every store's entries, in order.
    pub(super) async fn push_all(
        &self,
        observed: &Observed<'_>,
        plan: &PushPlan,
        until: Timestamp,
    ) -> Vec<Vec<Done>> {
        let mut stores: Vec<BoxFuture<'_, Vec<Done>>> = Vec::with_capacity(plan.stores.len());
        for push in &plan.stores {
            stores.push(Box::pin(self.push_store(observed, push, until)));
        }
        stream::iter(stores).buffered(AT_ONCE).collect().await
    }

    async fn push_store(
        &self,
        observed: &Observed<'_>,
        push: &StorePush,
        until: Timestamp,
    ) -> Vec<Done> {
        let entries = push.entries.as_deref().unwrap_or_default();
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let place = entry.data.match_.remote_ref.remote_key.as_str();
            places.entry(place).or_default().push(at);
        }
        let mut work: Vec<BoxFuture<'_, Vec<(usize, Done)>>> = Vec::with_capacity(places.len());
        for order in places.into_values() {
            work.push(Box::pin(async move {
                let mut done = Vec::with_capacity(order.len());
                for (at, entry) in order
                    .into_iter()
                    .filter_map(|at| Some((at, entries.get(at)?)))
                {
                    let one = self.push_one(observed, &push.store, entry, until);
                    done.push((at, one.await));
                }
                done
            }));
        }
        let done: Vec<Vec<(usize, Done)>> = stream::iter(work).buffered(AT_ONCE).collect().await;
        let done: BTreeMap<usize, Done> = done.into_iter().flatten().collect();
        done.into_values().collect()
    }

    async fn push_one(
        &self,
        observed: &Observed<'_>,
        store: &StoreKey,
        entry: &Entry,
        until: Timestamp,
    ) -> Done {
        let item = match &entry.item {
            Ok(item) => item,
            Err(failure) => return Done::Failed(failure.clone()),
        };
        if self.remote.connections().now() > until {
            return Done::Failed(unfinished(store));
        }
        let Some(record) = observed.stores.record(store) else {
            return Done::Failed(push_failed(store, &entry.data, &gone(store)));
        };
        let remote = RemoteStore {
            store: &record,
            caller: namespace(&observed.object),
        };
        if *observed.object.spec.update_policy() == PushUpdatePolicy::IfNotExists {
            match self.remote.exists(remote, &item.target).await {
                Ok(true) => return Done::Existed,
                Ok(false) => {}
                Err(error) => return Done::Failed(exists_unknown(store, &error)),
            }
        }
        match self.remote.push(remote, item).await {
            Ok(pushed) => {
                tracing::debug!(%store, entry = %entry.id, ?pushed, "pushed");
                Done::Written
            }
            Err(error) => Done::Failed(push_failed(store, &entry.data, &error)),
        }
    }

    /// Where nothing is replaced and a generator would make the values: whether everything is there
    /// already, so that none need be made.
    pub(super) async fn all_exist(
        &self,
        observed: &Observed<'_>,
        stores: &Resolved,
        until: Timestamp,
    ) -> Option<(PushPlan, Vec<Vec<Done>>)> {
        let object = &observed.object;
        let keeps = *object.spec.update_policy() == PushUpdatePolicy::IfNotExists;
        let generates = matches!(source(object), Some(SourceRef::Generator(_)));
        let plan = places(observed, &stores.ours).filter(|_| keeps && generates)?;
        let mut done = Vec::with_capacity(plan.stores.len());
        for push in &plan.stores {
            let record = observed.stores.record(&push.store)?;
            let remote = RemoteStore {
                store: &record,
                caller: namespace(object),
            };
            let mut existed = Vec::new();
            for entry in push.entries.as_deref().unwrap_or_default() {
                let item = entry.item.as_ref().ok()?;
                let there = self.remote.exists(remote, &item.target).await.ok()?;
                if !there || self.remote.connections().now() > until {
                    return None;
                }
                existed.push(Done::Existed);
            }
            done.push(existed);
        }
        Some((plan, done))
    }

    /// Deletes recorded secrets; returns those that are still there and the first failure.
    pub(super) async fn delete_all(
        &self,
        observed: &Observed<'_>,
        recorded: Vec<Recorded>,
    ) -> (Vec<Recorded>, Option<Failure>) {
        let (mut kept, mut first) = (Vec::new(), None);
        for one in recorded {
            if let Err(failure) = self.delete_one(observed, &one).await {
                first.get_or_insert(failure);
                kept.push(one);
            }
        }
        (kept, first)
    }

    async fn delete_one(
        &self,
        observed: &Observed<'_>,
        recorded: &Recorded,
    ) -> Result<(), Failure> {
        let word = recorded.word.as_str();
        let unusable = |text: &str| deletion_failed(word, recorded.store.as_ref(), text);
        let Some(store) = &recorded.store else {
            return Err(unusable("the record names no kind of store"));
        };
        deletable(observed, store, self.settings).map_err(|text| unusable(&text))?;
        let record = observed.stores.record(store);
        let record = record.ok_or_else(|| unusable("the store is gone"))?;
        let remote = RemoteStore {
            store: &record,
            caller: namespace(&observed.object),
        };
        let deleted = self.remote.delete(remote, &recorded.target).await;
        deleted.map_err(|error| delete_failed(store, &error))
    }
}

fn gone(store: &StoreKey) -> Error {
    Error::invalid_spec(format!("{store} is gone"))
}
