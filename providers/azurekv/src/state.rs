//! Why an object is not there: never made, or deleted and recoverable. One further request asks
//! for that, where the identity may; without the right an object is missing, as upstream has it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_provider_api::error::{NOT_FOUND_TEXT, Tombstone};
use lockstep_provider_api::lifecycle::State;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::Vault;
use crate::lifecycle::is_protected;
use crate::object::Object;
use crate::read::Attributes;

/// What is left of a deleted object, as far as it is used.
#[derive(Deserialize)]
pub(crate) struct Deleted {
    #[serde(rename = "scheduledPurgeDate")]
    purge: Option<i64>,
    #[serde(default)]
    pub(crate) attributes: Attributes,
    pub(crate) tags: Option<BTreeMap<String, String>>,
}

impl Deleted {
    fn until(&self) -> Option<Timestamp> {
        self.purge.and_then(|at| Timestamp::from_second(at).ok())
    }

    fn is_protected(&self) -> bool {
        is_protected(self.attributes.level.as_deref().unwrap_or_default())
    }

    /// Its state for commands.
    pub(crate) fn state(&self) -> State {
        let until = self.until();
        if self.is_protected() {
            State::PurgeBlocked { until }
        } else {
            State::PendingDeletion { until }
        }
    }
}

/// The error of an object that a read did not find.
pub(crate) async fn of_missing(vault: &Vault, object: &Object) -> Error {
    match vault.get_deleted(object.kind, &object.name).await {
        Ok(answer) => match answer.json::<Deleted>() {
            Ok(deleted) => tombstone(&deleted, vault.name(), object),
            Err(_) => Error::not_found(),
        },
        // The read itself was answered: an outage now says nothing about the object, but whether it
        // is gone for good is not known either.
        Err(failure) if failure.status == 0 || failure.status >= 429 => failure.into(),
        Err(_) => Error::not_found(),
    }
}

fn tombstone(deleted: &Deleted, vault: &str, object: &Object) -> Error {
    let until = deleted.until();
    let noun = object.kind.noun();
    let date = until.map_or_else(
        || "until it is purged".to_owned(),
        |at| format!("until {at}"),
    );
    let protected = if deleted.is_protected() {
        "; purge protection is on"
    } else {
        ""
    };
    let state = Tombstone {
        state: "soft-deleted".into(),
        until,
        // Upstream takes it for missing, so deletionPolicy does too.
        counts_as_absent: true,
    };
    Error::new(
        ErrorKind::Tombstoned(state),
        format!(
            "{NOT_FOUND_TEXT}: {noun} {:?} of vault {vault} was deleted and can be recovered \
             {date}{protected}; recover it with: az keyvault {noun} recover --vault-name {vault} \
             --name {}",
            object.name, object.name
        ),
    )
    .advised()
}
