//! The suite's hands: every call of the suite goes through here, is bounded in time and searched
//! for leaked values.

use std::error::Error as StdError;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::patience::within;
use crate::erased::{SharedStore, perform};
use crate::error::{Error, ErrorKind, Result};
use crate::read::{Payload, Read};
use crate::request::{Find, PushItem, PushTarget, Pushed, RemoteRef};
use crate::store::Check;
use crate::value::{SecretMap, SecretValue};

/// A word in every secret the suite uses and in none of its keys.
pub const CANARY: &str = "k7canary0f";
/// The same word as base64 has it, at each of the three positions it can start at.
const ENCODED: [&str; 3] = ["azdjYW5hcnkwZ", "s3Y2FuYXJ5MG", "rN2NhbmFyeTBm"];

/// Texts in which the canary was seen.
#[derive(Clone, Default)]
pub(super) struct Leaks(Arc<Mutex<Vec<String>>>);

impl Leaks {
    /// Looks at everything a result could show.
    pub(super) fn inspect<T: Debug>(&self, call: &str, result: &Result<T>) {
        self.search(call, &format!("{result:?}"));
        let Err(error) = result else { return };
        let mut source: Option<&(dyn StdError + 'static)> = Some(error);
        while let Some(error) = source {
            self.search(call, &format!("{error} {error:?}"));
            source = error.source();
        }
    }

    pub(super) fn found(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    fn search(&self, call: &str, text: &str) {
        if text.contains(CANARY) || ENCODED.iter().any(|form| text.contains(form)) {
            let mut leaks = self.0.lock();
            leaks.push(format!("{call} shows a value: {text}"));
        }
    }
}

/// A store as the suite uses it.
pub(super) struct Probe {
    pub(super) store: SharedStore,
    pub(super) leaks: Leaks,
    pub(super) patience: Duration,
}

impl Probe {
    pub(super) async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.watch("get", self.store.get(reference)).await
    }

    pub(super) async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        self.watch("get_map", self.store.get_map(reference)).await
    }

    pub(super) async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let call = async { Ok(self.store.get_many(references).await) };
        let answers = self.watch("get_many", call).await;
        let answers: Vec<Result<SecretValue>> = answers.unwrap_or_default();
        for answer in &answers {
            self.leaks.inspect("get_many", answer);
        }
        answers
    }

    pub(super) async fn read(&self, read: &Read) -> Result<Payload> {
        self.watch("read", perform(&*self.store, read)).await
    }

    pub(super) fn extract_from(
        &self,
        read: &Read,
        containing: &Result<Payload>,
    ) -> Result<Payload> {
        let part = self.store.extract_from(read, containing);
        self.leaks.inspect("part", &part);
        part
    }

    pub(super) async fn find(&self, find: &Find) -> Result<SecretMap> {
        self.watch("find", self.store.find(find)).await
    }

    pub(super) async fn push(&self, item: &PushItem) -> Result<Pushed> {
        self.watch("push", self.store.push(item)).await
    }

    pub(super) async fn delete(&self, target: &PushTarget) -> Result<()> {
        self.watch("delete", self.store.delete(target)).await
    }

    pub(super) async fn exists(&self, target: &PushTarget) -> Result<bool> {
        self.watch("exists", self.store.exists(target)).await
    }

    pub(super) async fn check(&self) -> Result<()> {
        let call = async {
            match self.store.check().await {
                Check::Healthy(_) => Ok(()),
                Check::Undetermined(error) | Check::Failed(error) => Err(error),
            }
        };
        self.watch("check", call).await
    }

    async fn watch<T: Debug>(
        &self,
        call: &str,
        future: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let ended = within(self.patience, future).await;
        let result = ended.unwrap_or_else(|| {
            let message = format!("{call} hangs: no answer within {:?}", self.patience);
            Err(Error::new(ErrorKind::Internal, message))
        });
        self.leaks.inspect(call, &result);
        result
    }
}
