//! Scheduled deletion of secrets: its date, cancelling it and forcing it. The state is that of
//! `DescribeSecret`, never of a message.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use jiff::Timestamp;
use lockstep_provider_api::lifecycle::{
    Backend, Description, OtherTags, Owner, Purging, Shape, State, Undo, Writing, differing,
};
use lockstep_provider_api::prelude::*;

use super::SecretsManager;
use super::metadata::PushMetadata;
use super::push::tags_of;
use crate::lifecycle::with_default;
use crate::managed::{self, Tags};

pub(crate) const BACKEND: Backend = Backend {
    name: "AWS Secrets Manager",
    shape: Shape::Any,
    window: Some((7, 30)),
};

/// Days a deletion waits where nobody says how many.
const DAYS: u32 = 30;
const CURRENT: &str = "AWSCURRENT";

impl SecretsManager {
    pub(crate) async fn description(&self, key: &str) -> Result<Description> {
        let Some(described) = self.found(key).await? else {
            return Ok(Description::missing(self.undo()));
        };
        let stages = described.version_ids_to_stages();
        let state = match described.deleted_date() {
            Some(_) => State::PendingDeletion {
                until: until(&described),
            },
            None if is_current(&described) => State::Available,
            None => State::NoVersion,
        };
        let is_there = described.deleted_date().is_none();
        Ok(Description {
            state,
            owner: if managed::is_ours(&tags_of(&described)) {
                Owner::Ours
            } else {
                Owner::Foreign
            },
            readable: Some(if is_there {
                stages.map_or(0, |stages| stages.len() as u64)
            } else {
                0
            }),
            undo: if self.is_replica(&described) {
                Undo::Never
            } else {
                self.undo()
            },
            writing: if is_there {
                Writing::Direct
            } else {
                Writing::AfterRestore
            },
            purging: Purging::Allowed,
        })
    }

    /// Keys with a prefix, those that wait for their deletion included.
    pub(crate) async fn keys(&self, prefix: &str) -> Result<Vec<String>> {
        let wanted = format!("{}{prefix}", self.prefix);
        let mut keys = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.client.list_secrets().include_planned_deletion(true);
                request.set_next_token(page.clone()).send()
            };
            let listed = self.caller.call("ListSecrets", "*", send).await?;
            let names = listed.secret_list().iter().filter_map(|one| one.name());
            let names = names.filter(|name| name.starts_with(&wanted));
            keys.extend(names.filter_map(|name| Some(name.strip_prefix(&self.prefix)?.to_owned())));
            page = listed.next_token;
            if page.is_none() {
                return Ok(keys);
            }
        }
    }

    /// Writes a value, as text where it is text: that is what consoles and other programs expect.
    pub(crate) async fn put(&self, item: &PushItem) -> Result<Pushed> {
        if item.value()?.expose_utf8().is_err() {
            return self.push_beside(item, OtherTags::Keep).await;
        }
        let item = with_default(item, "secretPushFormat", "string");
        self.push_beside(&item, OtherTags::Keep).await
    }

    pub(crate) async fn differing_tags(&self, item: &PushItem) -> Result<Vec<String>> {
        let wanted = named_tags(item)?;
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let described = self.found(&item.target.remote_key).await?;
        let present = described.as_ref().map(tags_of).unwrap_or_default();
        Ok(differing(&present, &wanted))
    }

    pub(crate) async fn set_tags(&self, item: &PushItem) -> Result<()> {
        let id = self.id(&item.target.remote_key)?;
        self.tag(&id, &named_tags(item)?).await
    }

    pub(crate) async fn mark(&self, key: &str) -> Result<()> {
        let tags = managed::wanted(&Tags::new())?;
        self.tag(&self.id(key)?, &tags).await
    }

    /// Schedules the deletion.
    pub(crate) async fn schedule(&self, key: &str, days: Option<u32>) -> Result<State> {
        let Some(described) = self.found(key).await? else {
            return Ok(State::Missing);
        };
        if described.deleted_date().is_some() {
            return Ok(State::PendingDeletion {
                until: until(&described),
            });
        }
        let id = self.id(key)?;
        let days = i64::from(days.unwrap_or_else(|| self.days()));
        self.delete_described(&id, &described, Ending::After(days))
            .await?;
        Ok(self.description(key).await?.state)
    }

    /// Cancels a scheduled deletion.
    pub(crate) async fn restore(&self, key: &str) -> Result<State> {
        let id = self.id(key)?;
        let send = || self.client.restore_secret().secret_id(&id).send();
        self.caller.call("RestoreSecret", &id, send).await?;
        Ok(self.description(key).await?.state)
    }

    /// Deletes without a recovery window, scheduled or not.
    pub(crate) async fn force(&self, key: &str) -> Result<State> {
        let Some(described) = self.found(key).await? else {
            return Ok(State::Missing);
        };
        let id = self.id(key)?;
        self.delete_described(&id, &described, Ending::AtOnce)
            .await?;
        // The name stays taken for a moment after the answer.
        Ok(match self.found(key).await? {
            Some(_) => State::Changing,
            None => State::Missing,
        })
    }

    async fn found(&self, key: &str) -> Result<Option<DescribeSecretOutput>> {
        let id = self.id(key)?;
        match self.describe(&id).await {
            Ok(described) => Ok(Some(described)),
            Err(failure) if failure.is("ResourceNotFoundException") => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    fn days(&self) -> u32 {
        let days = self.deletion.recovery_window_in_days.unwrap_or_default();
        u32::try_from(days)
            .ok()
            .filter(|days| *days > 0)
            .unwrap_or(DAYS)
    }

    fn undo(&self) -> Undo {
        Undo::Days(self.days())
    }

    /// A copy of a secret of another region goes at once.
    fn is_replica(&self, described: &DescribeSecretOutput) -> bool {
        described
            .primary_region()
            .is_some_and(|region| *region != *self.caller.region)
    }
}

/// When a deletion takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    AtOnce,
    /// After some days.
    After(i64),
    /// As the account has it.
    Usual,
}

/// The tags that a push names, without the mark.
fn named_tags(item: &PushItem) -> Result<Tags> {
    let tags = PushMetadata::parse(item)?.tags;
    managed::wanted(&tags)?;
    Ok(tags)
}

fn is_current(described: &DescribeSecretOutput) -> bool {
    let stages = described.version_ids_to_stages().into_iter().flatten();
    let mut stages = stages.flat_map(|(_, stages)| stages);
    stages.any(|stage| stage == CURRENT)
}

fn until(described: &DescribeSecretOutput) -> Option<Timestamp> {
    Timestamp::from_second(described.deleted_date()?.secs()).ok()
}
