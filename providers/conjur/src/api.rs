//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Page, encode_component, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, pager, tls};
use serde::Deserialize;

use crate::auth;
use crate::error;
use crate::spec::ConjurSpec;

/// The metric's label.
const PROVIDER: &str = "Conjur";
const PAGE: usize = 100;
/// Most variables that one batch asks for, so that a URL stays within what servers take.
const BATCH: usize = 50;
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
    pub(crate) annotations: Vec<Annotation>,
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
        let [account, kind, id] = self.full_id(key).map(|part| encode_component(&part));
        let request = self.rest.get(&format!("/secrets/{account}/{kind}/{id}"));
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

    /// The values of variables by their full ids.
    pub(crate) async fn read_batch(&self, ids: &[String]) -> Result<BTreeMap<String, String>> {
        let mut found = BTreeMap::new();
        for some in ids.chunks(BATCH) {
            let request = self.rest.get("/secrets/");
            let request = request.query("variable_ids", &some.join(","));
            let answer = self.rest.send("GetSecrets", request, error::check).await?;
            found.extend(answer.json::<BTreeMap<String, String>>()?);
        }
        Ok(found)
    }

    /// Account, kind and id of `id`, `kind:id` or `account:kind:id`.
    fn full_id(&self, key: &str) -> [String; 3] {
        let parts: Vec<&str> = key.splitn(3, ':').collect();
        let parts = match parts[..] {
            [account, kind, id] => [account, kind, id],
            [kind, id] => [&self.account, kind, id],
            _ => [&self.account, "variable", key],
        };
        parts.map(str::to_owned)
    }
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
    fn the_hosted_service_is_asked_below_api() {
        let hosted = "https://shop.secretsmgr.cyberark.cloud";

        assert_eq!(based(hosted), format!("{hosted}/api"));
        assert_eq!(based(&format!("{hosted}/api/")), format!("{hosted}/api"));
        assert_eq!(based("https://conjur.test/x/"), "https://conjur.test/x");
    }
}
