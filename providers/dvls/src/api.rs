//! The requests this provider makes and the answers it understands. What a failure means is decided in
//! `error`.

use std::sync::Arc;

use async_lock::OnceCell;
use lockstep_provider_api::http::{
    Answer, Method, Page, RequestBuilder, Tls, encode_component, pages,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::ids::is_uuid;
use lockstep_provider_kit::{Address, Rest, Session, pager};
use serde::Deserialize;
use serde_json::Value;

use crate::auth;
use crate::entry::{Entry, ambiguous};
use crate::error;
use crate::key::{Key, with_vault};
use crate::spec::DvlsSpec;

/// The metric's label.
const PROVIDER: &str = "Devolutions/Server";

/// A connection to a server, and its vault where the store names one.
pub(crate) struct Api {
    anonymous: Rest,
    rest: Rest,
    session: Arc<Session>,
    vault: Option<String>,
    /// Whether the server was asked if the token is still good.
    asked: OnceCell<()>,
}

/// An entry's place.
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
    /// Signs in, so that a refusal shows in the store, and looks for the vault.
    pub(crate) async fn connect(spec: &DvlsSpec, ctx: &Ctx) -> Result<Self> {
        let base = Address::new("serverUrl", &spec.server_url)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        let session = Arc::new(auth::connect(spec, &rest).await?);
        session.token().await.map_err(|error| {
            error.map_message(|text| {
                format!("failed to create DVLS client: login failed \"{text}\"")
            })
        })?;
        let mut api = Self {
            anonymous: rest.clone(),
            rest: rest.signed(Arc::clone(&session)),
            session,
            vault: None,
            asked: OnceCell::new(),
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

    /// Whether the session is good; a token that the server forgot is renewed.
    pub(crate) async fn check(&self) -> Result<()> {
        if !self.is_logged().await? {
            self.session.drop_token(&self.session.token().await?);
            self.session.token().await?;
        }
        Ok(())
    }

    /// The place that a reference means.
    pub(crate) async fn place(&self, key: &str) -> Result<Place> {
        let Some(vault) = &self.vault else {
            let (vault, entry) = with_vault(key)?;
            return Ok(Place { vault, entry });
        };
        let entry = match Key::parse(key)? {
            Key::Id(id) => id,
            Key::Name(name, folder) => self.named(vault, key, &name, &folder).await?,
        };
        Ok(Place {
            vault: vault.clone(),
            entry,
        })
    }

    /// An entry.
    pub(crate) async fn entry(&self, place: &Place) -> Result<Entry> {
        let request = self.rest.get(&place.path());
        let answer = self.send("GetEntry", request).await;
        let answer = answer.map_err(|error| error.context("error while fetching entry"))?;
        answer
            .json()
            .map_err(|error: Error| error.context("failed to unmarshal response body"))
    }

    /// Replaces an entry and reads it again, as upstream's client does.
    pub(crate) async fn update(&self, place: &Place, body: &Value) -> Result<()> {
        let request = self.rest.request(Method::PUT, &place.path()).json(body);
        let sent = self.send("UpdateEntry", request).await;
        sent.map_err(|error| not_absence(error).context("error while updating entry"))?;
        let read = self.entry(place).await;
        let read = read.map_err(|error| {
            not_absence(error).context("update succeeded but failed to fetch updated entry")
        });
        read.map(drop)
    }

    /// Deletes an entry.
    pub(crate) async fn delete(&self, place: &Place) -> Result<()> {
        let request = self.rest.request(Method::DELETE, &place.path());
        let sent = self.send("DeleteEntry", request).await;
        sent.map(drop)
            .map_err(|error| error.context("error while deleting entry"))
    }

    /// Whether a vault is there, to tell a missing entry from a missing vault.
    pub(crate) async fn has_vault(&self, id: &str) -> Result<bool> {
        let vaults = self.vaults().await?;
        Ok(vaults.iter().any(|vault| vault.id.eq_ignore_ascii_case(id)))
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
        let request = || self.rest.get("/api/v1/vault");
        self.list("ListVaults", "vaults", request).await
    }

    async fn named(&self, vault: &str, key: &str, name: &str, folder: &str) -> Result<String> {
        let path = format!("/api/v1/vault/{}/entry", encode_component(vault));
        let request = || {
            let folder = Some(folder).filter(|folder| !folder.is_empty());
            let request = self.rest.get(&path).query("name", name);
            request.query_some("path", folder)
        };
        let listed = self.list("ListEntries", "entries", request).await;
        let listed: Vec<Entry> =
            listed.map_err(|error| error.context(format!("failed to resolve entry {key:?}")))?;
        let below = format!("{folder}\\");
        let is_meant = |entry: &Entry| {
            let at = entry.path.as_deref().unwrap_or_default();
            entry.is_credential() && (folder.is_empty() || at == folder || at.starts_with(&below))
        };
        let hits: Vec<&Entry> = listed.iter().filter(|entry| is_meant(entry)).collect();
        match hits.as_slice() {
            [] => Err(Error::new(
                ErrorKind::NotFound,
                format!("entry {key:?} not found in vault: entry not found"),
            )),
            [one] => Ok(one.id.clone()),
            several => Err(ambiguous(name, several)),
        }
    }

    /// All pages of a list; a 404 is about the vault or the address, never about an entry.
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
            let answer = self.send(call, request).await.map_err(|error| {
                not_absence(error).context(format!("error while fetching {what} (page {page})"))
            })?;
            let listed: Listed<T> = answer.json()?;
            Ok(Page {
                items: listed.data,
                next: (page < listed.total_page).then(|| (page + 1).to_string()),
            })
        });
        all.await
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        self.asked.get_or_try_init(|| self.check()).await?;
        let request = request.build()?;
        let check = error::check(request.uri());
        self.rest.call(call, request, check).await
    }

    async fn is_logged(&self) -> Result<bool> {
        let token = self.session.token().await?;
        let request = self.anonymous.get("/api/is-logged");
        let request = request.secret_header("tokenid", &token).build()?;
        let check = error::check(request.uri());
        let answer = self.anonymous.call("IsLogged", request, check).await;
        let answer = answer.map_err(|error| {
            let error = not_absence(error).context("error while submitting isLogged request");
            error.context("failed to fetch login status")
        })?;
        Ok(answer.expose_body().trim_ascii() != b"false")
    }
}

impl Place {
    fn path(&self) -> String {
        let (vault, entry) = (encode_component(&self.vault), encode_component(&self.entry));
        format!("/api/v1/vault/{vault}/entry/{entry}")
    }
}
