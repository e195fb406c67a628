//! Finds a provider by its key and explains when it cannot. Upstream's text comes first, because
//! scripts match on it; the reason and what this build has follow.

use std::fmt;

use lockstep_provider_api::Entry;

use crate::{registry, upstream};

/// Why there is no such provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupError {
    name: String,
    is_known: bool,
}

/// The row of the provider with this key under `spec.provider`.
pub fn lookup(name: &str) -> Result<&'static Entry, LookupError> {
    let found = registry().iter().find(|entry| entry.name() == name);
    found.ok_or_else(|| LookupError {
        name: name.to_owned(),
        is_known: upstream::NAMES.contains(&name),
    })
}

impl LookupError {
    /// Whether the API has such a provider and this build was made without it.
    pub fn is_left_out(&self) -> bool {
        self.is_known
    }

    /// The message for a store of this name.
    pub fn for_store(&self, store: &str) -> String {
        format!(
            "failed to find registered store backend for type: {}, name: {store}: {self}",
            self.name
        )
    }
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        if self.is_known {
            write!(f, "provider {name:?} is not in this build, which has ")?;
        } else {
            write!(f, "there is no provider {name:?}, this build has ")?;
        }
        let names: Vec<_> = registry().iter().map(Entry::name).collect();
        match names.as_slice() {
            [] => f.write_str("none"),
            some => f.write_str(&some.join(", ")),
        }
    }
}

impl std::error::Error for LookupError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_own_name() {
        for entry in registry() {
            assert_eq!(lookup(entry.name()).unwrap().name(), entry.name());
        }
    }

    #[test]
    fn a_known_provider_that_was_left_out_is_said_to_be_not_in_this_build() {
        let error = lookup("onepasswordSDK").err().unwrap();

        assert!(error.is_left_out());
        assert!(
            error
                .to_string()
                .starts_with(r#"provider "onepasswordSDK" is not in this build, which has "#)
        );
    }

    #[test]
    fn an_unknown_provider_gets_the_known_text_and_the_list_of_what_is_there() {
        let error = lookup("kubernets").err().unwrap();

        let names: Vec<_> = registry().iter().map(Entry::name).collect();
        let there = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        assert!(!error.is_left_out());
        assert_eq!(
            error.for_store("prod"),
            format!(
                "failed to find registered store backend for type: kubernets, name: prod: \
                 there is no provider \"kubernets\", this build has {there}"
            )
        );
    }

    #[test]
    fn the_case_of_a_name_counts() {
        assert!(!lookup("onepasswordsdk").err().unwrap().is_left_out());
        assert!(lookup("onepasswordSDK").err().unwrap().is_left_out());
    }
}
