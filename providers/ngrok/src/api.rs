//! The requests this provider makes and the answers it understands. What a failure means is decided in `error`.

use lockstep_provider_api::http::{
    Answer, Method, Page, RequestBuilder, Tls, encode_component, pages,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::spec::NgrokSpec;
use crate::{auth, error};

/// The metric's label.
const PROVIDER: &str = "Ngrok";
const AGENT: &str = "external-secrets";
const VAULTS: &str = "/vaults";
const SECRETS: &str = "/vault_secrets";

/// A connection to the API.
pub(crate) struct Api {
    rest: Rest,
}

/// A vault.
#[derive(Deserialize)]
pub(crate) struct Vault {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
}

/// A secret without its value, which nobody can read.
#[derive(Deserialize)]
pub(crate) struct Secret {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) vault: Reference,
}

/// Where a secret is.
#[derive(Default, Deserialize)]
pub(crate) struct Reference {
    #[serde(default)]
    pub(crate) id: String,
}

/// What a write says.
pub(crate) struct Content<'a> {
    pub(crate) value: &'a str,
    pub(crate) metadata: &'a str,
    pub(crate) description: &'a str,
}

#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Listed<T> {
    #[serde(default, alias = "vaults", alias = "secrets")]
    items: Option<Vec<T>>,
    #[serde(default)]
    next_page_uri: Option<String>,
}

impl Api {
    /// Resolves the key.
    pub(crate) async fn connect(spec: &NgrokSpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::authenticator(spec, ctx).await?;
        let rest = Rest::new(ctx, PROVIDER, spec.url()?, &Tls::default())?;
        Ok(Self {
            rest: rest.signed(auth).agent(AGENT),
        })
    }

    /// Whether secrets may be listed.
    pub(crate) async fn check(&self) -> Result<()> {
        self.send("ListSecrets", self.rest.get(SECRETS))
            .await
            .map(drop)
    }

    /// The vault of a name.
    pub(crate) async fn vault_named(&self, name: &str) -> Result<Option<Vault>> {
        let meant = |vault: &Vault| vault.name == name;
        self.named("ListVaults", VAULTS, name, meant).await
    }

    /// A vault by its id.
    pub(crate) async fn vault(&self, id: &str) -> Result<Vault> {
        let path = format!("{VAULTS}/{}", encode_component(id));
        self.send("GetVault", self.rest.get(&path)).await?.json()
    }

    /// The secret of a name in a vault.
    pub(crate) async fn secret(&self, vault: &str, name: &str) -> Result<Option<Secret>> {
        let meant = |secret: &Secret| secret.name == name && secret.vault.id == vault;
        self.named("ListSecrets", SECRETS, name, meant).await
    }

    /// Makes a secret.
    pub(crate) async fn create(&self, vault: &str, name: &str, of: &Content<'_>) -> Result<()> {
        let mut body = of.body();
        body["vault_id"] = Value::from(vault);
        body["name"] = Value::from(name);
        let request = self.rest.post(SECRETS).json(&body);
        self.send("CreateSecret", request).await.map(drop)
    }

    /// Replaces a secret.
    pub(crate) async fn update(&self, id: &str, of: &Content<'_>) -> Result<()> {
        let request = self.rest.request(Method::PATCH, &at(id)).json(&of.body());
        self.send("UpdateSecret", request).await.map(drop)
    }

    /// Deletes a secret.
    pub(crate) async fn delete(&self, id: &str) -> Result<()> {
        let request = self.rest.request(Method::DELETE, &at(id));
        self.send("DeleteSecret", request).await.map(drop)
    }

    /// The first object of a name that is meant; no page is read behind it or behind an empty one. The
    /// key stays with the address of the store: of the next page's address only the query is taken.
    async fn named<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: &str,
        name: &str,
        meant: impl Fn(&T) -> bool,
    ) -> Result<Option<T>> {
        let meant = &meant;
        let found = pages(|next| async move {
            let request = match next {
                None => self.rest.get(path).query("filter", &filter(name)),
                Some(query) => self.rest.get(&format!("{path}?{query}")),
            };
            let listed: Listed<T> = self.send(call, request).await?.json()?;
            let items = listed.items.unwrap_or_default();
            let is_empty = items.is_empty();
            let found = items.into_iter().find(meant);
            let next = listed.next_page_uri.as_deref();
            let next = next.filter(|_| found.is_none() && !is_empty);
            Ok(Page {
                items: found.into_iter().collect(),
                next: next.and_then(|uri| Some(uri.split_once('?')?.1.to_owned())),
            })
        });
        Ok(found.await?.into_iter().next())
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        let request = request.header("ngrok-version", "2");
        self.rest.send(call, request, error::check).await
    }
}

impl Content<'_> {
    fn body(&self) -> Value {
        json!({
            "value": self.value,
            "metadata": self.metadata,
            "description": self.description,
        })
    }
}

fn at(id: &str) -> String {
    format!("{SECRETS}/{}", encode_component(id))
}

fn filter(name: &str) -> String {
    format!("obj.name == {}", Value::from(name))
}
