//! Searching: a walk through folders from the path of the search, by full paths. A secret that
//! vanishes under way is left out; everything else that fails ends the search.

use std::collections::VecDeque;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::Api;
use crate::store::unreadable;

/// The selected secrets by their full paths.
pub(crate) async fn find(api: &Api, find: &Find) -> Result<SecretMap> {
    if find.tags.is_some() {
        return Err(Error::unsupported("find by tags not supported"));
    }
    let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
    let start = find.path.as_deref().unwrap_or_default();
    if start.starts_with('/') || start.contains("//") {
        return Err(Error::invalid_spec(format!(
            "invalid path {start:?}: cannot start with a / or contain a //"
        )));
    }
    let mut found = SecretMap::new();
    for path in paths(api, start.trim_end_matches('/')).await? {
        if matcher.as_ref().is_some_and(|it| !it.matches(&path)) {
            continue;
        }
        match api.read(&path, None).await {
            Ok(secret) => found.insert(path, secret.data),
            Err(error) if error.kind() == &ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(&path, error)),
        };
    }
    Ok(found)
}

/// Paths of all secrets below a folder.
async fn paths(api: &Api, start: &str) -> Result<Vec<String>> {
    let mut folders = VecDeque::from([start.to_owned()]);
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop_front() {
        for key in api.folder(&folder).await? {
            let name = key.trim_end_matches('/');
            if name.is_empty() || name.starts_with('/') {
                continue;
            }
            let path = if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            };
            if key.ends_with('/') {
                folders.push_back(path);
            } else {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}
