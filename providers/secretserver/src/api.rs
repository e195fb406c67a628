//! The requests this provider makes and the answers it understands. What a failure means is decided in
//! `error`, which secret a reference means in `lookup`.

use std::sync::Arc;

use async_lock::OnceCell;
use lockstep_provider_api::http::{Answer, Method, Page, RequestBuilder, encode_component, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, pager, tls};
use serde::Deserialize;

use crate::auth::{self, Identity};
use crate::error;
use crate::secret::{Head, Item, Secret, folded};
use crate::spec::SecretserverSpec;

/// The metric's label.
const PROVIDER: &str = "Delinea/SecretServer";
/// Records of one page of a search.
const PAGE: usize = 30;

/// A connection to a server.
pub(crate) struct Api {
    rest: Rest,
    identity: Identity,
    /// The signed client, at the vault of a platform.
    signed: OnceCell<Rest>,
}

/// The fields a secret can have.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Template {
    pub(crate) id: i64,
    pub(crate) fields: Vec<TemplateField>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TemplateField {
    #[serde(rename = "secrettemplatefieldid")]
    pub(crate) id: i64,
    #[serde(rename = "fieldslugname")]
    pub(crate) slug: String,
    pub(crate) name: String,
    #[serde(rename = "isfile")]
    pub(crate) is_file: bool,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    records: Vec<Record>,
}

#[derive(Deserialize)]
struct Record {
    id: i64,
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &SecretserverSpec, ctx: &Ctx) -> Result<Self> {
        let base = Address::new("spec.provider.secretserver.serverURL", &spec.server_url)?;
        let bundle = spec.ca_bundle.as_ref().filter(|bundle| !bundle.is_empty());
        let trust = tls::trusting(ctx, bundle, spec.ca_provider.as_ref()).await?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        let identity = auth::connect(spec, &rest).await?;
        let signed = OnceCell::new();
        Ok(Self {
            rest,
            identity,
            signed,
        })
    }

    /// A secret by its id, with its files.
    pub(crate) async fn secret(&self, id: i64) -> Result<Secret> {
        let rest = self.rest().await?;
        let request = rest.get(&format!("/api/v1/secrets/{id}"));
        let answer = rest.send("GetSecret", request, error::secret).await?;
        self.complete(&answer, Some(id)).await
    }

    /// A secret by its path, with its files.
    pub(crate) async fn at_path(&self, path: &str) -> Result<Secret> {
        let rest = self.rest().await?;
        let request = rest.get("/api/v1/secrets/0").query("secretPath", path);
        let answer = rest.send("GetSecret", request, error::secret).await?;
        self.complete(&answer, None).await
    }

    /// All secrets of a name. Records of a search are not complete, so each is read.
    pub(crate) async fn named(&self, name: &str) -> Result<Vec<Secret>> {
        let records = pages(|offset| self.search(name, offset)).await?;
        let mut secrets = Vec::with_capacity(records.len());
        for record in records {
            secrets.push(self.secret(record.id).await?);
        }
        Ok(secrets)
    }

    async fn search(&self, name: &str, offset: Option<String>) -> Result<Page<Record>> {
        let offset = pager::offset(offset.as_deref());
        let rest = self.rest().await?;
        let request = rest
            .get("/api/v1/secrets")
            .query("paging.filter.searchText", name)
            .query("paging.filter.searchField", "Name")
            .query("paging.filter.doNotCalculateTotal", "true")
            .query("paging.take", &PAGE.to_string())
            .query("paging.skip", &offset.to_string())
            .query("paging.filter.isExactMatch", "true");
        let answer = rest.send("SearchSecrets", request, error::other).await?;
        let found: Found = folded(answer.expose_body())?;
        let next = pager::by_offset(offset, PAGE, found.records.len());
        Ok(Page {
            items: found.records,
            next,
        })
    }

    /// A template by its id.
    pub(crate) async fn template(&self, id: i64) -> Result<Template> {
        let rest = self.rest().await?;
        let request = rest.get(&format!("/api/v1/secret-templates/{id}"));
        let answer = rest.send("GetTemplate", request, error::other).await?;
        folded(answer.expose_body())
    }

    /// Makes a secret and returns its id.
    pub(crate) async fn create(&self, secret: &Head) -> Result<i64> {
        let rest = self.rest().await?;
        let request = rest.post("/api/v1/secrets/").json(secret);
        self.written("CreateSecret", request).await
    }

    /// Replaces a secret.
    pub(crate) async fn update(&self, secret: &Head) -> Result<i64> {
        let rest = self.rest().await?;
        let path = format!("/api/v1/secrets/{}", secret.id);
        let request = rest.request(Method::PUT, &path).json(secret);
        self.written("UpdateSecret", request).await
    }

    async fn written(&self, call: &'static str, request: RequestBuilder) -> Result<i64> {
        let answer = self.rest().await?.send(call, request, error::other).await?;
        Ok(Secret::parse(answer.expose_body())?.head.id)
    }

    /// Deletes a secret.
    pub(crate) async fn delete(&self, id: i64) -> Result<()> {
        let rest = self.rest().await?;
        let request = rest.request(Method::DELETE, &format!("/api/v1/secrets/{id}"));
        let sent = rest.send("DeleteSecret", request, error::secret).await;
        sent.map(drop)
    }

    /// Sends a change of one field, such as an attached file.
    pub(crate) async fn change(
        &self,
        call: &'static str,
        (method, path): (Method, &str),
        (content_type, body): (&str, Vec<u8>),
    ) -> Result<()> {
        let rest = self.rest().await?;
        let request = rest.request(method, &format!("/api/v1/secrets/{path}"));
        let request = request.body(content_type, body);
        rest.send(call, request, error::other).await.map(drop)
    }

    /// The signed client. A platform is asked once where its secrets are.
    async fn rest(&self) -> Result<&Rest> {
        let client = self.signed.get_or_try_init(|| async {
            match &self.identity {
                Identity::Token(header) => Ok(self.rest.clone().signed(Arc::clone(header))),
                Identity::User(user, session) => {
                    let place = user.place(session).await?;
                    let session = Arc::clone(session);
                    Ok(self.rest.clone().at(place).signed(session))
                }
            }
        });
        client.await
    }

    /// The secret of an answer with the contents of its files in place of what stands for them.
    async fn complete(&self, answer: &Answer, id: Option<i64>) -> Result<Secret> {
        let mut secret = Secret::parse(answer.expose_body())?;
        let id = id.unwrap_or(secret.head.id);
        let has_file =
            |item: &Item| item.is_file && item.attachment != 0 && !item.file_name.is_empty();
        for (position, item) in secret.head.items.iter().enumerate() {
            if !has_file(item) {
                continue;
            }
            let rest = self.rest().await?;
            let slug = encode_component(&item.slug);
            let request = rest.get(&format!("/api/v1/secrets/{id}/fields/{slug}"));
            let file = rest.send("GetField", request, error::other).await?;
            secret.files.insert(position, file.into_secret());
        }
        Ok(secret)
    }
}
