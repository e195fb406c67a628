//! The secret that a push makes, out of the entry's metadata: a credential, a text or a file, with owners in
//! the form of the API's version. Limits and texts are those of the vendor's client.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::ids::is_uuid;
use serde_json::{Map, Value};

use super::body::{Body, Owner, Url};
use super::multipart;
use crate::auth::User;

const NO_ID: &str = "00000000-0000-0000-0000-000000000000";
const OWNER_TYPES: [&str; 2] = ["User", "Group"];

/// A secret that can be made.
pub(super) struct Details<'a> {
    kind: Kind,
    body: Body,
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
        let kind = metadata.get("secret_type").and_then(Value::as_str);
        let kind = match kind.map(str::to_uppercase).as_deref() {
            None | Some("CREDENTIAL") => Kind::Credential,
            Some("FILE") => Kind::File,
            Some("TEXT") => Kind::Text,
            Some(_) => return Err(Error::invalid_spec("Unknown secret type")),
        };
        let notes = match metadata.get("notes") {
            None | Some(Value::String(_)) => text(metadata, "notes"),
            Some(_) => return Err(Error::invalid_spec("notes must be a text")),
        };
        if !matches!(version, "3.0" | "3.1" | "3.2") {
            let message = format!("unsupported API version: {version}");
            return Err(Error::invalid_spec(message));
        }
        let body = Body {
            title: required("Title", text(metadata, "title"), 256)?,
            description: at_most("Description", text(metadata, "description"), 256)?,
            notes: at_most("Notes", notes, 4000)?,
            urls: urls(metadata),
            ..Body::default()
        };
        let mut details = Self { kind, body, value };
        match kind {
            Kind::Credential => {
                let name = text(metadata, "username");
                details.body.username = required("Username", name, usize::MAX)?;
                details.body.password = details.content("Password", 256)?;
                details.owners(metadata, user, version)?;
            }
            Kind::Text => {
                details.body.text = details.content("Text", 4096)?;
                details.owners(metadata, user, version)?;
                NO_ID.clone_into(&mut details.body.folder_id);
            }
            Kind::File => {
                details.owners(metadata, user, version)?;
                let name = text(metadata, "file_name");
                details.body.file_name = required("FileName", name, 256)?;
                details.body.file_content = details.content("FileContent", 5_000_000)?;
            }
        }
        Ok(details)
    }

    /// What the path of the folder's secrets ends in, the content type and the body of the request.
    pub(super) fn request(&self) -> Result<(&'static str, String, Vec<u8>)> {
        let body = self.body.to_json()?;
        let json = "application/json".to_owned();
        Ok(match self.kind {
            Kind::Credential => ("secrets", json, body),
            Kind::Text => ("secrets/text", json, body),
            Kind::File => {
                let (form, body) =
                    multipart::form(&body, &self.body.file_name, self.value.expose());
                ("secrets/file", form, body)
            }
        })
    }

    fn content(&self, name: &str, most: usize) -> Result<String> {
        // The file itself is sent as bytes; beside it stands what is text of it.
        let content = match self.kind {
            Kind::File => String::from_utf8_lossy(self.value.expose()).into_owned(),
            _ => self.value.expose_utf8()?.to_owned(),
        };
        if !content.is_empty() {
            return at_most(name, &content, most);
        }
        let when = match self.kind {
            Kind::Credential => " when the field 'PasswordRuleID' is not provided",
            _ => "",
        };
        Err(Error::invalid_spec(format!(
            "The field '{name}' is required{when}."
        )))
    }

    fn owners(&mut self, metadata: &Map<String, Value>, user: &User, version: &str) -> Result<()> {
        let part = |text: &Option<String>| text.clone().unwrap_or_default();
        if version != "3.0" {
            let first = Owner {
                group_id: number(metadata, "group_id"),
                user_id: user.id,
                name: part(&user.name),
                email: part(&user.email),
                ..Owner::default()
            };
            let others = owners(metadata).map(Owner::by_group);
            self.body.owners = std::iter::once(first).chain(others).collect();
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
        let first = Owner {
            id: user.id,
            login: part(&user.login),
            email: part(&user.email),
            ..Owner::default()
        };
        let others = owners(metadata).map(Owner::by_owner);
        self.body.owner_id = id;
        kind.clone_into(&mut self.body.owner_type);
        self.body.owners = std::iter::once(first).chain(others).collect();
        Ok(())
    }
}

fn owners(metadata: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let owners = metadata.get("owners").and_then(Value::as_array);
    owners.into_iter().flatten().filter_map(Value::as_object)
}

fn urls(metadata: &Map<String, Value>) -> Vec<Url> {
    let urls = metadata.get("urls").and_then(Value::as_array);
    let urls = urls.into_iter().flatten().filter_map(Value::as_object);
    let id = |url: &Map<String, Value>, name: &str| {
        let id = text(url, name).to_lowercase();
        if is_uuid(&id) { id } else { NO_ID.to_owned() }
    };
    urls.map(|url| Url {
        id: id(url, "id"),
        credential_id: id(url, "credential_id"),
        address: text(url, "url").to_owned(),
    })
    .collect()
}

impl Owner {
    fn by_owner(given: &Map<String, Value>) -> Self {
        Self {
            id: number(given, "owner_id"),
            login: text(given, "owner").to_owned(),
            email: text(given, "email").to_owned(),
            ..Self::default()
        }
    }

    fn by_group(given: &Map<String, Value>) -> Self {
        Self {
            group_id: number(given, "group_id"),
            user_id: number(given, "user_id"),
            name: text(given, "name").to_owned(),
            email: text(given, "email").to_owned(),
            ..Self::default()
        }
    }
}

fn text<'a>(metadata: &'a Map<String, Value>, name: &str) -> &'a str {
    metadata
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// A number, less what is behind its point; anything else is 0.
fn number(metadata: &Map<String, Value>, name: &str) -> i64 {
    let number = metadata.get(name).and_then(Value::as_number);
    let text = number.map(ToString::to_string).unwrap_or_default();
    let whole = text.split('.').next().unwrap_or_default();
    whole.parse().unwrap_or_default()
}

fn required(field: &str, text: &str, most: usize) -> Result<String> {
    if text.is_empty() {
        return Err(Error::invalid_spec(format!(
            "The field '{field}' is required."
        )));
    }
    at_most(field, text, most)
}

fn at_most(field: &str, text: &str, most: usize) -> Result<String> {
    if text.chars().count() > most {
        let message = format!("Max length '{most}' for '{field}' field.");
        return Err(Error::invalid_spec(message));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests;
