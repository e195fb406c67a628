//! A connection as the rest of the program sees it. Passbolt's resources are only read; a resource has
//! five fields, and no map, as in the original.

use futures_util::stream::{StreamExt as _, TryStreamExt as _, iter};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;

use crate::gate::Gate;
use crate::resource::{self, Resource, field};
use crate::session::Session;

/// How many resources a search reads at the same time.
const AT_ONCE: usize = 8;

/// A connection to a Passbolt server.
pub struct PassboltStore {
    gate: Gate,
}

impl PassboltStore {
    pub(crate) fn new(gate: Gate) -> Self {
        Self { gate }
    }
}

fn unsupported() -> Error {
    Error::unsupported("not implemented")
}

fn wanted(json: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    match reference.wanted_property() {
        Some(property) => field(json, property),
        None => Ok(json.clone()),
    }
}

async fn search(session: &Session, matcher: &NameMatcher) -> Result<SecretMap> {
    let listed: Result<Vec<Resource>> = session.api.get("ListResources", "/resources.json").await;
    let ids = listed
        .map_err(not_absence)?
        .into_iter()
        .map(|listed| listed.id);
    let reads = ids.map(|id| async move {
        let opened = resource::read(session, &id).await?;
        Ok::<_, Error>((id, opened))
    });
    // Names are encrypted, so that every resource has to be read.
    let all: Vec<_> = iter(reads).buffered(AT_ONCE).try_collect().await?;
    let found = all
        .into_iter()
        .filter(|(_, opened)| matcher.matches(&opened.name));
    Ok(found.map(|(id, opened)| (id, opened.json)).collect())
}

impl Store for PassboltStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let session = self.gate.enter().await?;
        let opened = Box::pin(resource::read(&session, &reference.key)).await;
        self.gate.leave(session).await;
        wanted(&opened?.json, reference)
    }

    async fn get_map(&self, _reference: &RemoteRef) -> Result<SecretMap> {
        Err(unsupported())
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        match read {
            Read::Value(reference) => Some(Read::Value(RemoteRef::key(&reference.key))),
            _ => None,
        }
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, |_, _| Err(unsupported()))
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let name = find.name.as_deref().filter(|name| !name.is_empty());
        let Some(name) = name else {
            return Err(Error::invalid_spec("missing: find.name.regexp"));
        };
        // Without these filters more secrets would be copied than somebody asked for.
        if find.tags.is_some() || find.path.is_some() {
            return Err(Error::unsupported("find by path or tags is not supported"));
        }
        let matcher = NameMatcher::new(name)?;
        let session = self.gate.enter().await?;
        let found = Box::pin(search(&session, &matcher)).await;
        self.gate.leave(session).await;
        found
    }

    /// A store is ready once somebody could sign in, which making the connection shows.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Unknown)
    }
}
