//! The grammar of references: `id:UUID`, `name:NAME` or `path:/FOLDER/NAME`. Asks nobody.

use lockstep_provider_api::prelude::*;

const ROOT: &str = "/";

/// Which secret is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Id(String),
    Name(Name),
}

/// A name, in one folder where the reference says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) folder: Option<String>,
}

impl Key {
    /// Reads a reference.
    pub(crate) fn parse(key: &str) -> Result<Self> {
        let Some((kind, value)) = key.split_once(':') else {
            return Err(Error::invalid_spec(
                "invalid secret reference: missing colon ':'; use id:UUID, name:NAME or path:/FOLDER/NAME",
            ));
        };
        match kind {
            "id" => Ok(Self::Id(value.to_owned())),
            "name" => Ok(Self::Name(Name {
                name: value.to_owned(),
                folder: None,
            })),
            "path" => in_folder(value).map(Self::Name),
            _ => Err(Error::invalid_spec(format!(
                "invalid secret reference: {value:?}; use id:UUID, name:NAME or path:/FOLDER/NAME"
            ))),
        }
    }
}

impl Name {
    /// Reads the reference of a write, which is `done` by name: an id is given by Scaleway.
    pub(crate) fn parse(key: &str, done: &str) -> Result<Self> {
        match Key::parse(key) {
            Ok(Key::Name(name)) => Ok(name),
            Err(error) if !key.contains(':') || key.starts_with("path:") => Err(error),
            _ => Err(Error::invalid_spec(format!(
                "secrets can only be {done} by name or path"
            ))),
        }
    }

    /// The folder of a new secret: the root where the reference names none.
    pub(crate) fn folder_or_root(&self) -> &str {
        self.folder.as_deref().unwrap_or(ROOT)
    }
}

fn in_folder(path: &str) -> Result<Name> {
    match path.rsplit_once('/') {
        Some((folder, name)) if path.starts_with('/') && !name.is_empty() => Ok(Name {
            name: name.to_owned(),
            folder: Some(if folder.is_empty() { ROOT } else { folder }.to_owned()),
        }),
        _ => Err(Error::invalid_spec(
            "ref is not a path: a path begins with '/' and ends with a name",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, folder: Option<&str>) -> Key {
        Key::Name(Name {
            name: name.to_owned(),
            folder: folder.map(str::to_owned),
        })
    }

    #[test]
    fn each_kind_of_reference_is_read() {
        assert_eq!(Key::parse("id:x").unwrap(), Key::Id("x".to_owned()));
        assert_eq!(Key::parse("name:a:b").unwrap(), named("a:b", None));
        assert_eq!(Key::parse("path:/n").unwrap(), named("n", Some("/")));
        assert_eq!(Key::parse("path:/a/b/n").unwrap(), named("n", Some("/a/b")));
    }

    #[test]
    fn other_references_are_refused() {
        for key in ["k", "uuid:x", "path:a/n", "path:/a/"] {
            let error = Key::parse(key).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{key}");
        }
    }

    #[test]
    fn a_write_says_what_it_cannot_be_done_by() {
        let refusal = |key| Name::parse(key, "pushed").unwrap_err().to_string();

        for key in ["id:x", "uuid:x"] {
            assert_eq!(refusal(key), "secrets can only be pushed by name or path");
        }
        assert!(refusal("k").starts_with("invalid secret reference: missing colon ':'"));
        assert!(refusal("path:a/n").starts_with("ref is not a path"));
    }

    #[test]
    fn a_new_secret_is_in_the_root_unless_its_folder_is_named() {
        let folder = |key| {
            let name = Name::parse(key, "pushed").unwrap();
            name.folder_or_root().to_owned()
        };

        assert_eq!(folder("name:n"), "/");
        assert_eq!(folder("path:/a/n"), "/a");
    }
}
