//! The data plane of Key Vault: secrets, keys and certificates with versions, lists in pages, soft
//! deletion, recovery and purge. Tokens are checked, refusals have Key Vault's codes.

mod certificate;
mod objects;
mod shapes;
mod words;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub(super) use objects::Vaults;
use words::Kind;
pub(super) use words::Refusal;

use crate::stub::{Answer, Request};

/// Objects of one page.
const PAGE: usize = 25;

/// One request, taken apart.
pub(super) struct Asked<'a> {
    /// Host of the vault.
    pub(super) host: &'a str,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: &'a [u8],
}

impl Vaults {
    /// Answers a request whose token is good.
    pub(super) fn answer(&mut self, asked: &Asked<'_>) -> Answer {
        match self.route(asked) {
            Ok(body) if body.is_null() => Answer::text(204, ""),
            Ok(body) => Answer::json(200, &body),
            Err(refusal) => refusal.answer(),
        }
    }

    fn route(&mut self, asked: &Asked<'_>) -> Result<Value, Refusal> {
        if !asked.query.contains_key("api-version") {
            let text = "The api-version query parameter is missing.";
            return Err(Refusal::new(400, "BadParameter", text));
        }
        let body: Value = if asked.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(asked.body)
                .map_err(|_| Refusal::new(400, "BadParameter", "The body is no JSON."))?
        };
        let parts: Vec<&str> = asked.path.trim_matches('/').split('/').collect();
        let unknown = || Refusal::new(404, "NotFound", "There is no such resource.");
        let (collection, rest) = parts.split_first().ok_or_else(unknown)?;
        let (deleted, collection) = match collection.strip_prefix("deleted") {
            Some(collection) => (true, collection),
            None => (false, *collection),
        };
        let kind = Kind::of(collection).ok_or_else(unknown)?;
        let place = objects::Place {
            host: asked.host,
            kind,
        };
        match (asked.method, deleted, rest) {
            ("GET", _, []) => Ok(self.list(&place, deleted, asked)),
            ("GET", false, [name]) => self.read(&place, name, ""),
            ("GET", false, [name, "versions"]) => self.versions(&place, name, asked),
            ("GET", false, [name, version]) => self.read(&place, name, version),
            ("PUT", false, [name]) => self.put(&place, name, &body),
            ("POST", false, [name, "create"]) if kind == Kind::Key => self.put(&place, name, &body),
            ("POST", false, [name, "import"]) if kind == Kind::Certificate => {
                self.import(&place, name, &body)
            }
            ("PATCH", false, [name]) => self.patch(&place, name, "", &body),
            ("PATCH", false, [name, version]) => self.patch(&place, name, version, &body),
            ("DELETE", false, [name]) => self.delete(&place, name),
            ("GET", true, [name]) => self.read_deleted(&place, name),
            ("POST", true, [name, "recover"]) => self.recover(&place, name),
            ("DELETE", true, [name]) => self.purge(&place, name),
            _ => Err(Refusal::new(
                405,
                "MethodNotAllowed",
                "There is no such operation.",
            )),
        }
    }

    fn list(&self, place: &objects::Place<'_>, deleted: bool, asked: &Asked<'_>) -> Value {
        paged(self.items(place, deleted), asked)
    }

    fn versions(
        &self,
        place: &objects::Place<'_>,
        name: &str,
        asked: &Asked<'_>,
    ) -> Result<Value, Refusal> {
        Ok(paged(self.items_of(place, name)?, asked))
    }
}

/// One page, and where the next one is.
fn paged(items: Vec<Value>, asked: &Asked<'_>) -> Value {
    let number = |name: &str| asked.query.get(name).and_then(|text| text.parse().ok());
    let size = number("maxresults").unwrap_or(PAGE).clamp(1, PAGE);
    let from = number("$skiptoken").unwrap_or(0);
    let next = from + size;
    let link = (next < items.len()).then(|| {
        let version = asked.query.get("api-version").map_or("", String::as_str);
        format!(
            "https://{}{}?api-version={version}&$skiptoken={next}&maxresults={size}",
            asked.host, asked.path
        )
    });
    let page: Vec<_> = items.into_iter().skip(from).take(size).collect();
    json!({ "value": page, "nextLink": link })
}

/// What a vault says to a request without a good token.
pub(super) fn challenge(tenant: &str, login: &str, text: &str) -> Answer {
    let header =
        format!("Bearer authorization=\"{login}/{tenant}\", resource=\"https://vault.azure.net\"");
    let mut answer = Refusal::new(401, "Unauthorized", text).answer();
    answer.headers.push(("WWW-Authenticate", header));
    answer
}

/// The token of a request.
pub(super) fn bearer(request: &Request) -> &str {
    let header = request.header("authorization").unwrap_or_default();
    header.strip_prefix("Bearer ").unwrap_or_default()
}
