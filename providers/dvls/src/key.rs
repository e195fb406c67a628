//! The grammar of references: with a vault an id, a name, or `FOLDER/NAME`; without one
//! `VAULT-ID/ENTRY-ID`. Asks nobody.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::ids::is_uuid;

/// Which entry is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Id(String),
    /// A name, and the folder in the server's spelling, or nothing.
    Name(String, String),
}

impl Key {
    /// Reads a reference to an entry of a vault.
    pub(crate) fn parse(key: &str) -> Result<Self> {
        let key = key.trim();
        if key.is_empty() {
            return Err(Error::invalid_spec("entry reference cannot be empty"));
        }
        if is_uuid(key) {
            return Ok(Self::Id(key.to_owned()));
        }
        let normal = key.replace('/', "\\");
        let (folder, name) = normal.rsplit_once('\\').unwrap_or(("", &normal));
        if name.is_empty() {
            return Err(Error::invalid_spec("entry name cannot be empty"));
        }
        Ok(Self::Name(name.to_owned(), folder.to_owned()))
    }
}

/// Reads a reference that names its vault, too.
pub(crate) fn with_vault(key: &str) -> Result<(String, String)> {
    let Some((vault, entry)) = key.split_once('/') else {
        return Err(Error::invalid_spec(format!(
            "invalid key format: expected '<vault-id>/<entry-id>', got {key:?}"
        )));
    };
    let (vault, entry) = (vault.trim(), entry.trim());
    for (what, id) in [("vault", vault), ("entry", entry)] {
        if id.is_empty() {
            return Err(Error::invalid_spec(format!("{what} ID cannot be empty")));
        }
    }
    for (what, id) in [("vault", vault), ("entry", entry)] {
        if !is_uuid(id) {
            return Err(Error::invalid_spec(format!("invalid {what} UUID: {id:?}")));
        }
    }
    Ok((vault.to_owned(), entry.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VAULT: &str = "11111111-aaaa-4aaa-8aaa-000000000001";
    const ENTRY: &str = "22222222-bbbb-4bbb-8bbb-000000000001";

    #[test]
    fn an_entry_is_an_id_a_name_or_a_name_in_a_folder() {
        let named = |name: &str, folder: &str| Key::Name(name.to_owned(), folder.to_owned());

        assert_eq!(Key::parse(ENTRY).unwrap(), Key::Id(ENTRY.to_owned()));
        assert_eq!(Key::parse(" db ").unwrap(), named("db", ""));
        assert_eq!(Key::parse("a/b/db").unwrap(), named("db", "a\\b"));
        assert_eq!(Key::parse("a\\b\\db").unwrap(), named("db", "a\\b"));
        assert!(Key::parse("").is_err());
        assert!(Key::parse("a/").is_err());
    }

    #[test]
    fn without_a_vault_a_key_has_both_ids() {
        let key = format!("{VAULT}/{ENTRY}");
        assert_eq!(
            with_vault(&key).unwrap(),
            (VAULT.to_owned(), ENTRY.to_owned())
        );

        let text = |key: &str| with_vault(key).unwrap_err().to_string();
        assert_eq!(
            text("db"),
            "invalid key format: expected '<vault-id>/<entry-id>', got \"db\""
        );
        assert_eq!(text("/x"), "vault ID cannot be empty");
        assert_eq!(text("ops/x"), "invalid vault UUID: \"ops\"");
    }
}
