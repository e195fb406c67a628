//! Which secret a reference means. A read takes the first secret of a name; a write must not guess, so
//! it refuses a name that several secrets have.

use lockstep_provider_api::prelude::*;

use crate::api::Api;
use crate::error::{NO_MATCH, absent};
use crate::key::Key;
use crate::secret::Secret;

const AMBIGUOUS: &str = "multiple secrets found with the same name across different folders; use the \
    'folderId:<id>/<name>' key format, a path-based key, or a numeric ID to disambiguate";

/// The secret that a read means. What is not there is `NotFound`.
pub(crate) async fn first(api: &Api, key: &str) -> Result<Secret> {
    match direct(api, Key::parse(key)).await? {
        Ok(secret) => Ok(secret),
        Err(name) => first_of(api.named(name).await?, None),
    }
}

/// The secret that a write means: the one in `folder` where that is given, else the only one of its name.
pub(crate) async fn only(api: &Api, key: &str, folder: Option<i64>) -> Result<Secret> {
    let name = match direct(api, Key::parse(key)).await? {
        Ok(secret) => return Ok(secret),
        Err(name) => name,
    };
    let mut secrets = api.named(name).await?;
    if folder.is_some() {
        return first_of(secrets, folder);
    }
    if secrets.len() > 1 {
        return Err(Error::new(ErrorKind::Conflict, AMBIGUOUS));
    }
    secrets.pop().ok_or_else(|| absent(NO_MATCH))
}

/// The secret of a reference that can mean one alone, else the name to look for.
async fn direct<'a>(api: &Api, key: Key<'a>) -> Result<Result<Secret, &'a str>> {
    match key {
        Key::InFolder(folder, name) => first_of(api.named(name).await?, Some(folder)).map(Ok),
        Key::Path(path) => api.at_path(path).await.map(Ok),
        Key::Number(id, name) => match api.secret(id).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(Err(name)),
            secret => secret.map(Ok),
        },
        Key::Name(name) => Ok(Err(name)),
    }
}

fn first_of(secrets: Vec<Secret>, folder: Option<i64>) -> Result<Secret> {
    if secrets.is_empty() {
        return Err(absent(NO_MATCH));
    }
    let mut secrets = secrets.into_iter();
    let found = secrets.find(|one| folder.is_none_or(|folder| one.head.folder == folder));
    found.ok_or_else(|| absent("not found"))
}
