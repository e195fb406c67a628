//! The requests this provider makes and the answers it understands. What a failure means is decided in
//! `error`.

use std::collections::BTreeSet;

use lockstep_provider_api::http::{Method, Page, RequestBuilder, encode_component, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::ids::is_uuid;
use lockstep_provider_kit::pager;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use crate::client::Client;
use crate::entry::{Entry, ambiguous};
use crate::key::{Key, with_vault};
use crate::spec::DvlsSpec;

/// A connection to a server, and its vault where the store names one.
pub(crate) struct Api {
    client: Client,
    vault: Option<String>,
    /// Places of entries that were read.
    seen: Mutex<BTreeSet<Place>>,
}

/// An entry's place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) vault: String,
    pub(crate) entry: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed<T> {
    #[serde(default = "Vec::new")]
    data: Vec<T>,
    #[serde(default)]
    total_page: usize,
}

#[derive(Deserialize)]
struct Vault {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
}

impl Api {
    /// Signs in and looks for the vault.
    pub(crate) async fn connect(spec: &DvlsSpec, ctx: &Ctx) -> Result<Self> {
        let mut api = Self {
            client: Client::connect(spec, ctx).await?,
            vault: None,
            seen: Mutex::default(),
        };
        api.vault = match spec.vault() {
            "" => None,
            id if is_uuid(id) => Some(id.to_owned()),
            name => Some(api.vault_named(name).await.map_err(|error| {
                let error = not_absence(error).context(format!("failed to resolve vault {name:?}"));
                error.context("failed to resolve vault")
            })?),
        };
        Ok(api)
    }

    /// Whether the application can sign in.
    pub(crate) async fn check(&self) -> Result<()> {
        self.client.check().await
    }

    /// The place that a reference means; `None` where its vault has no entry of the name. A vault that
    /// the server does not find is [`ErrorKind::NotFound`].
    pub(crate) async fn place(&self, key: &str) -> Result<Option<Place>> {
        let Some(vault) = &self.vault else {
            let (vault, entry) = with_vault(key)?;
            return Ok(Some(Place { vault, entry }));
        };
        let entry = match Key::parse(key)? {
            Key::Id(id) => Some(id),
            Key::Name(name, folder) => {
                let listed = self.entries(vault, &name, &folder).await;
                let listed = listed.map_err(|error| {
                    error.context(format!("failed to resolve entry {:?}", key.trim()))
                })?;
                one_of(&name, &listed)?
            }
        };
        let vault = vault.clone();
        Ok(entry.map(|entry| Place { vault, entry }))
    }

    /// An entry.
    pub(crate) async fn entry(&self, place: &Place) -> Result<Entry> {
        let request = self.client.request(Method::GET, &place.path());
        let answer = self.client.send("GetEntry", request).await;
        let answer = answer.map_err(|error| error.context("error while fetching entry"))?;
        let entry: Result<Entry> = answer.json();
        let entry = entry.and_then(Entry::known);
        let entry = entry.map_err(|error| error.context("failed to unmarshal response body"))?;
        self.seen.lock().insert(place.clone());
        Ok(entry)
    }

    /// Replaces an entry and reads it again, as upstream's client does.
    pub(crate) async fn update(&self, place: &Place, body: &Value) -> Result<()> {
        let request = self.client.request(Method::PUT, &place.path()).json(body);
        let sent = self.client.send("UpdateEntry", request).await;
        sent.map_err(|error| not_absence(error).context("error while updating entry"))?;
        let read = self.entry(place).await;
        let read = read.map_err(|error| {
            not_absence(error).context("update succeeded but failed to fetch updated entry")
        });
        read.map(drop)
    }

    /// Deletes an entry.
    pub(crate) async fn delete(&self, place: &Place) -> Result<()> {
        let request = self.client.request(Method::DELETE, &place.path());
        let sent = self.client.send("DeleteEntry", request).await;
        sent.map(drop)
            .map_err(|error| error.context("error while deleting entry"))
    }

    /// Whether the vault of a missing entry is gone, too. Vaults are listed only where this connection
    /// read the entry before; upstream never lists them for this.
    pub(crate) async fn lost_vault(&self, place: &Place) -> Result<bool> {
        if !self.seen.lock().contains(place) {
            return Ok(false);
        }
        let vaults = self.vaults().await.map_err(not_absence)?;
        let mut ids = vaults.iter().map(|vault| &vault.id);
        Ok(!ids.any(|id| id.eq_ignore_ascii_case(&place.vault)))
    }

    async fn vault_named(&self, name: &str) -> Result<String> {
        let vaults = self.vaults().await?;
        let mut hits = vaults.into_iter().filter(|vault| vault.name == name);
        match (hits.next(), hits.next()) {
            (Some(vault), None) => Ok(vault.id),
            (None, _) => Err(Error::invalid_spec("vault not found")),
            (Some(_), Some(_)) => Err(Error::invalid_spec("multiple vaults found")),
        }
    }

    async fn vaults(&self) -> Result<Vec<Vault>> {
        let request = || self.client.request(Method::GET, "/api/v1/vault");
        self.list("ListVaults", "vaults", request).await
    }

    /// The credentials of a name in a folder or below it.
    async fn entries(&self, vault: &str, name: &str, folder: &str) -> Result<Vec<Entry>> {
        let path = format!("/api/v1/vault/{}/entry", encode_component(vault));
        let request = || {
            let folder = Some(folder).filter(|folder| !folder.is_empty());
            let request = self.client.request(Method::GET, &path);
            request.query("name", name).query_some("path", folder)
        };
        let listed: Vec<Entry> = self.list("ListEntries", "entries", request).await?;
        let below = format!("{folder}\\");
        let is_meant = |entry: &Entry| {
            let at = entry.path.as_deref().unwrap_or_default();
            entry.is_credential() && (folder.is_empty() || at == folder || at.starts_with(&below))
        };
        Ok(listed.into_iter().filter(is_meant).collect())
    }

    /// All pages of a list.
    async fn list<T: serde::de::DeserializeOwned>(
        &self,
        call: &'static str,
        what: &str,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<Vec<T>> {
        let request = &request;
        let all = pages(|token| async move {
            let page = pager::page_number(token.as_deref());
            let request = request().query("page", &page.to_string());
            let answer = self.client.send(call, request).await.map_err(|error| {
                error.context(format!("error while fetching {what} (page {page})"))
            })?;
            let listed: Listed<T> = answer.json()?;
            Ok(Page {
                items: listed.data,
                next: (page < listed.total_page).then(|| (page + 1).to_string()),
            })
        });
        all.await
    }
}

/// The id of the only entry there is.
fn one_of(name: &str, entries: &[Entry]) -> Result<Option<String>> {
    match entries {
        [] => Ok(None),
        [one] => Ok(Some(one.id.clone())),
        several => Err(ambiguous(name, several)),
    }
}

impl Place {
    fn path(&self) -> String {
        let (vault, entry) = (encode_component(&self.vault), encode_component(&self.entry));
        format!("/api/v1/vault/{vault}/entry/{entry}")
    }
}
