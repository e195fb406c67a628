//! Names of objects in a vault: `[type/]name`, as manifests write them. What an unknown type means
//! differs between reading and writing, so that it stays a type of its own here.

use lockstep_provider_api::prelude::*;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Secret,
    Certificate,
    Key,
}

impl Kind {
    /// The collection in a URL.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Secret => "secrets",
            Self::Certificate => "certificates",
            Self::Key => "keys",
        }
    }

    /// In a sentence.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Certificate => "certificate",
            Self::Key => "key",
        }
    }

    /// Its prefix in manifests.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Certificate => "cert",
            Self::Key => "key",
        }
    }
}

/// An object of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

/// A prefix that stands for no kind of object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) prefix: String,
    pub(crate) name: String,
}

impl Object {
    /// Reads `[type/]name[/ignored]`.
    pub(crate) fn parse(key: &str) -> Result<Self, Unknown> {
        let mut parts = key.split('/');
        let first = parts.next().unwrap_or_default();
        let Some(name) = parts.next() else {
            return Ok(Self {
                kind: Kind::Secret,
                name: first.to_owned(),
            });
        };
        let kind = match first {
            "secret" => Kind::Secret,
            "cert" => Kind::Certificate,
            "key" => Kind::Key,
            prefix => {
                return Err(Unknown {
                    prefix: prefix.to_owned(),
                    name: name.to_owned(),
                });
            }
        };
        Ok(Self {
            kind,
            name: name.to_owned(),
        })
    }

    /// The object that a read means.
    pub(crate) fn to_read(key: &str) -> Result<Self> {
        let parsed = Self::parse(key).map_err(|unknown| {
            Error::invalid_spec(format!(
                "unknown Azure Keyvault object Type for {}",
                unknown.name
            ))
        })?;
        parsed.named(key)
    }

    /// The object that a push means.
    pub(crate) fn to_push(key: &str) -> Result<Self> {
        let parsed = Self::parse(key).map_err(|unknown| {
            Error::invalid_spec(format!("secret type {} not supported", unknown.prefix))
        })?;
        parsed.named(key)
    }

    /// The object whose existence or end a push means.
    pub(crate) fn to_delete(key: &str) -> Result<Self> {
        let parsed = Self::parse(key).map_err(|unknown| {
            Error::invalid_spec(format!("secret type '{}' is not supported", unknown.prefix))
        })?;
        parsed.named(key)
    }

    /// Without a name the URL would be that of another resource.
    fn named(self, key: &str) -> Result<Self> {
        if is_segment(&self.name) {
            return Ok(self);
        }
        Err(Error::invalid_spec(format!(
            "key {key:?} names no object; write NAME, secret/NAME, cert/NAME or key/NAME"
        )))
    }
}

/// Whether a text can stand between two slashes of a URL without changing the path.
pub(crate) fn is_segment(text: &str) -> bool {
    !matches!(text, "" | "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_names_the_kind_and_what_follows_the_name_is_ignored() {
        let parsed = |key| Object::parse(key).map(|found| (found.kind, found.name));

        assert_eq!(parsed("db"), Ok((Kind::Secret, "db".to_owned())));
        assert_eq!(parsed("secret/db/x/y"), Ok((Kind::Secret, "db".to_owned())));
        assert_eq!(parsed("cert/c"), Ok((Kind::Certificate, "c".to_owned())));
        assert_eq!(parsed("key/k"), Ok((Kind::Key, "k".to_owned())));
    }

    #[test]
    fn an_unknown_prefix_is_told_in_the_words_of_each_operation() {
        let texts = [
            Object::to_read("thing/plain").unwrap_err().to_string(),
            Object::to_push("thing/plain").unwrap_err().to_string(),
            Object::to_delete("thing/plain").unwrap_err().to_string(),
        ];

        assert_eq!(texts[0], "unknown Azure Keyvault object Type for plain");
        assert_eq!(texts[1], "secret type thing not supported");
        assert_eq!(texts[2], "secret type 'thing' is not supported");
    }

    #[test]
    fn a_key_without_a_name_never_becomes_a_list() {
        for key in ["", "secret/", "key/..", "cert/./x"] {
            assert!(Object::to_read(key).is_err(), "{key:?}");
        }
    }
}
