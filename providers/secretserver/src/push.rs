//! Writes: one field of a secret, by upstream's order of requests. Fields that are files are uploaded one
//! by one after the secret itself. A secret is made where its entry says in which folder and by which
//! template.

use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::{Api, Template, TemplateField};
use crate::attachment::attach;
use crate::key::Key;
use crate::lookup;
use crate::secret::{Head, Item, Secret};

const NEEDS: &str =
    "folderId and secretTemplateId must be provided in metadata to create a new secret";

/// `metadata.spec` of a push.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Place {
    folder_id: i64,
    secret_template_id: i64,
}

/// Writes one key of a Secret, or all of them as JSON, into one field.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let key = item.target.remote_key.as_str();
    if key.is_empty() {
        return Err(Error::invalid_spec("remote key must be defined"));
    }
    let value = item.value();
    let value = value.map_err(|error| error.context("failed to extract secret data"))?;
    let text = value
        .expose_utf8()
        .map_err(|_| Error::invalid_spec("secret value is not valid UTF-8"))?;
    let place = metadata::parse::<Place>(item.metadata.as_ref());
    let place = place.map_err(|error| error.context("failed to parse metadata"))?;
    // Deletions see no metadata, so what the key says goes first.
    let noted = place.as_ref().map(|place| place.folder_id);
    let folder = Key::parse(key)
        .folder()
        .or(noted)
        .filter(|folder| *folder > 0);
    let property = item.target.wanted_property();
    match lookup::only(api, key, folder).await {
        Ok(secret) => {
            update(api, secret, property, text).await?;
            Ok(Pushed::Updated)
        }
        Err(error) if error.kind() == &ErrorKind::NotFound => {
            let template = place.map(|place| place.secret_template_id);
            let (Some(template), Some(folder)) = (template.filter(|id| *id > 0), folder) else {
                return Err(Error::invalid_spec(NEEDS));
            };
            create(api, key, (folder, template), property, text).await?;
            Ok(Pushed::Created)
        }
        Err(error) => Err(error.context("failed to get secret")),
    }
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let secret = match lookup::only(api, &target.remote_key, None).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => return Ok(()),
        secret => secret.map_err(|error| error.context("failed to get secret for deletion"))?,
    };
    match api.delete(secret.head.id).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted.map_err(|error| error.context("failed to delete secret")),
    }
}

/// Whether a secret is there.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    match lookup::only(api, &target.remote_key, None).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.context("failed to check if secret exists")),
    }
}

async fn update(api: &Api, mut secret: Secret, property: Option<&str>, text: &str) -> Result<()> {
    let position = match property {
        None if secret.head.items.is_empty() => {
            return Err(Error::invalid_data("secret has no fields to update"));
        }
        None => 0,
        Some(name) => {
            let mut items = secret.head.items.iter();
            let found = items.position(|item| item.slug == name || item.name == name);
            found.ok_or_else(|| Error::invalid_spec(format!("field {name} not found in secret")))?
        }
    };
    if let Some(item) = secret.head.items.get_mut(position) {
        text.clone_into(&mut item.value);
    }
    secret.files.remove(&position);
    let written = async {
        let template = api.template(secret.head.template).await?;
        write(api, secret, &template).await
    };
    written
        .await
        .map_err(|error| error.context("failed to update secret"))
}

async fn create(
    api: &Api,
    key: &str,
    (folder, template): (i64, i64),
    property: Option<&str>,
    text: &str,
) -> Result<()> {
    let fields = api.template(template).await;
    let fields = fields.map_err(|error| error.context("failed to get secret template"))?;
    let name = new_name(key)?;
    let field = match property {
        None => fields
            .fields
            .first()
            .ok_or_else(|| Error::invalid_data("secret template has no fields"))?,
        Some(name) => fields.field(name).ok_or_else(|| {
            Error::invalid_spec(format!("field {name} not found in secret template"))
        })?,
    };
    let head = Head {
        name,
        folder,
        template,
        items: vec![Item {
            field: field.id,
            value: text.to_owned(),
            ..Item::default()
        }],
        ..Head::default()
    };
    let secret = Secret {
        head,
        ..Secret::default()
    };
    let made = write(api, secret, &fields).await;
    made.map_err(|error| error.context("failed to create secret"))
}

/// The name of a new secret: what follows the folder, or the last part of a path.
fn new_name(key: &str) -> Result<String> {
    if key.ends_with('/') {
        return Err(Error::invalid_spec(format!(
            "invalid secret name {key:?}: name must not be empty or end with a trailing slash"
        )));
    }
    match Key::parse(key) {
        Key::InFolder(_, name) if name.contains('/') => Err(Error::invalid_spec(format!(
            "invalid secret name {name:?} in folderId prefix: name must not contain path separators"
        ))),
        Key::InFolder(_, name) => Ok(name.to_owned()),
        _ => Ok(key.rsplit('/').next().unwrap_or(key).to_owned()),
    }
}

/// Writes the secret without its files, then the files, and reads the result as upstream does.
async fn write(api: &Api, mut secret: Secret, template: &Template) -> Result<()> {
    let mut files = Vec::new();
    let mut plain = Vec::new();
    for (position, item) in secret.head.items.iter().enumerate() {
        let field = template.of(item)?;
        if field.is_file {
            files.push((
                field.slug.clone(),
                item.file_name.clone(),
                secret.value(position),
            ));
        } else {
            plain.push(item.clone());
        }
    }
    secret.head.items = plain;
    let id = match secret.head.id {
        0 => api.create(&secret.head).await?,
        _ => api.update(&secret.head).await?,
    };
    for (slug, name, content) in files {
        attach(api, id, &slug, &name, &content).await?;
    }
    api.secret(id).await.map(drop)
}

impl Template {
    /// The field of a slug or name.
    fn field(&self, name: &str) -> Option<&TemplateField> {
        let by_slug = self.fields.iter().find(|field| field.slug == name);
        by_slug.or_else(|| self.fields.iter().find(|field| field.name == name))
    }

    /// What the template says of a field of a secret.
    fn of(&self, item: &Item) -> Result<&TemplateField> {
        let id = self.id;
        let unknown = |what: String| {
            Error::invalid_data(format!(
                "[ERROR] field {what} is not defined on the secret template with id '{id}'"
            ))
        };
        let mut fields = self.fields.iter();
        if item.slug.is_empty() {
            let found = fields.find(|field| field.id == item.field);
            return found.ok_or_else(|| unknown(format!("id '{}'", item.field)));
        }
        let found = fields.find(|field| field.slug == item.slug);
        found.ok_or_else(|| unknown(format!("name '{}'", item.slug)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_secret_is_named_by_the_end_of_its_key() {
        assert_eq!(new_name("folderId:5/db").unwrap(), "db");
        assert_eq!(new_name("/Team/Shop/db").unwrap(), "db");
        assert_eq!(new_name("db").unwrap(), "db");
        assert!(new_name("/Team/").is_err());
        assert!(new_name("folderId:5/a/b").is_err());
    }
}
