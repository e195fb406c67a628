//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Page, encode_component, encode_segment, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, pager, tls};
use serde::Deserialize;

use crate::auth;
use crate::error;
use crate::spec::ConjurSpec;

/// The metric's label.
const PROVIDER: &str = "Conjur";
const PAGE: usize = 100;
/// Longest list of ids that one batch asks for, so that a URL stays within what servers take.
const BATCH: usize = 6000;
/// Domains of the hosted service, whose API is below `/api`.
const HOSTED: [&str; 8] = [
    ".cyberark.cloud",
    ".integration-cyberark.cloud",
    ".test-cyberark.cloud",
    ".dev-cyberark.cloud",
    ".cyberark-everest-integdev.cloud",
    ".cyberark-everest-pre-prod.cloud",
    ".sandbox-cyberark.cloud",
    ".pt-cyberark.cloud",
];

/// A connection to a server.
pub(crate) struct Api {
    rest: Rest,
    account: String,
}

/// A variable without its value.
#[derive(Deserialize)]
pub(crate) struct Variable {
    /// `account:variable:id`
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) annotations: Option<Vec<Annotation>>,
}

/// What somebody noted at a variable.
#[derive(Deserialize)]
pub(crate) struct Annotation {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) value: String,
}

impl Api {
    /// Resolves trust and credentials; signs in with the first request.
    pub(crate) async fn connect(spec: &ConjurSpec, ctx: &Ctx) -> Result<Self> {
        let bundle = spec.ca_bundle.as_deref().filter(|text| !text.is_empty());
        let mut trust = tls::trusting_text(ctx, bundle, spec.ca_provider.as_ref()).await?;
        let credentials = auth::resolve(&spec.auth, ctx, &mut trust).await?;
        spec.check_client()?;
        let base = Address::new("spec.provider.conjur.url", &based(&spec.url))?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        let account = credentials.account.clone();
        let session = credentials.session(&rest);
        Ok(Self {
            rest: rest.signed(session),
            account,
        })
    }

    /// The value of a variable, by its id with or without account and kind.
    pub(crate) async fn read(&self, key: &str) -> Result<SecretValue> {
        let (account, id) = (&self.account, encode_segment(id(&self.account, key)));
        let path = format!("/secrets/{}/variable/{id}", encode_component(account));
        let request = self.rest.get(&path);
        let answer = self.rest.send("GetSecret", request, error::check).await?;
        Ok(answer.into_secret())
    }

    /// All variables that the identity may see.
    pub(crate) async fn list(&self) -> Result<Vec<Variable>> {
        let path = format!("/resources/{}/", encode_component(&self.account));
        pages(async |token: Option<String>| {
            let request = self
                .rest
                .get(&path)
                .query("kind", "variable")
                .query("limit", &PAGE.to_string())
                .query_some("offset", token.as_deref());
            let answer = self
                .rest
                .send("ListResources", request, error::check)
                .await?;
            let items: Vec<Variable> = answer.json()?;
            let next = pager::by_offset(pager::offset(token.as_deref()), PAGE, items.len());
            Ok(Page { items, next })
        })
        .await
    }

    /// The values of variables by their full ids. The server is asked even for none of them: it refuses
    /// that, and a search that finds nothing fails as upstream's does. What an identity may not see is
    /// not in a list, so that nothing found need not mean that nothing is there.
    pub(crate) async fn read_batch(&self, ids: &[String]) -> Result<BTreeMap<String, String>> {
        let mut found = BTreeMap::new();
        for some in batches(ids) {
            let request = self.rest.get("/secrets/");
            let request = request.query("variable_ids", &some);
            let answer = self.rest.send("GetSecrets", request, error::check).await?;
            found.extend(answer.json::<BTreeMap<String, String>>()?);
        }
        Ok(found)
    }
}

/// The id that a key means: `id`, `variable:id` or `account:variable:id` of the store's account.
/// Any other colon is part of the id.
fn id<'a>(account: &str, key: &'a str) -> &'a str {
    match key.splitn(3, ':').collect::<Vec<_>>()[..] {
        ["variable", id] => id,
        [named, "variable", id] if named == account => id,
        _ => key,
    }
}

/// Lists of ids, separated by commas, none much longer than one batch; at least one list.
fn batches(ids: &[String]) -> Vec<String> {
    let mut batches = vec![String::new()];
    for id in ids {
        match batches.last_mut() {
            Some(last) if last.is_empty() => last.push_str(id),
            Some(last) if last.len() + id.len() < BATCH => {
                last.push(',');
                last.push_str(id);
            }
            _ => batches.push(id.clone()),
        }
    }
    batches
}

/// The address with `/api` where the hosted service wants it.
fn based(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let is_hosted = HOSTED.iter().any(|domain| {
        [".secretsmgr", "-secretsmanager"]
            .iter()
            .any(|name| url.contains(&format!("{name}{domain}")))
    });
    if is_hosted && !url.ends_with("/api") {
        return format!("{url}/api");
    }
    url.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_asked_for_in_lists_that_fit_a_url() {
        let ids = |count: usize| vec!["acc:variable:x".to_owned(); count];

        assert_eq!(batches(&ids(0)), [""]);
        assert_eq!(batches(&ids(2)), ["acc:variable:x,acc:variable:x"]);
        let many = batches(&ids(1000));
        assert!(many.iter().all(|list| list.len() <= BATCH));
        let asked: usize = many.iter().map(|list| list.split(',').count()).sum();
        assert_eq!(asked, 1000);
    }

    #[test]
    fn a_colon_belongs_to_the_id_unless_account_and_kind_stand_before_it() {
        assert_eq!(id("acc", "variable:x"), "x");
        assert_eq!(id("acc", "acc:variable:x:y"), "x:y");
        for key in ["x", "host:x", "acc:host:x", "other:variable:x"] {
            assert_eq!(id("acc", key), key);
        }
    }

    #[test]
    fn the_hosted_service_is_asked_below_api() {
        let hosted = "https://shop.secretsmgr.cyberark.cloud";

        assert_eq!(based(hosted), format!("{hosted}/api"));
        assert_eq!(based(&format!("{hosted}/api/")), format!("{hosted}/api"));
        assert_eq!(based("https://conjur.test/x/"), "https://conjur.test/x");
    }
}
