//! The commands this provider sends and the answers it understands. Each is a POST with the token in its
//! body; what a failure means is decided in `error`.

use std::sync::Arc;

use lockstep_provider_api::http::{Answer, Page, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Session};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::auth;
use crate::error;
use crate::gateway::Gateway;
use crate::spec::AkeylessSpec;

/// Marks what a push made; nothing else is deleted.
pub(crate) const TAG: &str = "k8s-external-secrets";
const LISTED: [&str; 3] = ["static-secret", "dynamic-secret", "rotated-secret"];

/// A connection.
pub(crate) struct Api {
    gateway: Arc<Gateway>,
    /// Upstream reads credentials with the first command: until then the store is valid.
    session: Result<Session>,
    ignore_cache: bool,
}

/// An item without its value.
#[derive(Deserialize)]
pub(crate) struct Item {
    #[serde(default, rename = "item_name")]
    pub(crate) name: Option<String>,
    #[serde(default, rename = "item_type")]
    pub(crate) kind: String,
    #[serde(default, rename = "item_tags")]
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    items: Option<Vec<Item>>,
    #[serde(default)]
    next_page: Option<String>,
}

impl Api {
    /// Resolves trust and credentials; signs in with the first command.
    pub(crate) async fn connect(spec: &AkeylessSpec, base: Address, ctx: &Ctx) -> Result<Self> {
        let gateway = Arc::new(Gateway::new(spec, base, ctx).await?);
        let session = match auth::connect(&spec.auth_secret_ref, &gateway).await {
            Err(error) if error.kind() != &ErrorKind::InvalidSpec => return Err(error),
            session => session,
        };
        Ok(Self {
            gateway,
            session,
            ignore_cache: spec.ignore_cache.unwrap_or_default(),
        })
    }

    /// Opens and closes a connection.
    pub(crate) async fn reach(&self) -> Result<()> {
        let reached = self.gateway.given().reach(self.gateway.ctx()).await;
        reached.map_err(|error| error.context("error accessing external store"))
    }

    /// What an item is.
    pub(crate) async fn describe(&self, name: &str) -> Result<Item> {
        let body = json!({ "name": name });
        let call = ("DescribeItem", "describe-item");
        let answer = self.send(call, body, || error::description(name)).await?;
        let item: Item = answer.json()?;
        if item.name.is_none() {
            return Err(Error::new(ErrorKind::NotFound, error::MISSING));
        }
        Ok(item)
    }

    /// The answer to a read of a value; `what` is upstream's word for it.
    pub(crate) async fn value(
        &self,
        call: (&'static str, &str),
        what: &'static str,
        mut body: Value,
    ) -> Result<Answer> {
        let is_cached = body.get("version").is_some();
        if self.ignore_cache && is_cached {
            body["ignore-cache"] = json!("true");
        }
        self.send(call, body, || error::read(what)).await
    }

    /// Names of the items below a path, with a tag where one is given.
    pub(crate) async fn list(&self, path: &str, tag: &str) -> Result<Vec<String>> {
        let all = pages(|token| self.page(path, tag, token)).await?;
        let names = all.into_iter().filter_map(|item| item.name);
        Ok(names.filter(|name| name.starts_with(path)).collect())
    }

    async fn page(&self, path: &str, tag: &str, token: Option<String>) -> Result<Page<Item>> {
        let mut body = json!({
            "filter": path,
            "type": LISTED,
            "minimal-view": tag.is_empty(),
            "tag": tag,
        });
        if let Some(token) = token {
            body["pagination-token"] = json!(token);
        }
        let call = ("ListItems", "list-items");
        let answer = self
            .send(call, body, || error::read("secrets list"))
            .await?;
        let listed: Listed = answer.json()?;
        Ok(Page {
            items: listed.items.unwrap_or_default(),
            next: listed.next_page,
        })
    }

    pub(crate) async fn create(&self, name: &str, value: &SecretValue) -> Result<()> {
        let body = json!({ "name": name, "value": value.expose_utf8()?, "tags": [TAG] });
        let call = ("CreateSecret", "create-secret");
        self.send(call, body, || error::write).await.map(drop)
    }

    pub(crate) async fn update(&self, name: &str, value: &SecretValue) -> Result<()> {
        let body = json!({ "name": name, "value": value.expose_utf8()? });
        let call = ("UpdateSecretVal", "update-secret-val");
        self.send(call, body, || error::write).await.map(drop)
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let body = json!({ "name": name });
        let call = ("DeleteItem", "delete-item");
        self.send(call, body, || error::write).await.map(drop)
    }

    /// Sends a command with the token. A refused token is dropped and the command repeated once.
    async fn send<C>(
        &self,
        call: (&'static str, &str),
        body: Value,
        check: impl Fn() -> C,
    ) -> Result<Answer>
    where
        C: FnOnce(Answer) -> Result<Answer>,
    {
        let session = self.session.as_ref().map_err(Error::duplicate)?;
        let token = session.token().await?;
        let first = self
            .gateway
            .send(call, signed(&body, &token)?, check())
            .await;
        match first {
            Err(error) if error.kind() == &ErrorKind::Unauthenticated => {
                session.drop_token(&token);
                let token = session.token().await?;
                self.gateway
                    .send(call, signed(&body, &token)?, check())
                    .await
            }
            first => first,
        }
    }
}

/// Universal identities have a member of their own.
fn signed(body: &Value, token: &SecretValue) -> Result<Map<String, Value>> {
    let token = token.expose_utf8()?;
    let member = if token.starts_with("u-") {
        "uid-token"
    } else {
        "token"
    };
    let mut body = body.as_object().cloned().unwrap_or_default();
    body.insert(member.to_owned(), json!(token));
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_universal_identity_has_a_member_of_its_own() {
        let member = |token: &str| {
            let body = signed(&json!({}), &token.into()).unwrap();
            body.keys().next().cloned()
        };

        assert_eq!(member("u-1").as_deref(), Some("uid-token"));
        assert_eq!(member("t-1").as_deref(), Some("token"));
    }
}
