//! The grammar of references: `folderId:N/NAME`, `/PATH`, an id, or a name. Asks nobody.

const FOLDER: &str = "folderId:";

/// Which secret is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// A name in one folder.
    InFolder(i64, &'a str),
    Path(&'a str),
    /// An id, or else a name that is a number.
    Number(i64, &'a str),
    Name(&'a str),
}

impl<'a> Key<'a> {
    /// Reads a reference. What is no folder with a name is a name.
    pub(crate) fn parse(key: &'a str) -> Self {
        if let Some((folder, name)) = in_folder(key) {
            return Self::InFolder(folder, name);
        }
        if key.starts_with('/') {
            return Self::Path(key);
        }
        match key.parse() {
            Ok(id) => Self::Number(id, key),
            Err(_) => Self::Name(key),
        }
    }

    /// The folder that the reference names.
    pub(crate) fn folder(self) -> Option<i64> {
        match self {
            Self::InFolder(folder, _) => Some(folder),
            _ => None,
        }
    }
}

fn in_folder(key: &str) -> Option<(i64, &str)> {
    let (folder, name) = key.strip_prefix(FOLDER)?.split_once('/')?;
    let folder: i64 = folder.parse().ok()?;
    (folder > 0 && !name.is_empty()).then_some((folder, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_reference_is_read() {
        assert_eq!(Key::parse("folderId:5/db"), Key::InFolder(5, "db"));
        assert_eq!(Key::parse("/Team/db"), Key::Path("/Team/db"));
        assert_eq!(Key::parse("53974"), Key::Number(53974, "53974"));
        assert_eq!(Key::parse("db"), Key::Name("db"));
    }

    #[test]
    fn what_is_no_folder_with_a_name_is_a_name() {
        for key in [
            "folderId:5",
            "folderId:5/",
            "folderId:0/db",
            "folderId:x/db",
        ] {
            assert_eq!(Key::parse(key), Key::Name(key));
        }
    }
}
