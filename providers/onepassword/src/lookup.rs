//! Where an item is: the vaults of a store in their order, and the item that a key names in them.
//! Ids of vaults are remembered; a check reads them again.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use parking_lot::Mutex;

use crate::api::Connect;
use crate::error::{Missing, is_missing, no_such_item};
use crate::item::Item;

/// Length of an id of 1Password.
const ID_LENGTH: usize = 26;

/// The vaults of a store.
#[derive(Debug)]
pub(crate) struct Vaults {
    pub(crate) connect: Connect,
    /// Names or ids, in order.
    ordered: Vec<String>,
    /// As the manifest has them, for messages.
    given: BTreeMap<String, i64>,
    ids: Mutex<BTreeMap<String, String>>,
}

impl Vaults {
    /// The vaults of a store's manifest.
    pub(crate) fn new(connect: Connect, given: BTreeMap<String, i64>) -> Self {
        let mut ordered: Vec<_> = given.iter().map(|(name, order)| (*order, name)).collect();
        ordered.sort();
        Self {
            connect,
            ordered: ordered.into_iter().map(|(_, name)| name.clone()).collect(),
            given,
            ids: Mutex::default(),
        }
    }

    /// Names or ids of the vaults, in order.
    pub(crate) fn ordered(&self) -> &[String] {
        &self.ordered
    }

    /// Asks for every vault.
    pub(crate) async fn check(&self) -> Result<()> {
        for name in &self.ordered {
            self.ask(name).await?;
        }
        Ok(())
    }

    /// Id of a vault.
    pub(crate) async fn id(&self, name: &str) -> Result<String> {
        let known = self.ids().get(name).cloned();
        match known {
            Some(id) => Ok(id),
            None => self.ask(name).await.map_err(vault_error),
        }
    }

    async fn ask(&self, name: &str) -> Result<String> {
        self.ids().remove(name);
        let vault = if is_id(name) {
            self.connect.vault(name).await?
        } else {
            let mut found = self.connect.vaults(name).await?;
            match (found.len(), found.pop()) {
                (1, Some(vault)) => vault,
                (count, _) => {
                    return Err(Error::invalid_data(format!(
                        "Found {count} vaults with title {name:?}"
                    )));
                }
            }
        };
        self.ids().insert(name.to_owned(), vault.id.clone());
        Ok(vault.id)
    }

    /// The item that a key names: an id in the first vault, else a title in any, in order.
    pub(crate) async fn find(&self, key: &str) -> Result<Item> {
        let found = self.find_in_order(key).await;
        if let Err(error) = &found
            && is_missing(error, Missing::Path)
        {
            // A vault may have gone since its id was asked for.
            self.ids().clear();
        }
        found
    }

    async fn find_in_order(&self, key: &str) -> Result<Item> {
        for name in &self.ordered {
            let vault = self.id(name).await?;
            if is_id(key) {
                return self.by_id(&vault, key).await;
            }
            let titled = self.connect.items(&vault, Some(key)).await;
            let titled = titled.map_err(item_error)?;
            match titled.as_slice() {
                [] => {}
                [one] => {
                    return self
                        .connect
                        .item(&vault, one.id())
                        .await
                        .map_err(item_error);
                }
                several => {
                    return Err(Error::invalid_data(format!(
                        "expected one 1Password Item matching: '{key}', got {}",
                        several.len()
                    )));
                }
            }
        }
        Err(no_such_item(format!(
            "key not found in 1Password Vaults: {key} in: {}",
            self.shown()
        )))
    }

    /// The item with an id; a title may look like one.
    async fn by_id(&self, vault: &str, key: &str) -> Result<Item> {
        match self.connect.item(vault, key).await {
            Err(error) if is_missing(&error, Missing::Path) => {}
            found => return found,
        }
        let titled = self.connect.items(vault, Some(key)).await?;
        match titled.as_slice() {
            [one] => self.connect.item(vault, one.id()).await,
            several => {
                let text = format!(
                    "Found {} item(s) in vault {vault:?} with title {key:?}",
                    several.len()
                );
                if several.is_empty() {
                    return Err(no_such_item(text));
                }
                Err(Error::invalid_data(text))
            }
        }
    }

    /// The vaults as Go prints a map.
    fn shown(&self) -> String {
        let entries = self.given.iter();
        let entries: Vec<_> = entries
            .map(|(name, order)| format!("{name}:{order}"))
            .collect();
        format!("map[{}]", entries.join(" "))
    }

    fn ids(&self) -> parking_lot::MutexGuard<'_, BTreeMap<String, String>> {
        self.ids.lock()
    }
}

/// Says that a vault could not be found.
fn vault_error(error: Error) -> Error {
    error.context("error finding 1Password Vault")
}

/// Says that an item could not be found.
pub(crate) fn item_error(error: Error) -> Error {
    error.context("error finding 1Password Item")
}

/// Whether a text looks like an id of 1Password.
fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    text.len() == ID_LENGTH && text.bytes().all(fits)
}
