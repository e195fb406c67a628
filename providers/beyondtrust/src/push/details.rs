//! The secret that a push makes, out of the entry's metadata: a credential, a text or a file, with owners in
//! the form of the API's version. Limits and texts are those of the vendor's client.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::ids::is_uuid;
use serde_json::{Map, Value, json};

use super::multipart;
use crate::auth::User;

const NO_ID: &str = "00000000-0000-0000-0000-000000000000";
const OWNER_TYPES: [&str; 2] = ["User", "Group"];

/// A secret that can be made.
pub(super) struct Details<'a> {
    kind: Kind,
    body: Map<String, Value>,
    file_name: String,
    value: &'a SecretValue,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Credential,
    Text,
    File,
}

impl<'a> Details<'a> {
    /// Takes the metadata of an entry.
    pub(super) fn new(
        metadata: &Map<String, Value>,
        value: &'a SecretValue,
        user: &User,
        version: &str,
    ) -> Result<Self> {
        let kind = match text(metadata, "secret_type").to_uppercase().as_str() {
            "" | "CREDENTIAL" => Kind::Credential,
            "FILE" => Kind::File,
            "TEXT" => Kind::Text,
            _ => return Err(Error::invalid_spec("Unknown secret type")),
        };
        let notes = match metadata.get("notes") {
            None | Some(Value::String(_)) => text(metadata, "notes"),
            Some(_) => return Err(Error::invalid_spec("notes must be a text")),
        };
        if !matches!(version, "3.0" | "3.1" | "3.2") {
            let message = format!("unsupported API version: {version}");
            return Err(Error::invalid_spec(message));
        }
        let mut body = Map::new();
        put(
            &mut body,
            "Title",
            required("Title", text(metadata, "title"), 256)?,
        );
        let description = at_most("Description", text(metadata, "description"), 256)?;
        put(&mut body, "Description", description);
        put(&mut body, "Notes", at_most("Notes", notes, 4000)?);
        let urls = urls(metadata);
        if !urls.is_empty() {
            body.insert("Urls".to_owned(), Value::Array(urls));
        }
        let file_name = text(metadata, "file_name");
        let mut details = Self {
            kind,
            body,
            file_name: file_name.to_owned(),
            value,
        };
        match kind {
            Kind::Credential => {
                let name = required("Username", text(metadata, "username"), usize::MAX)?;
                put(&mut details.body, "Username", name);
                details.content(256)?;
                details.owners(metadata, user, version)?;
            }
            Kind::Text => {
                details.content(4096)?;
                details.owners(metadata, user, version)?;
                details.body.insert("FolderId".to_owned(), json!(NO_ID));
            }
            Kind::File => {
                details.owners(metadata, user, version)?;
                put(
                    &mut details.body,
                    "FileName",
                    required("FileName", file_name, 256)?,
                );
                details.content(5_000_000)?;
            }
        }
        Ok(details)
    }

    /// What the path of the folder's secrets ends in, the content type and the body of the request.
    pub(super) fn request(&self) -> Result<(&'static str, String, Vec<u8>)> {
        let body = serde_json::to_vec(&self.body)
            .map_err(|_| Error::invalid_data("the secret has no JSON form"))?;
        let json = "application/json".to_owned();
        Ok(match self.kind {
            Kind::Credential => ("secrets", json, body),
            Kind::Text => ("secrets/text", json, body),
            Kind::File => {
                let (form, body) = multipart::form(&body, &self.file_name, self.value.expose());
                ("secrets/file", form, body)
            }
        })
    }

    fn content(&mut self, most: usize) -> Result<()> {
        let (name, missing) = match self.kind {
            Kind::Credential => (
                "Password",
                "The field 'Password' is required when the field 'PasswordRuleID' is not provided.",
            ),
            Kind::Text => ("Text", "The field 'Text' is required."),
            Kind::File => ("FileContent", "The field 'FileContent' is required."),
        };
        // The file itself is sent as bytes; beside it stands what is text of it.
        let content = match self.kind {
            Kind::File => String::from_utf8_lossy(self.value.expose()).into_owned(),
            _ => self.value.expose_utf8()?.to_owned(),
        };
        if content.is_empty() {
            return Err(Error::invalid_spec(missing));
        }
        let content = at_most(name, &content, most)?;
        put(&mut self.body, name, content);
        Ok(())
    }

