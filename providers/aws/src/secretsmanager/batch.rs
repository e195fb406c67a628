//! Reading many secrets at once. A batch holds current values only and needs a right of its own;
//! where that is missing, secrets are read one by one and the batch is not tried again for a while.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_secretsmanager::types::SecretValueEntry;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use lockstep_provider_api::prelude::*;

use super::read::Stored;
use super::refusals::Right;
use super::{BATCH, SecretsManager};

/// Single reads at once.
const AT_ONCE: usize = 8;

/// What is read: a secret and a version of it.
type Item = (String, Option<String>);

impl SecretsManager {
    /// Reads every secret once, however many of its properties are wanted.
    pub(crate) async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let items: Vec<_> = references.iter().map(|one| self.item(one)).collect();
        let distinct: BTreeSet<_> = items.iter().flatten().flatten().cloned().collect();
        let mut answers = self.read_batches(&distinct).await;
        let mut single: Vec<BoxFuture<'_, _>> = Vec::new();
        for item in distinct.iter().filter(|item| !answers.contains_key(*item)) {
            single.push(Box::pin(async move {
                let answer = self.read(&item.0, item.1.as_deref()).await;
                (item.clone(), answer)
            }));
        }
        let single: Vec<_> = stream::iter(single)
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        answers.extend(single);
        let mut values = Vec::with_capacity(references.len());
        for (reference, item) in references.iter().zip(items) {
            values.push(match item {
                Err(error) => Err(error),
                Ok(None) => self.get(reference).await,
                Ok(Some(item)) => match answers.get(&item) {
                    Some(Ok(stored)) => stored.clone().wanted(reference),
                    Some(Err(error)) => Err(error.duplicate()),
                    None => Err(Error::not_found()),
                },
            });
        }
        values
    }

    /// What to read for a reference; `None` for tags, which no batch has.
    fn item(&self, reference: &RemoteRef) -> Result<Option<Item>> {
        if reference.metadata == MetadataPolicy::Fetch {
            return Ok(None);
        }
        let version = reference.version.clone();
        let version = version.filter(|version| !version.is_empty());
        Ok(Some((self.id(&reference.key)?, version)))
    }

    /// The current values that batches gave. What is not among them is read by itself, which also
    /// tells why it failed.
    async fn read_batches(&self, items: &BTreeSet<Item>) -> BTreeMap<Item, Result<Stored>> {
        let mut answers = BTreeMap::new();
        let current: Vec<&str> = items
            .iter()
            .filter(|(_, version)| version.is_none())
            .map(|(id, _)| id.as_str())
            .collect();
        if current.len() < 2 {
            return answers;
        }
        for ids in current.chunks(BATCH) {
            let entries = match self.read_batch(ids).await {
                Ok(entries) => entries,
                // Asking for each of them would only meet the same trouble again.
                Err(error) => {
                    for id in ids {
                        answers.insert(((*id).to_owned(), None), Err(error.duplicate()));
                    }
                    continue;
                }
            };
            for entry in entries {
                let names = [entry.name(), entry.arn()].into_iter().flatten();
                let id = names.into_iter().find(|name| ids.contains(name));
                if let Some(id) = id.map(str::to_owned) {
                    answers.insert((id, None), Ok(stored(entry)));
                }
            }
        }
        answers
    }

    /// One batch; nothing where it is refused or spoilt by one of its ids.
    async fn read_batch(&self, ids: &[&str]) -> Result<Vec<SecretValueEntry>> {
        let (who, now) = (self.caller.sign_in.fingerprint(), self.caller.ctx.now());
        if self.refusals.knows(Right::Batch, who, now) {
            return Ok(Vec::new());
        }
        let send = || {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            let request = self.client.batch_get_secret_value();
            request.set_secret_id_list(Some(ids)).send()
        };
        let subject = ids.join(", ");
        match self
            .caller
            .call("BatchGetSecretValue", &subject, send)
            .await
        {
            Ok(answer) => Ok(answer.secret_values.unwrap_or_default()),
            Err(failure) if failure.is_denied() => {
                self.refusals.note(Right::Batch, who, now);
                Ok(Vec::new())
            }
            Err(failure) => match failure.error.kind() {
                ErrorKind::Throttled | ErrorKind::Unreachable | ErrorKind::Unauthenticated => {
                    Err(failure.error)
                }
                // One bad id may spoil the whole batch.
                _ => Ok(Vec::new()),
            },
        }
    }
}

/// The value of one entry of a batch.
pub(super) fn stored(entry: SecretValueEntry) -> Stored {
    Stored {
        text: entry.secret_string.map(SecretValue::from),
        binary: entry
            .secret_binary
            .map(|blob| SecretValue::new(blob.into_inner())),
    }
}
