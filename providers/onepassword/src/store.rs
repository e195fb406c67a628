//! The connection to the vaults of a store. Each operation finds the item, takes a pure step from
//! another file, and makes at most one write.

use std::time::Duration;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::error::{Missing, is_missing};
use crate::item::Item;
use crate::lookup::{Vaults, item_error};
use crate::push::{self, PushMetadata};
use crate::read::{self, Wanted};

/// How often and how long a write is waited for; Connect answers before the item can be found.
const WAIT: Duration = Duration::from_millis(500);
const WAITS: usize = 10;

/// A store with its token.
#[derive(Debug)]
pub struct OnepasswordStore {
    vaults: Vaults,
}

impl OnepasswordStore {
    pub(crate) fn new(vaults: Vaults) -> Self {
        Self { vaults }
    }

    async fn value(&self, item: &Item, property: &str) -> Result<SecretValue> {
        match Wanted::of(item, property) {
            Wanted::Field(label) => read::field(item, label),
            Wanted::File(name) => {
                let file = read::file(item, name)?;
                self.vaults.connect.content(file).await
            }
        }
    }

    async fn map(&self, item: &Item, property: &str) -> Result<SecretMap> {
        let name = match Wanted::of(item, property) {
            Wanted::Field(label) => return read::fields(item, label),
            Wanted::File(name) => name,
        };
        let mut contents = SecretMap::new();
        let files = item.files();
        for file in files.filter(|file| name.is_empty() || file.name() == name) {
            let content = self.vaults.connect.content(file).await?;
            contents.insert(file.name().to_owned(), content);
        }
        Ok(contents)
    }

    /// Adds what a search finds in an item. The first value of a name wins.
    async fn collect(
        &self,
        listed: &Item,
        matcher: Option<&NameMatcher>,
        found: &mut SecretMap,
    ) -> Result<()> {
        let wanted = |name: &str| matcher.is_none_or(|matcher| matcher.matches(name));
        for file in listed.files().filter(|file| wanted(file.name())) {
            if found.get(file.name()).is_none() {
                let content = self.vaults.connect.content(file).await?;
                found.insert(file.name().to_owned(), content);
            }
        }
        let item = self.vaults.connect.item(listed.vault(), listed.id()).await;
        let item = item.map_err(item_error)?;
        for field in item.fields() {
            let value = read::labelled(&item, field.label())?;
            if wanted(field.label()) && found.get(field.label()).is_none() {
                found.insert(field.label().to_owned(), value);
            }
        }
        Ok(())
    }

    async fn create(&self, item: &PushItem) -> Result<()> {
        let create = async {
            let metadata = PushMetadata::parse(item.metadata.as_ref())?;
            let vault = metadata.vault(self.vaults.ordered())?;
            let new = push::created(item, vault, &metadata)?;
            let id = self.vaults.id(vault).await?;
            self.vaults.connect.create(&id, &new).await
        };
        let created: Result<()> = create.await;
        created.map_err(|error| error.context("error creating 1Password Item"))?;
        self.await_item(item, |_| true).await
    }

    async fn update(&self, item: &PushItem, old: &Item) -> Result<Pushed> {
        let metadata = PushMetadata::parse(item.metadata.as_ref())?;
        let failed = |error: Error| error.context("error updating 1Password Item");
        let new = push::updated(old, item, &metadata).map_err(failed)?;
        // As upstream, also where nothing changes.
        self.vaults.connect.update(&new).await.map_err(failed)?;
        if &new == old {
            return Ok(Pushed::Unchanged);
        }
        let (label, value) = (push::label(&item.target), push::text(item)?);
        let has_value = |found: &Item| {
            let mut fields = found.fields();
            fields.any(|field| field.label() == label && field.value() == value.into())
        };
        let waited = self.await_item(item, has_value).await;
        waited.map_err(|error| error.context("failed waiting for label update"))?;
        Ok(Pushed::Updated)
    }

    /// Waits until an item can be found as it was written, or the next push would make a second one.
    async fn await_item(
        &self,
        item: &PushItem,
        is_there: impl Fn(&Item) -> bool + Send + Sync,
    ) -> Result<()> {
        let key = &item.target.remote_key;
        let mut last = String::new();
        for wait in 0..=WAITS {
            if wait > 0 {
                self.vaults.connect.ctx.time().sleep(WAIT).await;
            }
            match self.vaults.find(key).await {
                Ok(found) if is_there(&found) => return Ok(()),
                Ok(_) => last = format!("the item {key:?} does not have the new value yet"),
                Err(error) => last = error.to_string(),
            }
        }
        Err(Error::unreachable(format!(
            "timeout to wait for function to run successfully; last error was: {last}"
        )))
    }
}