    fn owners(&mut self, metadata: &Map<String, Value>, user: &User, version: &str) -> Result<()> {
        if version != "3.0" {
            let first = group(
                number(metadata, "group_id"),
                user.id,
                &user.name,
                &user.email,
            );
            let others = owners(metadata).map(|owner| {
                let (id, user) = (number(owner, "group_id"), number(owner, "user_id"));
                group(id, user, text(owner, "name"), text(owner, "email"))
            });
            let all = std::iter::once(first).chain(others).collect();
            self.body.insert("Owners".to_owned(), Value::Array(all));
            return Ok(());
        }
        let (id, kind) = (number(metadata, "owner_id"), text(metadata, "owner_type"));
        if id == 0 && kind == "Group" {
            return Err(Error::invalid_spec(
                "Field 'OwnerId' is mandatory when OwnerType Group",
            ));
        }
        if kind.is_empty() && self.kind == Kind::Credential {
            return Err(Error::invalid_spec("The field 'OwnerType' is required."));
        }
        if !OWNER_TYPES.contains(&kind) {
            return Err(Error::invalid_spec(
                "The field 'OwnerType' must be one of the following values: User Group.",
            ));
        }
        put_number(&mut self.body, "OwnerId", id);
        put(&mut self.body, "OwnerType", kind);
        let first = owner(user.id, &user.login, &user.email);
        let others = owners(metadata).map(|given| {
            let id = number(given, "owner_id");
            owner(id, text(given, "owner"), text(given, "email"))
        });
        let all = std::iter::once(first).chain(others).collect();
        self.body.insert("Owners".to_owned(), Value::Array(all));
        Ok(())
    }
}

fn owner(id: i64, name: &str, email: &str) -> Value {
    let mut owner = Map::new();
    put_number(&mut owner, "OwnerId", id);
    put(&mut owner, "Owner", name);
    put(&mut owner, "Email", email);
    Value::Object(owner)
}

fn group(id: i64, user: i64, name: &str, email: &str) -> Value {
    let mut owner = Map::new();
    put_number(&mut owner, "GroupId", id);
    put_number(&mut owner, "UserId", user);
    put(&mut owner, "Name", name);
    put(&mut owner, "Email", email);
    Value::Object(owner)
}

fn owners(metadata: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let owners = metadata.get("owners").and_then(Value::as_array);
    owners.into_iter().flatten().filter_map(Value::as_object)
}

fn urls(metadata: &Map<String, Value>) -> Vec<Value> {
    let urls = metadata.get("urls").and_then(Value::as_array);
    let urls = urls.into_iter().flatten().filter_map(Value::as_object);
    let id = |url: &Map<String, Value>, name: &str| {
        let id = text(url, name).to_lowercase();
        if is_uuid(&id) { id } else { NO_ID.to_owned() }
    };
    urls.map(|url| {
        let mut made = Map::new();
        put(&mut made, "Id", &id(url, "id"));
        put(&mut made, "CredentialId", &id(url, "credential_id"));
        put(&mut made, "Url", text(url, "url"));
        Value::Object(made)
    })
    .collect()
}

fn text<'a>(metadata: &'a Map<String, Value>, name: &str) -> &'a str {
    metadata
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn number(metadata: &Map<String, Value>, name: &str) -> i64 {
    let number = metadata.get(name);
    number.and_then(Value::as_i64).unwrap_or_default()
}

fn required<'a>(field: &str, text: &'a str, most: usize) -> Result<&'a str> {
    if text.is_empty() {
        return Err(Error::invalid_spec(format!(
            "The field '{field}' is required."
        )));
    }
    at_most(field, text, most)
}

fn at_most<'a>(field: &str, text: &'a str, most: usize) -> Result<&'a str> {
    if text.chars().count() > most {
        let message = format!("Max length '{most}' for '{field}' field.");
        return Err(Error::invalid_spec(message));
    }
    Ok(text)
}

/// What is empty is left out.
fn put(body: &mut Map<String, Value>, name: &str, text: &str) {
    if !text.is_empty() {
        body.insert(name.to_owned(), json!(text));
    }
}

fn put_number(body: &mut Map<String, Value>, name: &str, number: i64) {
    if number != 0 {
        body.insert(name.to_owned(), json!(number));
    }
}

#[cfg(test)]
mod tests;
