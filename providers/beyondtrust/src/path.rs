//! The grammar of keys: folder and title, or system and account, with a separator between them. Asks nobody.

use lockstep_provider_api::prelude::*;

use crate::spec::Server;

const INVALID: &str = "invalid retrieval path. Provide one path, separator and name";

/// Most parts of a key, the name included, and most bytes of what is before and after the last separator.
struct Limits {
    parts: usize,
    path: usize,
    name: usize,
}

const SECRET: Limits = Limits {
    parts: 8,
    path: 1792,
    name: 256,
};
const ACCOUNT: Limits = Limits {
    parts: 2,
    path: 128,
    name: 245,
};

/// Where a value is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Folders, or the system.
    pub(crate) path: String,
    /// Title, or the account.
    pub(crate) name: String,
}

impl Place {
    /// Reads a key. One without a separator stands for both parts, as in the vendor's client.
    pub(crate) fn parse(server: &Server, key: &str) -> Result<Self> {
        let (separator, limits) = (server.separator(), limits(server));
        let parts = key.split(separator).count();
        let (path, name) = key.rsplit_once(separator).unwrap_or((key, key));
        let (path, name) = (path.trim(), name.trim());
        let fits = |text: &str, most: usize| !text.is_empty() && text.len() <= most;
        if parts > limits.parts || !fits(path, limits.path) || !fits(name, limits.name) {
            return Err(Error::invalid_spec(INVALID));
        }
        Ok(Self {
            path: path.to_owned(),
            name: name.to_owned(),
        })
    }
}

fn limits(server: &Server) -> Limits {
    if server.is_secrets_safe() {
        SECRET
    } else {
        ACCOUNT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(kind: &str, separator: &str, key: &str) -> Option<(String, String)> {
        let server = Server {
            retrieval_type: Some(kind.to_owned()),
            separator: Some(separator.to_owned()),
            ..Server::default()
        };
        let place = Place::parse(&server, key).ok()?;
        Some((place.path, place.name))
    }

    fn both(path: &str, name: &str) -> (String, String) {
        (path.to_owned(), name.to_owned())
    }

    #[test]
    fn the_last_part_is_the_title() {
        assert_eq!(
            parsed("secret", "", "folder/db").unwrap(),
            both("folder", "db")
        );
        assert_eq!(
            parsed("SECRET", "|", "a|b/c|db ").unwrap(),
            both("a|b/c", "db")
        );
        assert_eq!(parsed("SECRET", "", "db").unwrap(), both("db", "db"));
        assert_eq!(parsed("", "", "sys/acc").unwrap(), both("sys", "acc"));
    }

    #[test]
    fn a_key_beyond_a_limit_is_refused() {
        assert!(parsed("SECRET", "", "1/2/3/4/5/6/7/t").is_some());
        assert!(parsed("SECRET", "", "1/2/3/4/5/6/7/8/t").is_none());
        assert!(parsed("MANAGED_ACCOUNT", "", "a/b/c").is_none());
        assert!(parsed("SECRET", "", &format!("f/{}", "t".repeat(257))).is_none());
        for key in ["", " ", "/t", "f/"] {
            assert!(parsed("SECRET", "", key).is_none(), "{key}");
        }
    }
}