impl Store for OnepasswordStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        refuse_version(reference)?;
        let item = self.vaults.find(&reference.key).await?;
        self.value(&item, property(reference)).await
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        refuse_version(reference)?;
        let item = self.vaults.find(&reference.key).await?;
        self.map(&item, property(reference)).await
    }

    /// The item as JSON, a document with the contents of its files.
    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let mut item = self.vaults.find(&reference.key).await?;
        if item.is_document() {
            let mut contents = Vec::new();
            for file in item.files() {
                contents.push(self.vaults.connect.content(file).await?);
            }
            for (place, content) in contents.iter().enumerate() {
                item.set_content(place, content);
            }
        }
        let json = serde_json::to_vec(&item);
        let json = json.map_err(|_| Error::invalid_data("the item has no JSON form"))?;
        Ok(SecretValue::new(json))
    }

    /// All fields of an item come with one read of it. A file that is asked for by its prefix is read
    /// by itself, because an item that is no document does not bring its files.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        let is_file = matches!(Wanted::told(property(reference)), Some(Wanted::File(_)));
        if is_file || reference.wanted_version().is_some() {
            return None;
        }
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let raw = match containing {
            Ok(Payload::Value(raw)) => raw,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        let item: Item = serde_json::from_slice(raw.expose()).map_err(|_| mismatch())?;
        let content = |file: crate::item::File<'_>| file.content().ok_or_else(mismatch);
        match read {
            Read::Raw(_) => Ok(Payload::Value(raw.clone())),
            Read::Value(reference) => match Wanted::of(&item, property(reference)) {
                Wanted::Field(label) => read::field(&item, label).map(Payload::Value),
                Wanted::File(name) => content(read::file(&item, name)?).map(Payload::Value),
            },
            Read::Map(reference) => match Wanted::of(&item, property(reference)) {
                Wanted::Field(label) => read::fields(&item, label).map(Payload::Map),
                Wanted::File(name) => {
                    let files = item.files();
                    let files = files.filter(|file| name.is_empty() || file.name() == name);
                    let named = files.map(|file| Ok((file.name().to_owned(), content(file)?)));
                    named.collect::<Result<SecretMap>>().map(Payload::Map)
                }
            },
            Read::Find(_) => Err(mismatch()),
        }
    }

    /// Searches the fields and files of items by their names. As upstream, tags look into the first
    /// vault alone, and a path, which is a title, does not go together with them.
    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let mut found = SecretMap::new();
        for name in self.vaults.ordered() {
            let vault = self.vaults.id(name).await?;
            let listed = self.vaults.connect.items(&vault, None).await;
            for item in listed.map_err(item_error)? {
                let wanted = match (&find.tags, &find.path) {
                    (Some(tags), _) => tags.keys().all(|tag| item.has_tag(tag)),
                    (None, Some(path)) => path == item.title(),
                    (None, None) => true,
                };
                if wanted {
                    self.collect(&item, matcher.as_ref(), &mut found).await?;
                }
            }
            if find.tags.is_some() {
                break;
            }
        }
        Ok(found)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::text(item)?;
        match self.vaults.find(&item.target.remote_key).await {
            Ok(old) => self.update(item, &old).await,
            Err(error) if is_missing(&error, Missing::Item) => {
                self.create(item).await?;
                Ok(Pushed::Created)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes the field out, and the item with its last one.
    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let old = match self.vaults.find(&target.remote_key).await {
            Ok(old) => old,
            Err(error) if is_missing(&error, Missing::Item) => return Ok(()),
            Err(error) => return Err(error),
        };
        let new = push::without(&old, push::label(target));
        let new = new.map_err(|error| error.context("error updating 1Password Item"))?;
        let done = if new.is_hollow() {
            self.vaults.connect.delete(&old).await
        } else if new == old {
            Ok(())
        } else {
            self.vaults.connect.update(&new).await
        };
        match done {
            Err(error) if is_missing(&error, Missing::Path) => Ok(()),
            done => done.map_err(|error| error.context("error deleting 1Password Item")),
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let item = match self.vaults.find(&target.remote_key).await {
            Ok(item) => item,
            Err(error) if is_missing(&error, Missing::Item) => return Ok(false),
            Err(error) => return Err(error),
        };
        let Some(property) = target.wanted_property() else {
            return Ok(true);
        };
        let found = item.fields().any(|field| field.label() == property);
        Ok(found)
    }

    async fn check(&self) -> Check {
        match self.vaults.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

fn property(reference: &RemoteRef) -> &str {
    reference.wanted_property().unwrap_or_default()
}

fn refuse_version(reference: &RemoteRef) -> Result<()> {
    if reference.wanted_version().is_none() {
        return Ok(());
    }
    Err(Error::unsupported(
        "'remoteRef.version' is not implemented in the 1Password provider",
    ))
}
