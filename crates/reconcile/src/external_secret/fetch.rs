//! Runs a fetch list: every item through the shared reads or its generator, several at once, answers
//! in the order of the list. Decides nothing about what an answer means.

mod fetched;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use lockstep_api::ExternalSecret;
use lockstep_generators::{Maker, lookup};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{
    FetchList, Observed, Payload, Read, Source, SpecEntry, is_absent,
};
use lockstep_plan::generator_state::StateOwner;
use lockstep_provider_api::{Error, Result, SecretMap};
use lockstep_remote::{GroupKey, ReadReply, ReadRequest, RemoteClient};
use lockstep_scheduling::groups::Taken;

use super::world::ExternalSecretWorld;
use super::{Reconciler, namespace};
use crate::generator_states::{self, For};
use crate::generators;
use crate::world::Generator;

pub(super) use fetched::Fetched;
use fetched::{Item, within_bounds};

/// Reads of one object that run at once.
const AT_ONCE: usize = 8;

/// An item of a list with all that is needed to answer it.
enum Prepared<'a> {
    /// A store is read.
    Read(&'a StoreKey, &'a Read),
    /// The generator of that name makes it.
    Make(&'a str, Result<Generator>),
}

impl Prepared<'_> {
    /// Whether a generator is to make it that names another controller class. One that could not be
    /// read says nothing.
    fn is_foreign_to(&self, class: &str) -> bool {
        matches!(self, Self::Make(_, Ok(generator)) if generator.is_foreign_to(class))
    }

    /// Whether what a generator makes must be taken back.
    fn keeps_state(&self) -> bool {
        let Self::Make(_, Ok(generator)) = self else {
            return false;
        };
        let entry = lookup(&generator.kind).map(lockstep_provider_api::GeneratorEntry::maker);
        matches!(entry, Ok(Maker::Remote(maker)) if maker.keeps_state())
    }
}

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Answers a list; `None` when it names a generator of another controller class. Stores are read
    /// first, and generators run only when no read failed, so that a failing store does not have
    /// credentials made and taken back at every try.
    pub(super) async fn fetch(&self, observed: &Observed<'_>, list: &FetchList) -> Option<Fetched> {
        let prepared = self.prepare(list, namespace(&observed.object)).await;
        let class = &self.settings.class;
        if prepared.iter().any(|item| item.is_foreign_to(class)) {
            return None;
        }
        let mut all: Vec<Option<Item>> = prepared.iter().map(|_| None).collect();
        let mut items: Vec<BoxFuture<'_, (usize, Item)>> = Vec::new();
        for (at, item) in prepared.iter().enumerate() {
            if let Prepared::Read(key, read) = item {
                let read = read_one(self.remote, observed, key, read);
                items.push(Box::pin(async move { (at, read.await) }));
            }
        }
        let mut answers = stream::iter(items).buffered(AT_ONCE);
        let (mut bytes, mut failed) = (0usize, false);
        while let Some((at, one)) = answers.next().await {
            let one = within_bounds(one, &mut bytes);
            failed |= matches!(&one.answer, Err(error) if !is_absent(&observed.object, error));
            all[at] = Some(one);
        }
        // What must be taken back is made last: whatever fails before costs no credential.
        let mut makes: Vec<usize> = (0..prepared.len())
            .filter(|at| all[*at].is_none())
            .collect();
        makes.sort_by_key(|at| prepared[*at].keeps_state());
        for at in makes {
            let Prepared::Make(name, generator) = &prepared[at] else {
                continue;
            };
            let made = if failed {
                // The run fails for another entry, whose error is the one to tell.
                Item::alone(Ok(Payload::Map(SecretMap::new())))
            } else {
                let key = state_key(list, at);
                let one = self.make_one(generator, name, (&observed.object, &key));
                within_bounds(one.await, &mut bytes)
            };
            failed |= made.answer.is_err();
            all[at] = Some(made);
        }
        Some(all.into_iter().flatten().collect())
    }

    /// Reads the generators that `list` names, for an object of `namespace`.
    async fn prepare<'a>(&self, list: &'a FetchList, namespace: &str) -> Vec<Prepared<'a>> {
        let mut prepared = Vec::with_capacity(list.items.len());
        for item in &list.items {
            prepared.push(match &item.source {
                Source::Store { key, read } => Prepared::Read(key, read),
                Source::Generator(reference) => {
                    let read = generators::read(reference, namespace, self.world).await;
                    Prepared::Make(&reference.name, read)
                }
            });
        }
        prepared
    }

    async fn make_one(
        &self,
        generator: &Result<Generator>,
        name: &str,
        (object, key): (&ExternalSecret, &str),
    ) -> Item {
        let generator = match generator {
            Ok(generator) => generator,
            Err(error) => return Item::alone(Err(error.duplicate())),
        };
        let wanted = For {
            owner: StateOwner {
                api_version: ExternalSecret::API_VERSION,
                kind: ExternalSecret::KIND,
                metadata: &object.metadata,
            },
            key,
            keeps_states: self.settings.generator_states,
        };
        let edges = (self.world, &**self.remote);
        match generator_states::make(generator, name, wanted, edges).await {
            Ok(made) => Item {
                stored: made.stored,
                expires: made.expires,
                ..Item::alone(Ok(Payload::Map(made.values)))
            },
            Err(error) => Item::alone(Err(error)),
        }
    }
}

/// The key that states of an item's entry are found by.
fn state_key(list: &FetchList, at: usize) -> String {
    match list.items.get(at).map(|item| item.entry) {
        Some(SpecEntry::DataFrom(entry) | SpecEntry::Data(entry)) => entry.to_string(),
        None => String::new(),
    }
}

async fn read_one(
    remote: &Arc<RemoteClient>,
    observed: &Observed<'_>,
    key: &StoreKey,
    read: &Read,
) -> Item {
    let Some(store) = observed.stores.record(key) else {
        return Item::alone(Err(Error::invalid_spec(format!("{key} is gone"))));
    };
    let request = ReadRequest {
        store: &store,
        caller: namespace(&observed.object),
        object: observed.object.metadata.name.as_deref(),
        read,
        asked: observed.asked,
    };
    let ReadReply { answer, outcome } = match remote.read(request).await {
        Ok(reply) => reply,
        Err(error) => return Item::alone(Err(error)),
    };
    Item {
        taken: answer.conclusive.then(|| Taken {
            group: GroupKey::clone(&answer.group),
            fingerprint: answer.fingerprint,
            read_at: answer.read_at,
        }),
        held: Some(answer),
        ..Item::alone(outcome)
    }
}
