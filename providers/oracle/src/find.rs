//! Searching: the whole list, by name or by free-form tags. What is to be deleted is left out.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, Listed};

/// The selected secrets by their names.
pub(crate) async fn find(api: &Api, find: &Find) -> Result<SecretMap> {
    let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
    if matcher.is_none() && find.tags.is_none() {
        return Err(Error::unsupported("find needs a name or tags"));
    }
    let mut found = SecretMap::new();
    for secret in api.list().await? {
        if secret.time_of_deletion.is_some() || !matches(&secret, find, matcher.as_ref()) {
            continue;
        }
        let bundle = api.read(&secret.secret_name, None).await?;
        found.insert(secret.secret_name, bundle.value);
    }
    Ok(found)
}

/// Where tags are given one of them is enough, as upstream has it.
fn matches(secret: &Listed, find: &Find, matcher: Option<&NameMatcher>) -> bool {
    let named = matcher.is_none_or(|matcher| matcher.matches(&secret.secret_name));
    let tagged = find.tags.as_ref().is_none_or(|wanted| {
        let held = secret.freeform_tags.as_ref();
        held.is_some_and(|held| wanted.iter().any(|(k, v)| held.get(k) == Some(v)))
    });
    named && tagged
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn one_tag_is_enough_but_the_name_must_match_too() {
        let secret = Listed {
            secret_name: "db".to_owned(),
            time_of_deletion: None,
            freeform_tags: Some(tags(&[("team", "a"), ("env", "prod")])),
        };
        let found = |name: Option<&str>, wanted: &[(&str, &str)]| {
            let matcher = name.map(|name| NameMatcher::new(name).unwrap());
            let find = Find {
                tags: Some(tags(wanted)),
                ..Find::default()
            };
            matches(&secret, &find, matcher.as_ref())
        };

        assert!(found(None, &[("team", "a"), ("env", "test")]));
        assert!(!found(None, &[("team", "b")]));
        assert!(!found(None, &[]));
        assert!(found(Some("^db"), &[("team", "a")]));
        assert!(!found(Some("^x"), &[("team", "a")]));
    }
}
