//! Searching: all secrets below a folder whose names match and whose tags are there. The result has one entry
//! a member, named by the secret's path and the member, because secrets share names of members.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, Secret};
use crate::store::member;

/// The members of the secrets that a search selects; none at all is absence.
pub(crate) async fn find(api: &Api, home: &str, find: &Find) -> Result<SecretMap> {
    let folder = find.path.as_deref();
    let folder = folder.map_or(home, |path| path.strip_suffix('/').unwrap_or(path));
    let name = find.name.as_deref().filter(|name| !name.is_empty());
    let matcher = name.map(NameMatcher::new).transpose()?;
    let listed = api
        .list(folder)
        .await
        .map_err(|error| failed(error, "failed to list secrets"))?;
    let mut found = SecretMap::new();
    for item in listed {
        let (dir, name) = item.path.rsplit_once('/').unwrap_or(("", &item.path));
        if matcher
            .as_ref()
            .is_some_and(|matcher| !matcher.matches(name))
        {
            continue;
        }
        let dir = if dir.is_empty() { folder } else { dir };
        let secret = match api.secret(dir, name).await {
            Ok(secret) => secret,
            // Deleted since the list was made.
            Err(error) if error.kind() == &ErrorKind::NotFound => None,
            Err(error) => {
                return Err(error.context(format!("failed to get secret at path {:?}", item.path)));
            }
        };
        for (name, value) in secret
            .filter(|secret| is_tagged(secret, find))
            .iter()
            .flat_map(|it| &it.members)
        {
            found.insert(format!("{}/{name}", item.path), member(value));
        }
    }
    if found.is_empty() {
        return Err(Error::not_found());
    }
    Ok(found)
}

fn is_tagged(secret: &Secret, find: &Find) -> bool {
    let mut tags = find.tags.iter().flatten();
    tags.all(|(name, value)| secret.tags.get(name) == Some(value))
}

/// A missing folder has no secrets.
fn failed(error: Error, text: &str) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return Error::not_found();
    }
    error.context(text)
}
