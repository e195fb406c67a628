//! Writes to stores: pushes, deletions, and the question whether something is there. They pass the
//! store's governor like reads do; nothing is shared and nothing is held.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::{
    ErrorKind, PushItem, PushTarget, Pushed, RemoteRef, Result, SharedStore,
};

use super::probe_read::{ProbeRead, call};
use super::{ReadRequest, RemoteClient};

/// A store, and for whom it is written to.
#[derive(Clone, Copy)]
pub struct RemoteStore<'a> {
    /// The store.
    pub store: &'a Arc<StoreRecord>,
    /// Namespace of the object that pushes.
    pub caller: &'a str,
}

impl RemoteClient {
    /// Pushes a value.
    pub async fn push(&self, remote: RemoteStore<'_>, item: &PushItem) -> Result<Pushed> {
        if self.rehearse_push(remote, item).await.is_some() {
            return Ok(Pushed::Unchanged);
        }
        let push = |store: SharedStore| -> BoxFuture<'_, Result<Pushed>> {
            Box::pin(async move { store.push(item).await })
        };
        self.call(remote, ("push", &item.target), push).await
    }

    /// Deletes what was pushed. What is absent already is deleted.
    pub async fn delete(&self, remote: RemoteStore<'_>, target: &PushTarget) -> Result<()> {
        if self.rehearse_delete(remote, target).await.is_some() {
            return Ok(());
        }
        let delete = |store: SharedStore| -> BoxFuture<'_, Result<()>> {
            Box::pin(async move { store.delete(target).await })
        };
        match self.call(remote, ("delete", target), delete).await {
            Err(error) if *error.kind() == ErrorKind::NotFound => Ok(()),
            answer => answer,
        }
    }

    /// Whether something is there.
    pub async fn exists(&self, remote: RemoteStore<'_>, target: &PushTarget) -> Result<bool> {
        let exists = |store: SharedStore| -> BoxFuture<'_, Result<bool>> {
            Box::pin(async move { store.exists(target).await })
        };
        self.call(remote, ("exists", target), exists).await
    }

    async fn call<'i, T>(
        &self,
        RemoteStore { store, caller }: RemoteStore<'_>,
        (name, target): (&'static str, &PushTarget),
        perform: impl Fn(SharedStore) -> BoxFuture<'i, Result<T>>,
    ) -> Result<T> {
        // Should the store be out of reach, it is probed by a read of the same place.
        let read = Read::Value(RemoteRef::key(&target.remote_key));
        let request = ReadRequest {
            store,
            caller,
            object: None,
            read: &read,
            asked: self.time.now(),
        };
        let connected = self.connect(request).await?;
        let governor = self.governor(&store.key);
        let call = call(caller, connected.caller.as_deref(), &read);
        let probe = || ProbeRead::of(request);
        let permit = governor.admit(call, &*self.time, probe).await?;
        let mut answer = perform(Arc::clone(&connected.store)).await;
        if let Err(error) = &answer
            && error.consequence().drops_connection
        {
            self.connections.drop_one(&connected);
            if *error.kind() == ErrorKind::Unauthenticated {
                // The credential may have been rotated since the connection was made: once more.
                answer = match self.connections.open(store, Some(caller)).await {
                    Ok(again) => perform(again.store).await,
                    Err(error) => Err(error),
                };
            }
        }
        let failure = answer.as_ref().err();
        self.calls.count(&store.key, caller, name, failure);
        self.finish_call(&governor, permit, failure, || ProbeRead::of(request));
        answer
    }
}
