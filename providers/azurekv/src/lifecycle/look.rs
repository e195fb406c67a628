//! What is known of an object of a vault: its state, whose it is, its tags, and what a deletion or a purge of
//! it would mean. Changes nothing.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::lifecycle::{Description, Owner, Purging, State, Undo, Writing};
use lockstep_provider_api::prelude::*;

use crate::api::Vault;
use crate::object::Object;
use crate::push::Tags;
use crate::read::{Attributes, Bundle};
use crate::state::Deleted;
use crate::{find, managed};

/// Days a deleted object can be recovered where the vault does not say.
const DAYS: u32 = 90;

pub(super) async fn describe(vault: &Vault, object: &Object) -> Result<Description> {
    Ok(look(vault, object).await?.0)
}

/// What is known of an object, and its tags.
pub(super) async fn look(vault: &Vault, object: &Object) -> Result<(Description, Tags)> {
    match vault.get(object.kind, &object.name, None).await {
        Ok(answer) => {
            let bundle = Bundle::parse(&answer.into_secret())?;
            let owner = owner(managed::is_ours(&bundle));
            let description = described(State::Available, owner, &bundle.attributes);
            Ok((description, bundle.tags.unwrap_or_default()))
        }
        Err(failure) if failure.is_missing() => match deleted(vault, object).await? {
            Some(deleted) => {
                let description = Description {
                    readable: Some(0),
                    writing: Writing::AfterRestore,
                    ..described(
                        deleted.state(),
                        owner(managed::has_mark(deleted.tags.as_ref())),
                        &deleted.attributes,
                    )
                };
                Ok((description, deleted.tags.unwrap_or_default()))
            }
            None => Ok((Description::missing(Undo::Days(DAYS)), Tags::new())),
        },
        Err(failure) => {
            let state = match failure.error.kind() {
                ErrorKind::Tombstoned(tombstone) => match &*tombstone.state {
                    "disabled" => State::Disabled,
                    "expired" => State::Expired,
                    "not yet valid" => State::NotYetValid,
                    _ => return Err(failure.into()),
                },
                _ => return Err(failure.into()),
            };
            let newest = newest(vault, object).await?;
            let owner = owner(managed::has_mark(newest.tags.as_ref()));
            let description = described(state, owner, &newest.attributes);
            Ok((description, newest.tags.unwrap_or_default()))
        }
    }
}

fn owner(is_ours: bool) -> Owner {
    if is_ours { Owner::Ours } else { Owner::Foreign }
}

fn described(state: State, owner: Owner, attributes: &Attributes) -> Description {
    let level = attributes.level.as_deref().unwrap_or_default();
    Description {
        state,
        owner,
        readable: None,
        undo: match (level, attributes.recoverable_days) {
            ("Purgeable", _) => Undo::Never,
            (_, days) => Undo::Days(days.unwrap_or(DAYS)),
        },
        writing: Writing::Direct,
        purging: if is_protected(level) {
            Purging::Blocked
        } else {
            Purging::Allowed
        },
    }
}

/// Whether a recovery level forbids to purge.
pub(crate) fn is_protected(level: &str) -> bool {
    !level.is_empty() && !level.contains("Purgeable")
}

/// What is left of a deleted object. Without the right to see it nothing is, as for reads.
pub(super) async fn deleted(vault: &Vault, object: &Object) -> Result<Option<Deleted>> {
    match vault.get_deleted(object.kind, &object.name).await {
        Ok(answer) => answer.json().map(Some),
        Err(failure) if failure.is_missing() || failure.status == 403 => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// The newest version, as a list shows it: without a value, and though it is disabled.
pub(super) struct Newest {
    pub(super) version: String,
    pub(super) tags: Option<Tags>,
    attributes: Attributes,
}

pub(super) async fn newest(vault: &Vault, object: &Object) -> Result<Newest> {
    let path = format!(
        "{}/{}/versions",
        object.kind.path(),
        encode_component(&object.name)
    );
    let items = find::items(vault, "GetSecretVersions", &path).await?;
    let newest = items.into_iter().max_by_key(|item| {
        let attributes = item.attributes.as_ref();
        attributes.and_then(|attributes| attributes.created)
    });
    let newest = newest.ok_or_else(Error::not_found)?;
    Ok(Newest {
        version: newest.name().to_owned(),
        attributes: newest.attributes.clone().unwrap_or_default(),
        tags: newest.tags,
    })
}
