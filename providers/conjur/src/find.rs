//! Searching variables by name or by annotations. A name is the id without account and kind; all
//! annotations that a search names must be there.

use std::collections::BTreeMap;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, Variable};

/// What a search selects.
pub(crate) enum Filter<'a> {
    Name(NameMatcher),
    Tags(&'a BTreeMap<String, String>),
}

impl<'a> Filter<'a> {
    /// Checks a search. The name wins over tags, as upstream has it.
    pub(crate) fn new(find: &'a Find) -> Result<Self> {
        if find.path.is_some() {
            return Err(Error::unsupported("find by path not supported"));
        }
        match (&find.name, &find.tags) {
            (Some(name), _) => Ok(Self::Name(NameMatcher::new(name)?)),
            (None, Some(tags)) => Ok(Self::Tags(tags)),
            (None, None) => Err(Error::invalid_spec("find needs a name or tags")),
        }
    }

    fn selects(&self, variable: &Variable) -> bool {
        match self {
            Self::Name(matcher) => matcher.matches(name(&variable.id)),
            Self::Tags(_) if variable.annotations.is_none() => false,
            Self::Tags(tags) => tags.iter().all(|(name, value)| {
                let mut notes = variable.annotations.iter().flatten();
                notes.any(|note| note.name == *name && note.value == *value)
            }),
        }
    }
}

/// The selected variables by name.
pub(crate) async fn find(api: &Api, filter: &Filter<'_>) -> Result<SecretMap> {
    let all = api.list().await?.into_iter();
    let ids: Vec<String> = all
        .filter(|variable| filter.selects(variable))
        .map(|variable| variable.id)
        .collect();
    let values = api.read_batch(&ids).await?.into_iter();
    Ok(values
        .map(|(id, value)| (name(&id).to_owned(), SecretValue::from(value)))
        .collect())
}

/// The id without account and kind.
fn name(id: &str) -> &str {
    id.splitn(3, ':').nth(2).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Annotation;

    fn variable(notes: &[(&str, &str)]) -> Variable {
        let notes = notes.iter().map(|(name, value)| Annotation {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        });
        Variable {
            id: "acc:variable:app/a:b".to_owned(),
            annotations: Some(notes.collect()),
        }
    }

    #[test]
    fn a_name_is_the_id_without_account_and_kind() {
        assert_eq!(name("acc:variable:app/a:b"), "app/a:b");
        assert_eq!(name("plain"), "plain");
    }

    #[test]
    fn every_annotation_of_a_search_must_be_there() {
        let tags =
            BTreeMap::from([("a", "1"), ("b", "2")].map(|(k, v)| (k.to_owned(), v.to_owned())));
        let filter = Filter::Tags(&tags);

        assert!(filter.selects(&variable(&[("b", "2"), ("a", "1"), ("c", "3")])));
        assert!(!filter.selects(&variable(&[("a", "1")])));
        assert!(!filter.selects(&variable(&[("a", "1"), ("b", "3")])));
    }
}
