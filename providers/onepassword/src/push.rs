//! What a push or a deletion makes of an item. Pure; sending it is the store's business.

use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::item::Item;
use crate::read::DEFAULT_LABEL;

/// The `metadata` of a push entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PushMetadata {
    /// Tags of the item, in place of those it has.
    tags: Option<Vec<String>>,
    /// Vault for an item that does not exist yet.
    vault: String,
}

impl PushMetadata {
    /// Reads an entry's metadata; without any, the defaults hold.
    pub(crate) fn parse(metadata: Option<&serde_json::Value>) -> Result<Self> {
        let parsed = metadata::parse::<Self>(metadata);
        let parsed = parsed.map_err(|error| error.context("failed to parse push secret metadata"));
        Ok(parsed?.unwrap_or_default())
    }

    /// The vault for a new item, as the store names it.
    pub(crate) fn vault<'a>(&'a self, ordered: &'a [String]) -> Result<&'a str> {
        if self.vault.is_empty() {
            let first = ordered.first().map(String::as_str);
            return first.ok_or_else(|| Error::invalid_spec("no vaults found"));
        }
        if ordered.contains(&self.vault) {
            return Ok(&self.vault);
        }
        Err(Error::invalid_spec(format!(
            "metadata vault '{}' not in provider vaults",
            self.vault
        )))
    }
}

/// The label that a target means.
pub(crate) fn label(target: &PushTarget) -> &str {
    target.wanted_property().unwrap_or(DEFAULT_LABEL)
}

/// The text to push. Fields hold text, so anything else is refused rather than changed.
pub(crate) fn text(item: &PushItem) -> Result<&str> {
    let key = item.secret_key.as_deref().unwrap_or_default();
    let value = item.source.get(key).ok_or_else(|| {
        Error::invalid_spec(
            "key not found in 1Password Vaults: a push needs a secretKey that the Secret has",
        )
    })?;
    value.expose_utf8().map_err(|_| {
        Error::invalid_spec(format!(
            "the value of {key:?} is not UTF-8 text, which is all that a 1Password field can hold"
        ))
    })
}

/// The item that does not exist yet.
pub(crate) fn created(item: &PushItem, vault: &str, metadata: &PushMetadata) -> Result<Item> {
    let tags = metadata.tags.as_deref().unwrap_or_default();
    let mut new = Item::new(&item.target.remote_key, vault, tags);
    new.set_field(None, label(&item.target), text(item)?);
    Ok(new)
}

/// The item after a push.
pub(crate) fn updated(old: &Item, item: &PushItem, metadata: &PushMetadata) -> Result<Item> {
    let label = label(&item.target);
    let place = place(old, label)?;
    let mut new = old.clone();
    if let Some(tags) = &metadata.tags {
        new.set_tags(tags);
    }
    new.set_field(place, label, text(item)?);
    Ok(new)
}

/// The item after a deletion.
pub(crate) fn without(old: &Item, label: &str) -> Result<Item> {
    let mut new = old.clone();
    if let Some(place) = place(old, label)? {
        new.remove_field(place);
    }
    Ok(new)
}

/// Place of the one field with a label. Of two nobody can tell which one is meant.
fn place(item: &Item, label: &str) -> Result<Option<usize>> {
    let fields = item.fields().enumerate();
    let mut places = fields.filter(|(_, field)| field.label() == label);
    let first = places.next().map(|(place, _)| place);
    if places.next().is_some() {
        return Err(Error::invalid_data(
            "expected one 1Password ItemField matching",
        ));
    }
    Ok(first)
}

#[cfg(test)]
mod tests;
