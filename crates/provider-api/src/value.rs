//! Secret bytes in memory. The only types that may carry a secret value through the program:
//! they never print, compare in constant time, and wipe their buffer when the last clone goes.
//! Encoding towards the API server copies the bytes once more; wiping shortens exposure, it does
//! not remove it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::error::Error;

/// One secret value: any bytes, cheap to clone, invisible to `Debug`.
#[derive(Clone, Default)]
pub struct SecretValue(Arc<Zeroizing<Vec<u8>>>);

impl SecretValue {
    /// Wraps bytes; the given buffer becomes the only copy.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Zeroizing::new(bytes)))
    }

    /// The bytes. Every use of a secret value in this program goes through a call named `expose`.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as text.
    pub fn expose_utf8(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.0).map_err(|_| Error::invalid_data("value is not valid UTF-8"))
    }

    /// The bytes less one final line break: credentials kept in files tend to end in one.
    pub fn without_final_newline(&self) -> &[u8] {
        let bytes = self.expose();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<u8>> for SecretValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl From<String> for SecretValue {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl From<&str> for SecretValue {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for SecretValue {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes.to_vec())
    }
}

impl PartialEq for SecretValue {
    fn eq(&self, other: &Self) -> bool {
        self.expose().ct_eq(other.expose()).into()
    }
}

impl Eq for SecretValue {}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(***)")
    }
}

/// Secret values by key, in byte order of the keys. `Debug` prints keys only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretMap(BTreeMap<String, SecretValue>);

impl SecretMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores a value, returning the one it replaces.
    pub fn insert(&mut self, key: impl Into<String>, value: SecretValue) -> Option<SecretValue> {
        self.0.insert(key.into(), value)
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&SecretValue> {
        self.0.get(key)
    }

    /// Removes and returns the value under `key`.
    pub fn remove(&mut self, key: &str) -> Option<SecretValue> {
        self.0.remove(key)
    }

    /// Entries in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, SecretValue)> for SecretMap {
    fn from_iter<I: IntoIterator<Item = (String, SecretValue)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Extend<(String, SecretValue)> for SecretMap {
    fn extend<I: IntoIterator<Item = (String, SecretValue)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl IntoIterator for SecretMap {
    type Item = (String, SecretValue);
    type IntoIter = std::collections::btree_map::IntoIter<String, SecretValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for SecretMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Identity, Tls};
    use crate::request::{PushItem, PushTarget};

    const CANARY: &str = "hunter2-canary";

    #[test]
    fn debug_of_a_value_and_of_a_map_shows_no_value() {
        let value = SecretValue::from(CANARY);
        let map = SecretMap::from_iter([("password".to_owned(), value.clone())]);

        let text = format!("{value:?} {map:?}");

        assert!(!text.contains(CANARY));
        assert!(text.contains("password"));
    }

    #[test]
    fn debug_of_everything_that_carries_a_value_shows_none() {
        let value = SecretValue::from(CANARY);
        let map = SecretMap::from_iter([("password".to_owned(), value.clone())]);
        let push = PushItem::whole(PushTarget::key("remote"), map);
        let identity = Identity {
            certificate: Vec::new(),
            key: value,
        };
        let tls = Tls {
            identity: Some(identity),
            ..Tls::default()
        };

        let text = format!("{push:?} {tls:?}");

        assert!(!text.contains(CANARY), "{text}");
    }

    #[test]
    fn one_final_line_break_can_be_left_out() {
        let trimmed = |text: &str| SecretValue::from(text).without_final_newline().to_vec();

        assert_eq!(trimmed("token\n"), b"token");
        assert_eq!(trimmed("token\r\n"), b"token");
        assert_eq!(trimmed("token\n\n"), b"token\n");
        assert_eq!(trimmed(" token "), b" token ");
    }

    #[test]
    fn clones_share_one_buffer() {
        let value = SecretValue::from(CANARY);

        assert_eq!(value.expose().as_ptr(), value.clone().expose().as_ptr());
    }

    #[test]
    fn values_of_different_length_are_not_equal() {
        assert_ne!(SecretValue::from("a"), SecretValue::from("ab"));
        assert_eq!(SecretValue::from("a"), SecretValue::from("a"));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_as_text_without_showing_them() {
        let error = SecretValue::new(vec![0xff, b'x'])
            .expose_utf8()
            .unwrap_err();

        assert_eq!(error.to_string(), "value is not valid UTF-8");
    }
}
