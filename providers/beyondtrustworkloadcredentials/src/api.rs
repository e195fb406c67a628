//! The requests this provider makes and the answers it understands: a secret, the list of a folder, and the
//! session. The client itself is the kit's, because a generator has it too.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Answer, Method, encode_component};
use lockstep_provider_api::json::{Value, decode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::workload_credentials::Site;
use serde::Deserialize;

/// The metric's label.
const LABEL: &str = "BeyondTrust/WorkloadCredentials";

/// A connection to a site.
pub(crate) struct Api {
    ctx: Ctx,
    site: Site,
}

/// A secret: its members and its tags.
pub(crate) struct Secret {
    pub(crate) members: BTreeMap<String, Value>,
    pub(crate) tags: BTreeMap<String, String>,
}

/// A secret without its members.
#[derive(Deserialize)]
pub(crate) struct Item {
    #[serde(default)]
    pub(crate) path: String,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    data: Option<Vec<Item>>,
    #[serde(default)]
    error: Option<String>,
}

impl Api {
    pub(crate) fn new(ctx: Ctx, site: Site) -> Self {
        Self { ctx, site }
    }

    /// The secret of a name in a folder; `None` where it has no members.
    pub(crate) async fn secret(&self, folder: &str, name: &str) -> Result<Option<Secret>> {
        let path = format!("/static/{}", encode_component(name));
        let place = format!("{}/{name}", shown(folder));
        let answer = self
            .ask("GetSecret", &path, &[("folder", folder)], &place)
            .await?;
        parsed(&answer.into_secret())
    }

    /// All secrets below a folder.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<Item>> {
        let query = [("path", folder), ("recursive", "true")];
        let answer = self
            .ask("ListSecrets", "/static", &query, shown(folder))
            .await?;
        let listed: Listed = answer.json()?;
        match listed.error.filter(|error| !error.is_empty()) {
            Some(error) => Err(Error::invalid_data(format!(
                "beyondtrust API error: {error}"
            ))),
            None => Ok(listed.data.unwrap_or_default()),
        }
    }

    /// Whether the server can be reached and takes the token.
    pub(crate) async fn check(&self) -> Result<()> {
        self.site.base().reach(&self.ctx).await?;
        let answer = self.ask("CheckSession", "/session", &[], "/session").await;
        let answer = answer.map(drop).map_err(not_absence);
        answer.map_err(|error| error.context("authentication validation failed"))
    }

    async fn ask(
        &self,
        call: &'static str,
        path: &str,
        query: &[(&str, &str)],
        place: &str,
    ) -> Result<Answer> {
        let answer = self.site.send(Method::GET, path, query, place).await;
        self.ctx.counted(LABEL, call, answer)
    }
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "/" } else { folder }
}

fn parsed(body: &SecretValue) -> Result<Option<Secret>> {
    let unusable = |error: Error| error.context("failed to unmarshal secret response");
    let Value::Object(mut answer) = decode(body).map_err(unusable)? else {
        return Err(Error::invalid_data("the answer is no JSON object"));
    };
    let tags = match answer.remove("metadata") {
        Some(Value::Object(mut metadata)) => metadata.remove("tags"),
        _ => None,
    };
    let tags = match tags {
        Some(Value::Object(tags)) => tags,
        _ => BTreeMap::new(),
    };
    let tags = tags.into_iter().filter_map(|(name, value)| match value {
        Value::String(value) => Some((name, value)),
        _ => None,
    });
    match answer.remove("secret") {
        Some(Value::Object(members)) => Ok(Some(Secret {
            members,
            tags: tags.collect(),
        })),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(Error::invalid_data("the secret is no JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_members_and_tags() {
        let body = r#"{"secret":{"a":"1","n":2},"metadata":{"id":"i","tags":{"env":"prod"}}}"#;

        let secret = parsed(&body.into()).unwrap().unwrap();

        assert_eq!(secret.members.keys().collect::<Vec<_>>(), ["a", "n"]);
        assert_eq!(secret.tags["env"], "prod");
        assert!(parsed(&r#"{"secret":null}"#.into()).unwrap().is_none());
        assert!(parsed(&r#"{"secret":"text"}"#.into()).is_err());
        assert!(parsed(&"text".into()).is_err());
    }
}
