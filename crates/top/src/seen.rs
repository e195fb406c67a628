//! Everything that is known of the cluster, kept up to date by the news of watches. Pure. Holds one row an
//! object and nothing of objects that are gone.

use std::collections::BTreeMap;

use crate::facts::Facts;

/// News about one kind.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// A full list begins; what is not in it is gone.
    ListBegins,
    /// An object is there, new or changed or listed.
    There(Box<Facts>),
    /// An object of this namespace and name is gone.
    Gone(String, String),
    /// The list is complete.
    ListEnds,
}

/// What is known, by kind.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    kinds: BTreeMap<&'static str, Kept>,
}

/// Objects of one kind, each with the list in which it was last seen.
#[derive(Debug, Default)]
struct Kept {
    list: u64,
    objects: BTreeMap<(String, String), (u64, Facts)>,
}

impl Seen {
    /// Takes news about a kind in.
    pub(crate) fn take(&mut self, kind: &'static str, news: News) {
        let kept = self.kinds.entry(kind).or_default();
        match news {
            News::ListBegins => kept.list += 1,
            News::There(facts) => {
                let name = (facts.namespace.clone(), facts.name.clone());
                kept.objects.insert(name, (kept.list, *facts));
            }
            News::Gone(namespace, name) => {
                kept.objects.remove(&(namespace, name));
            }
            News::ListEnds => {
                let list = kept.list;
                kept.objects.retain(|_, (seen, _)| *seen == list);
            }
        }
    }

    /// All objects and stores.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Facts> {
        let kept = self.kinds.values();
        kept.flat_map(|kept| kept.objects.values().map(|(_, facts)| facts))
    }
}

#[cfg(test)]
mod tests {
    use lockstep_api::ExternalSecret;
    use serde_json::json;

    use super::*;
    use crate::facts::Reduce;

    const KIND: &str = "ExternalSecret";

    fn there(name: &str) -> News {
        let object = json!({"metadata": {"name": name, "namespace": "a"}});
        let object: ExternalSecret = serde_json::from_value(object).unwrap();
        News::There(Box::new(object.reduced()))
    }

    fn names(seen: &Seen) -> Vec<&str> {
        seen.facts().map(|facts| facts.name.as_str()).collect()
    }

    #[test]
    fn objects_come_change_and_go() {
        let mut seen = Seen::default();
        for news in [there("x"), there("y"), there("x")] {
            seen.take(KIND, news);
        }
        assert_eq!(names(&seen), ["x", "y"]);

        seen.take(KIND, News::Gone("a".to_owned(), "x".to_owned()));

        assert_eq!(names(&seen), ["y"]);
    }

    #[test]
    fn what_a_new_list_lacks_is_gone_when_the_list_ends() {
        let mut seen = Seen::default();
        for news in [News::ListBegins, there("x"), there("y"), News::ListEnds] {
            seen.take(KIND, news);
        }

        seen.take(KIND, News::ListBegins);
        seen.take(KIND, there("y"));
        assert_eq!(names(&seen), ["x", "y"], "not before the list is complete");
        seen.take(KIND, News::ListEnds);

        assert_eq!(names(&seen), ["y"]);
    }
}
