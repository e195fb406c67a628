//! The requests this provider makes and the answers it understands. In which order they are made is
//! decided in `lookup` and `find`, what a failure means in `error`.

use lockstep_provider_api::http::{Page, encode_segment, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::rest::Repeat;
use lockstep_provider_kit::{Address, Rest, pager, tls};
use serde::{Deserialize, Deserializer};

use crate::auth;
use crate::error;
use crate::spec::GitlabSpec;

/// The metric's label.
const PROVIDER: &str = "GitLab";
const DEFAULT_URL: &str = "https://gitlab.com";
const PER_PAGE: &str = "100";

/// A connection to a server.
pub(crate) struct Api {
    rest: Rest,
}

/// Whose variables are read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner<'a> {
    Project(&'a str),
    Group(&'a str),
}

/// One variable.
#[derive(Deserialize)]
pub(crate) struct Variable {
    #[serde(default)]
    pub(crate) key: String,
    /// A hidden variable has `null` here.
    #[serde(default, deserialize_with = "text")]
    pub(crate) value: String,
    #[serde(default)]
    pub(crate) environment_scope: String,
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Deserialize)]
struct Group {
    id: i64,
    #[serde(default)]
    full_path: String,
}

impl Owner<'_> {
    fn path(self) -> String {
        match self {
            Self::Project(id) => format!("/projects/{}/variables", encode_segment(id)),
            Self::Group(id) => format!("/groups/{}/variables", encode_segment(id)),
        }
    }

    fn get_call(self) -> &'static str {
        match self {
            Self::Project(_) => "ProjectVariableGet",
            Self::Group(_) => "GroupVariableGet",
        }
    }

    fn list_call(self) -> &'static str {
        match self {
            Self::Project(_) => "ProjectVariablesList",
            Self::Group(_) => "GroupVariablesList",
        }
    }
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &GitlabSpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::connect(&spec.auth, ctx).await?;
        let trust = tls::trusting(ctx, spec.ca_bundle.as_ref(), spec.ca_provider.as_ref()).await;
        let trust = trust.map_err(|error| error.context("failed to read ca bundle"))?;
        let url = spec.url.as_deref().filter(|url| !url.is_empty());
        let url = url.unwrap_or(DEFAULT_URL).trim_end_matches('/');
        let url = url.strip_suffix("/api/v4").unwrap_or(url);
        let base = Address::new("spec.provider.gitlab.url", &format!("{url}/api/v4"))?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        Ok(Self {
            rest: rest.signed(auth).repeating(Repeat::FIVE_TIMES),
        })
    }

    /// One variable, of an environment where one is given.
    pub(crate) async fn read(
        &self,
        owner: Owner<'_>,
        key: &str,
        environment: &str,
    ) -> Result<String> {
        let path = format!("{}/{}", owner.path(), encode_segment(key));
        let environment = Some(environment).filter(|name| !name.is_empty());
        let request = self.rest.get(&path);
        let request = request.query_some("filter[environment_scope]", environment);
        let request = request.build()?;
        let check = error::check(&request);
        let answer = self.rest.call(owner.get_call(), request, check).await?;
        Ok(answer.json::<Variable>()?.value)
    }

    /// Whether the variables may be listed.
    pub(crate) async fn try_list(&self, owner: Owner<'_>) -> Result<()> {
        let request = self.rest.get(&owner.path()).build()?;
        let check = error::check(&request);
        let answer = self.rest.call(owner.list_call(), request, check).await;
        answer.map(drop)
    }

    /// All variables.
    pub(crate) async fn list(&self, owner: Owner<'_>) -> Result<Vec<Variable>> {
        pages(async |token: Option<String>| {
            let page = pager::page_number(token.as_deref());
            let request = self
                .rest
                .get(&owner.path())
                .query("page", &page.to_string())
                .query("per_page", PER_PAGE)
                .build()?;
            let check = error::check(&request);
            let answer = self.rest.call(owner.list_call(), request, check).await?;
            Ok(Page {
                items: answer.json()?,
                next: pager::by_total_pages(&answer, "x-total-pages", page),
            })
        })
        .await
    }

    /// Ids of the groups that a project is in, the outermost first.
    pub(crate) async fn groups_of(&self, project: &str) -> Result<Vec<String>> {
        let path = format!("/projects/{}/groups", encode_segment(project));
        let request = self.rest.get(&path).build()?;
        let check = error::check(&request);
        let answer = self.rest.call("ListProjectsGroups", request, check).await?;
        let mut groups: Vec<Group> = answer.json()?;
        groups.sort_by_key(|group| group.full_path.len());
        Ok(groups
            .into_iter()
            .map(|group| group.id.to_string())
            .collect())
    }
}
