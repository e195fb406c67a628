//! Searching: one level of folders, by name. Values are read where they were listed.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_vault::client::Kv;

/// Names of the wanted secrets, with their path below the mount.
pub(crate) async fn names(kv: &Kv, find: &Find) -> Result<Vec<String>> {
    if find.tags.as_ref().is_some_and(|tags| !tags.is_empty()) {
        return Err(Error::unsupported("tag based search is not implemented"));
    }
    let Some(pattern) = find.name.as_deref() else {
        return Err(Error::invalid_spec(
            "find needs name.regexp; \".\" finds everything",
        ));
    };
    let matcher = NameMatcher::new(pattern)?;
    let folder = find.path.as_deref().unwrap_or_default().trim_matches('/');
    let listed = kv.list(folder).await?;
    if listed.is_empty() {
        return Err(kv.absent(folder).await);
    }
    let wanted = listed
        .into_iter()
        .filter(|name| !name.ends_with('/') && matcher.matches(name));
    let full = |name: String| match folder {
        "" => name,
        folder => format!("{folder}/{name}"),
    };
    Ok(wanted.map(full).collect())
}
