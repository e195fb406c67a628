//! Settings of the whole operator that upstream takes from its environment, such as
//! `AWS_SECRETSMANAGER_ENDPOINT`. The binary decides where they come from; a provider asks by name
//! and never reads the environment itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Named settings.
#[derive(Clone, Default)]
pub struct Variables(Option<Arc<Lookup>>);

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Variables {
    /// Settings found by a function; an empty value counts as not set.
    pub fn new(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(lookup)))
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<String> {
        let lookup = self.0.as_ref()?;
        lookup(name).filter(|value| !value.is_empty())
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let map: BTreeMap<String, String> = entries
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self::new(move |name| map.get(name).cloned())
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_setting_counts_as_not_set() {
        let variables = Variables::from_iter([("SET", "x"), ("EMPTY", "")]);

        assert_eq!(variables.get("SET").as_deref(), Some("x"));
        assert_eq!(variables.get("EMPTY"), None);
        assert_eq!(variables.get("OTHER"), None);
        assert_eq!(Variables::default().get("SET"), None);
    }
}
