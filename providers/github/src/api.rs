//! The requests this provider makes and the answers it understands. Secrets of organizations,
//! repositories and environments have the same requests at different paths.

use std::sync::Arc;

use lockstep_provider_api::http::{
    Answer, Method, Page, RequestBuilder, Tls, encode_component, pages,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Rest, Session};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::auth::{self, ACCEPT};
use crate::error;
use crate::spec::GithubSpec;

/// The metric's label.
const PROVIDER: &str = "GitHub";
const PAGE: &str = "100";

/// A connection to one organization, repository or environment.
pub(crate) struct Api {
    rest: Rest,
    session: Arc<Session>,
    /// Path of its secrets.
    secrets: String,
}

/// A secret as GitHub shows it: without its value.
#[derive(Deserialize)]
pub(crate) struct Secret {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) visibility: String,
}

/// The key that values are sealed for.
#[derive(Deserialize)]
pub(crate) struct PublicKey {
    #[serde(default)]
    pub(crate) key_id: String,
    #[serde(default)]
    pub(crate) key: String,
}

/// A sealed value with who may use it.
pub(crate) struct Sealed<'a> {
    pub(crate) key_id: &'a str,
    pub(crate) value: &'a str,
    pub(crate) visibility: &'a str,
    pub(crate) repositories: Vec<i64>,
}

#[derive(Deserialize)]
struct Repository {
    id: i64,
}

#[derive(Deserialize)]
struct Repositories {
    #[serde(default)]
    repositories: Vec<Repository>,
}

impl Api {
    /// Resolves the key; an environment needs the id of its repository, which is asked for at once.
    pub(crate) async fn connect(spec: &GithubSpec, ctx: &Ctx) -> Result<Self> {
        let base = spec.api().map_err(|error| {
            error.context("could not get private key: could not instantiate new enterprise client")
        })?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        let session = auth::connect(spec, &rest).await?;
        let owner = encode_component(&spec.organization);
        let repository = spec.repository().map(encode_component);
        let secrets = match &repository {
            None => format!("/orgs/{owner}/actions/secrets"),
            Some(name) => format!("/repos/{owner}/{name}/actions/secrets"),
        };
        let mut api = Self {
            rest: rest.signed(Arc::clone(&session)),
            session,
            secrets,
        };
        if let (Some(name), Some(environment)) = (&repository, spec.environment()) {
            let path = format!("/repos/{owner}/{name}");
            let found = api.send("GetRepository", api.rest.get(&path)).await;
            let found = found.and_then(|answer| answer.json::<Repository>());
            let found =
                found.map_err(|error| not_absence(error).context("error fetching repository"))?;
            let environment = encode_component(environment);
            let id = found.id;
            api.secrets = format!("/repositories/{id}/environments/{environment}/secrets");
        }
        Ok(api)
    }

    /// A secret, where it is there.
    pub(crate) async fn secret(&self, name: &str) -> Result<Option<Secret>> {
        let request = self.rest.get(&self.path(name));
        match self.send("GetSecret", request).await {
            Ok(answer) => answer.json().map(Some),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The key that values are sealed for.
    pub(crate) async fn public_key(&self) -> Result<PublicKey> {
        let request = self.rest.get(&format!("{}/public-key", self.secrets));
        let answer = self.send("GetPublicKey", request).await;
        answer.map_err(not_absence)?.json()
    }

    /// Writes a secret.
    pub(crate) async fn put(&self, name: &str, sealed: Sealed<'_>) -> Result<()> {
        let mut body = Map::new();
        body.insert("key_id".to_owned(), json!(sealed.key_id));
        body.insert("encrypted_value".to_owned(), json!(sealed.value));
        body.insert("visibility".to_owned(), json!(sealed.visibility));
        if !sealed.repositories.is_empty() {
            let ids = json!(sealed.repositories);
            body.insert("selected_repository_ids".to_owned(), ids);
        }
        let request = self.rest.request(Method::PUT, &self.path(name));
        let sent = self.send("PutSecret", request.json(&Value::Object(body)));
        sent.await.map(drop).map_err(not_absence)
    }

    /// Deletes a secret.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let request = self.rest.request(Method::DELETE, &self.path(name));
        self.send("DeleteSecret", request).await.map(drop)
    }

    /// Ids of the repositories that may use a secret of the organization.
    pub(crate) async fn repositories(&self, name: &str) -> Result<Vec<i64>> {
        let path = format!("{}/repositories", self.path(name));
        let path = &path;
        let all = pages(|page| async move {
            let request = self.rest.get(path).query_some("page", page.as_deref());
            let request = request.query("per_page", PAGE);
            let answer = self.send("ListSelectedRepositories", request).await;
            let answer = answer.map_err(not_absence)?;
            let next = next_page(answer.header("link").unwrap_or_default());
            let listed: Repositories = answer.json()?;
            Ok(Page {
                items: listed.repositories,
                next,
            })
        });
        Ok(all.await?.into_iter().map(|one| one.id).collect())
    }

    /// Whether secrets may be listed.
    pub(crate) async fn list(&self) -> Result<()> {
        let listed = self.send("ListSecrets", self.rest.get(&self.secrets));
        listed.await.map(drop).map_err(not_absence)
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{}", self.secrets, encode_component(name))
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        let request = request.header("accept", ACCEPT).build()?;
        let (method, uri) = (request.method().clone(), request.uri().clone());
        // Signs in first, so that a refusal tells which request it stopped.
        let signed_in = self.session.token().await;
        signed_in.map_err(|error| {
            let mut verb = method.as_str().to_ascii_lowercase();
            verb.get_mut(..1).map(str::make_ascii_uppercase);
            error.context(format!("{verb} \"{uri}\""))
        })?;
        self.rest
            .call(call, request, error::check(&method, &uri))
            .await
    }
}

/// The page after this one, out of a `Link` header.
fn next_page(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let (_, rest) = next.split_once('<')?;
    let (url, _) = rest.split_once('>')?;
    let (_, query) = url.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let page = pairs.find(|(name, _)| *name == "page");
    page.map(|(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::next_page;

    #[test]
    fn the_next_page_is_that_of_the_link_header() {
        let link = r#"<https://x/y?per_page=100&page=1>; rel="prev", <https://x/y?per_page=100&page=3>; rel="next""#;

        assert_eq!(next_page(link).as_deref(), Some("3"));
        assert_eq!(next_page(r#"<https://x/y?page=1>; rel="last""#), None);
        assert_eq!(next_page(""), None);
    }
}
