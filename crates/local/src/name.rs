//! Names of objects, and whether they are ones an API server would take. Names become paths of
//! files, so nothing that fails here may be written.

use std::fmt;

/// Namespace and name; the namespace of cluster-wide objects is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Name {
    pub(crate) fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// Whether a text may name an object: labels of letters, digits and dashes, separated by dots.
pub(crate) fn is_object_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(|label| is_label(label, 253))
}

/// Whether a text may name a namespace.
pub(crate) fn is_namespace_name(text: &str) -> bool {
    is_label(text, 63)
}

fn is_label(text: &str, limit: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let inner = text.bytes().all(|byte| plain(byte) || byte == b'-');
    let ends = text.bytes().next().is_some_and(plain) && text.bytes().last().is_some_and(plain);
    inner && ends && text.len() <= limit
}

/// Whether a text may be a key of a Secret or ConfigMap.
pub(crate) fn is_data_key(text: &str) -> bool {
    let inner = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    inner
        && !text.is_empty()
        && text.len() <= 253
        && !matches!(text, "." | "..")
        && !text.starts_with("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_leave_a_folder_are_refused() {
        for name in ["..", ".", "a/b", "../x", "", "-a", "A", "a..b"] {
            assert!(!is_object_name(name), "{name}");
            assert!(!is_namespace_name(name), "{name}");
        }
        for key in ["..", ".", "a/b", "..data", "", "ä"] {
            assert!(!is_data_key(key), "{key}");
        }
    }

    #[test]
    fn usual_names_are_taken() {
        assert!(is_object_name("my-secret.v1"));
        assert!(is_namespace_name("team-a"));
        assert!(!is_namespace_name("team.a"));
        assert!(is_data_key(".dockerconfigjson"));
        assert!(is_data_key("TLS_cert.pem"));
    }
}
