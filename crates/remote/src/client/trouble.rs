//! What is wrong with a store, as its last calls told: why it cannot be reached, why its credentials
//! were refused, and why a key is backed off. Texts only, for conditions and logs; who may call and
//! when is the governor's to decide.

use std::collections::BTreeMap;

use lockstep_plan::failure::{describe, stable};
use lockstep_provider_api::{Error, ErrorKind, Read};

/// Most keys whose last failure is remembered.
const MOST_KEYS: usize = 1_024;
/// How transports begin a text that names the server and what happened, and no key.
const WAYS: [&str; 2] = ["cannot reach ", "no answer from "];

/// The last failures of one store.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    way: Option<String>,
    refused: Option<String>,
    /// Whether the backend ever took its credentials.
    taken: bool,
    keys: BTreeMap<u64, String>,
}

impl Trouble {
    /// Notes how a call of a key ended.
    pub(super) fn note(&mut self, key: u64, failure: Option<&Error>, read: &Read) {
        match failure.filter(|error| *error.kind() == ErrorKind::Unreachable) {
            Some(error) => {
                let text = way(error, read);
                if self.keys.len() >= MOST_KEYS {
                    self.keys.clear();
                }
                self.keys.insert(key, text.clone());
                self.way = Some(text);
            }
            None => self.answered(key),
        }
    }

    /// Notes that a call of a key was answered.
    pub(super) fn answered(&mut self, key: u64) {
        self.keys.remove(&key);
    }

    /// Notes why the store's own check did not reach it.
    pub(super) fn note_check(&mut self, failure: &Error) {
        if *failure.kind() == ErrorKind::Unreachable {
            self.way = Some(stable(&describe(failure)).into_owned());
        }
    }

    /// Notes whether the backend took the store's credentials. Returns whether that is news.
    pub(super) fn note_credentials(&mut self, failure: Option<&Error>) -> bool {
        let refused = match failure.map(Error::kind) {
            // Credentials that never worked are reported by the objects that use them, as upstream does.
            Some(ErrorKind::Unauthenticated) if !self.taken => return false,
            Some(ErrorKind::Unauthenticated) => {
                failure.map(|error| stable(&describe(error)).into_owned())
            }
            None | Some(ErrorKind::NotFound | ErrorKind::Denied | ErrorKind::Tombstoned(_)) => {
                self.taken = true;
                None
            }
            Some(_) => return false,
        };
        let news = refused.is_some() != self.refused.is_some();
        self.refused = refused;
        news
    }

    /// Why the store cannot be reached.
    pub(super) fn way(&self) -> Option<&str> {
        self.way.as_deref()
    }

    /// Whether the backend ever took its credentials.
    pub(super) fn was_taken(&self) -> bool {
        self.taken
    }

    /// Why its credentials were refused.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Why a key is backed off.
    pub(super) fn of_key(&self, key: u64) -> Option<&str> {
        self.keys.get(&key).map(String::as_str)
    }
}

/// The part of an error that everybody who waits for the store may read: server and cause. What a
/// caller asked for is taken out, because callers of other namespaces read it too.
fn way(error: &Error, read: &Read) -> String {
    let text = describe(error);
    let text = stable(&text);
    let start = WAYS.iter().filter_map(|way| text.find(way)).min();
    let text = &text[start.unwrap_or_default()..];
    let key = read.reference().map(|reference| reference.key.as_str());
    let Some(key) = key.filter(|key| !key.is_empty()) else {
        return text.to_owned();
    };
    if start.is_some() {
        return without_remark(text, key).to_owned();
    }
    without_word(text, key)
}

/// Cuts off a remark in brackets that quotes the key; what stands before it is the transport's text,
/// which knows no keys.
fn without_remark<'a>(text: &'a str, key: &str) -> &'a str {
    let quoted = text.find(&format!("{key:?}"));
    let remark = quoted.and_then(|at| text[..at].rfind(" ("));
    &text[..remark.unwrap_or(text.len())]
}

/// Replaces a key where it stands as a word of its own, so that a key `a` leaves other words alone.
fn without_word(text: &str, key: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(key) {
        let (before, behind) = (&rest[..at], &rest[at + key.len()..]);
        let last = before.chars().next_back().or(result.chars().next_back());
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let is_part = is_word(last) || is_word(behind.chars().next());
        result.push_str(before);
        result.push_str(if is_part { key } else { "<key>" });
        rest = behind;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::RemoteRef;

    use super::*;

    fn read(key: &str) -> Read {
        Read::Value(RemoteRef::key(key))
    }

    #[test]
    fn the_way_to_a_store_names_the_server_and_no_key() {
        let mut trouble = Trouble::default();
        let text = "get prod/db: cannot reach http://10.0.0.1:8200: connection refused";

        trouble.note(1, Some(&Error::unreachable(text)), &read("prod/db"));

        let way = "cannot reach http://10.0.0.1:8200: connection refused";
        assert_eq!(trouble.way(), Some(way));
        assert_eq!(trouble.of_key(1), Some(way));
    }

    #[test]
    fn keys_are_taken_out_of_other_texts() {
        let mut trouble = Trouble::default();

        let error = Error::unreachable("prod/db: 502 Bad Gateway");
        trouble.note(1, Some(&error), &read("prod/db"));

        assert_eq!(trouble.way(), Some("<key>: 502 Bad Gateway"));
        trouble.note(1, None, &read("prod/db"));
        assert_eq!(trouble.of_key(1), None);
    }

    #[test]
    fn a_short_key_leaves_the_rest_of_the_text_alone() {
        let mut trouble = Trouble::default();

        let text =
            "x: cannot reach http://a.example: broken (os error 1) (secret \"a\" in region b)";
        trouble.note(1, Some(&Error::unreachable(text)), &read("a"));
        assert_eq!(
            trouble.way(),
            Some("cannot reach http://a.example: broken (os error 1)")
        );

        let error = Error::unreachable("a: 502 Bad Gateway at a");
        trouble.note(1, Some(&error), &read("a"));
        assert_eq!(trouble.way(), Some("<key>: 502 Bad Gateway at <key>"));
    }

    #[test]
    fn refused_credentials_are_news_once_and_so_is_their_return() {
        let mut trouble = Trouble::default();
        let refused = Error::new(ErrorKind::Unauthenticated, "the token expired");

        assert!(!trouble.note_credentials(Some(&refused)), "never taken");
        assert!(!trouble.note_credentials(None));
        assert!(trouble.note_credentials(Some(&refused)));
        assert!(!trouble.note_credentials(Some(&refused)));
        assert!(!trouble.note_credentials(Some(&Error::unreachable("gone"))));
        assert_eq!(trouble.refused(), Some("the token expired"));
        assert!(trouble.note_credentials(Some(&Error::not_found())));

        assert_eq!(trouble.refused(), None);
    }
}
