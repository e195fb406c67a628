//! The requests this provider makes and the answers it understands. Databases, folders and entries are
//! found by a part of their name and asked for by their fingerprint; the first match counts, as at
//! upstream.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing;
use lockstep_provider_kit::{Rest, Session};
use serde::Deserialize;
use serde_json::Value;

use crate::auth::{self, Signed};
use crate::error;
use crate::spec::PassworddepotSpec;

/// The metric's label.
const PROVIDER: &str = "PasswordDepot";
/// Most folders that a key may walk through.
const MAX_DEPTH: usize = 64;
/// The fields of an entry.
const FIELDS: [&str; 23] = [
    "name",
    "fingerprint",
    "itemclass",
    "login",
    "pass",
    "url",
    "importance",
    "comment",
    "expirydate",
    "tags",
    "author",
    "category",
    "icon",
    "secondeye",
    "secondpass",
    "template",
    "acm",
    "paramstr",
    "loginid",
    "passid",
    "donotaddon",
    "markassafe",
    "safemode",
];

/// A connection to a database.
pub(crate) struct Api {
    rest: Rest,
    session: Arc<Session>,
    database: String,
}

#[derive(Deserialize)]
struct Databases {
    #[serde(default)]
    databases: Vec<Named>,
}

#[derive(Deserialize)]
struct Entries {
    #[serde(default)]
    entries: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
    #[serde(default)]
    fingerprint: String,
}

impl Api {
    /// Signs in, so that a refusal shows in the store.
    pub(crate) async fn connect(spec: &PassworddepotSpec, ctx: &Ctx) -> Result<Self> {
        let rest = Rest::new(ctx, PROVIDER, spec.address()?, &Tls::default())?;
        let session = Arc::new(auth::connect(spec, &rest).await?);
        session.token().await?;
        Ok(Self {
            rest: rest.signed(Signed(Arc::clone(&session))),
            session,
            database: spec.database.clone(),
        })
    }

    /// Whether the user can sign in.
    pub(crate) async fn check(&self) -> Result<()> {
        self.session.token().await.map(drop)
    }

    /// The fields of an entry, empty ones too. Dots in the key walk through folders.
    pub(crate) async fn entry(&self, key: &str) -> Result<SecretMap> {
        let database = self.database().await;
        let database = database.map_err(|error| error.context("error: getting DB fingerprint"))?;
        let entry = self.fingerprint(&database, key).await;
        let entry = entry.map_err(|error| error.context("error: getting Secret fingerprint"))?;
        let request = self.rest.get("/read");
        let request = request.query("db", &database).query("entry", &entry);
        let answer = self.rest.send("ReadEntry", request, error::check).await?;
        fields(&answer.json()?)
    }

    async fn database(&self) -> Result<String> {
        let request = self.rest.get("/list");
        let listed = self.rest.send("ListDatabases", request, error::check).await;
        let listed = listed.map_err(|error| error.context("error: getting database list"))?;
        let listed: Databases = listed.json()?;
        let found = matching(listed.databases, &self.database);
        found.ok_or_else(|| Error::invalid_spec("database not found"))
    }

    async fn fingerprint(&self, database: &str, key: &str) -> Result<String> {
        let steps: Vec<&str> = key.split('.').collect();
        if steps.len() > MAX_DEPTH {
            let text = format!("the key walks through more than {MAX_DEPTH} folders");
            return Err(Error::invalid_spec(text));
        }
        let mut folder: Option<String> = None;
        for step in steps {
            let request = self.rest.get("/list").query("db", database);
            let request = request.query_some("folder", folder.as_deref());
            let listed = self.rest.send("ListEntries", request, error::check).await;
            let listed = listed.map_err(|error| error.context("error: getting secrets list"))?;
            let listed: Entries = listed.json()?;
            let found = matching(listed.entries, step);
            // Upstream does not see a missing entry as a missing secret.
            folder = Some(found.ok_or_else(|| missing("secret not found"))?);
        }
        Ok(folder.unwrap_or_default())
    }
}

/// The fingerprint of the first whose name has the part.
fn matching(all: Vec<Named>, part: &str) -> Option<String> {
    let mut all = all.into_iter();
    let found = all.find(|one| one.name.contains(part));
    found.map(|one| one.fingerprint)
}

fn fields(entry: &BTreeMap<String, Value>) -> Result<SecretMap> {
    let fields = FIELDS.iter().map(|name| {
        let value = match entry.get(*name) {
            None | Some(Value::Null) => SecretValue::default(),
            Some(Value::String(text)) => SecretValue::from(text.as_str()),
            Some(_) => {
                return Err(Error::invalid_data(format!("field {name} is no text")));
            }
        };
        Ok(((*name).to_owned(), value))
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_name_with_the_part_counts() {
        let named = |name: &str| Named {
            name: name.to_owned(),
            fingerprint: name.to_uppercase(),
        };
        let all = || vec![named("my-db"), named("db")];

        assert_eq!(matching(all(), "db").as_deref(), Some("MY-DB"));
        assert_eq!(matching(all(), "nope"), None);
    }

    #[test]
    fn an_entry_has_all_fields_and_no_others() {
        let entry = json!({"pass": "p", "date": "2026-01-01T00:00:00Z", "tags": null});
        let entry = serde_json::from_value(entry).unwrap();

        let fields = fields(&entry).unwrap();

        assert_eq!(fields.len(), 23);
        assert_eq!(fields.get("pass"), Some(&"p".into()));
        assert_eq!(fields.get("tags"), Some(&SecretValue::default()));
        assert_eq!(fields.get("date"), None);
    }
}
