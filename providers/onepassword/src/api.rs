//! The requests to a Connect server: vaults, items, and the contents of files. Which vault and which
//! item is meant is decided elsewhere.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response};
use lockstep_provider_api::http::{HttpClient, Tls, encode_component};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::error;
use crate::item::{File, Item};

/// Waits before a refused authorization is tried again; upstream's.
const RETRIES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];
/// Header in which a Connect server says its version, and the first that serves files.
const VERSION: &str = "1Password-Connect-Version";
const FIRST_WITH_FILES: [u64; 3] = [1, 3, 0];

/// A Connect server and the token for it.
pub(crate) struct Connect {
    http: HttpClient,
    host: String,
    token: SecretValue,
    pub(crate) ctx: Ctx,
}

/// A vault, as far as it matters here.
#[derive(Deserialize)]
pub(crate) struct Vault {
    pub(crate) id: String,
}

impl Connect {
    /// A client; connects with the first request.
    pub(crate) fn new(host: &str, token: SecretValue, ctx: Ctx) -> Result<Self> {
        Ok(Self {
            http: ctx.http(&Tls::default())?,
            host: host.trim_end_matches('/').to_owned(),
            token,
            ctx,
        })
    }

    /// The vault with an id.
    pub(crate) async fn vault(&self, id: &str) -> Result<Vault> {
        let path = format!("/v1/vaults/{}", encode_component(id));
        self.read(&path, None).await
    }

    /// The vaults with a title.
    pub(crate) async fn vaults(&self, title: &str) -> Result<Vec<Vault>> {
        self.read("/v1/vaults", Some(title)).await
    }

    /// All items of a vault, or those with a title, without their fields.
    pub(crate) async fn items(&self, vault: &str, title: Option<&str>) -> Result<Vec<Item>> {
        self.read(&items(vault), title).await
    }

    /// An item with its fields.
    pub(crate) async fn item(&self, vault: &str, id: &str) -> Result<Item> {
        self.read(&item(vault, id), None).await
    }

    /// Creates an item in a vault.
    pub(crate) async fn create(&self, vault: &str, new: &Item) -> Result<()> {
        let path = items(vault);
        let answer = self.send(Method::POST, &path, None, Some(new));
        parsed(&answer.await?).map(|_: IgnoredAny| ())
    }

    /// Replaces an item.
    pub(crate) async fn update(&self, changed: &Item) -> Result<()> {
        let path = item(changed.vault(), changed.id());
        let answer = self.send(Method::PUT, &path, None, Some(changed));
        parsed(&answer.await?).map(|_: IgnoredAny| ())
    }

    /// Deletes an item.
    pub(crate) async fn delete(&self, old: &Item) -> Result<()> {
        let path = item(old.vault(), old.id());
        let answer = self.send(Method::DELETE, &path, None, None);
        answer.await.map(|_| ())
    }

    /// The content of a file.
    pub(crate) async fn content(&self, file: File<'_>) -> Result<SecretValue> {
        if let Some(content) = file.content() {
            return Ok(content);
        }
        // The token goes where the path leads, so it must stay at this server.
        if !file.path().starts_with('/') {
            return Err(Error::invalid_data(format!(
                "the file {:?} has no path at the Connect server",
                file.name()
            )));
        }
        let answer = self.send(Method::GET, file.path(), None, None).await?;
        if !serves_files(&answer) {
            return Err(Error::invalid_spec(
                "need at least version 1.3.0 of Connect for this function, detected version 1.2.0 \
                 (or earlier). Please update your Connect server",
            ));
        }
        Ok(SecretValue::from(answer.body().as_ref()))
    }

    async fn read<T: DeserializeOwned>(&self, path: &str, title: Option<&str>) -> Result<T> {
        parsed(&self.send(Method::GET, path, title, None).await?)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        title: Option<&str>,
        body: Option<&Item>,
    ) -> Result<Response<Bytes>> {
        let mut waits = RETRIES.iter();
        loop {
            let sent = self.send_once(method.clone(), path, title, body).await;
            let Err(error) = &sent else {
                return sent;
            };
            match waits.next() {
                Some(wait) if error::is_passing(error) => self.ctx.time().sleep(*wait).await,
                _ => return sent,
            }
        }
    }

    async fn send_once(
        &self,
        method: Method,
        path: &str,
        title: Option<&str>,
        body: Option<&Item>,
    ) -> Result<Response<Bytes>> {
        let url = format!("{}{path}", self.host);
        let mut request = self
            .http
            .request(method, url)
            .query_some("filter", title.map(title_is).as_deref())
            .bearer(&self.token)
            .header("user-agent", "external-secrets");
        if let Some(item) = body {
            request = request.json(item);
        }
        let answer = self.http.send(request.build()?).await?;
        match error::of_answer(&answer, self.ctx.now()) {
            Some(error) => Err(error),
            None => Ok(answer),
        }
    }
}

impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

fn items(vault: &str) -> String {
    format!("/v1/vaults/{}/items", encode_component(vault))
}

fn item(vault: &str, id: &str) -> String {
    format!("{}/{}", items(vault), encode_component(id))
}

/// A filter for one title. Quotes inside are escaped, or a title could end the text and go on as a
/// filter of its own.
fn title_is(title: &str) -> String {
    let escaped = title.replace('\\', r"\\").replace('"', r#"\""#);
    format!("title eq \"{escaped}\"")
}

/// A parser's message may quote the answer, so the error names only the position.
fn parsed<T: DeserializeOwned>(answer: &Response<Bytes>) -> Result<T> {
    serde_json::from_slice(answer.body()).map_err(|error| {
        Error::invalid_data(format!(
            "the answer is not what a Connect server sends, see line {} column {}",
            error.line(),
            error.column()
        ))
    })
}

fn serves_files(answer: &Response<Bytes>) -> bool {
    let version = answer.headers().get(VERSION);
    let Some(text) = version.and_then(|version| version.to_str().ok()) else {
        return false;
    };
    let parts: Option<Vec<u64>> = text.split('.').map(|part| part.parse().ok()).collect();
    parts.is_some_and(|parts| parts.as_slice() >= FIRST_WITH_FILES.as_slice())
}
