//! What a secret has beside its value: tags, a resource policy, replicas. Each is written only where
//! it differs, and left alone where a push says nothing about it.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use aws_sdk_secretsmanager::types::ReplicaRegionType;
use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::lifecycle::OtherTags;
use lockstep_provider_api::prelude::*;

use super::SecretsManager;
use super::metadata::PushMetadata;
use super::push::{sdk_tags, tags_of};
use crate::managed::{self, Tags};

impl SecretsManager {
    /// Makes the tags what the push wants; without tags in the push they stay as they are.
    pub(super) async fn sync_tags(
        &self,
        id: &str,
        described: &DescribeSecretOutput,
        (metadata, others): (&PushMetadata, OtherTags),
        wanted: &Tags,
    ) -> Result<bool> {
        if metadata.tags.is_empty() {
            return Ok(false);
        }
        let (surplus, differs) = managed::changes(&tags_of(described), wanted, others);
        if !surplus.is_empty() {
            let send = || {
                let request = self.client.untag_resource().secret_id(id);
                request.set_tag_keys(Some(surplus.clone())).send()
            };
            self.caller.call("UntagResource", id, send).await?;
        }
        if differs {
            self.tag(id, wanted).await?;
        }
        Ok(differs || !surplus.is_empty())
    }

    /// Sets tags beside those that are there.
    pub(super) async fn tag(&self, id: &str, tags: &Tags) -> Result<()> {
        let send = || {
            let request = self.client.tag_resource().secret_id(id);
            request.set_tags(Some(sdk_tags(tags))).send()
        };
        self.caller.call("TagResource", id, send).await?;
        Ok(())
    }

    /// Puts a resource policy where it differs in meaning from the present one.
    pub(super) async fn sync_policy(
        &self,
        id: &str,
        text: String,
        block_public: Option<bool>,
    ) -> Result<bool> {
        let send = || self.client.get_resource_policy().secret_id(id).send();
        let present = self.caller.call("GetResourcePolicy", id, send).await?;
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        let present = present.resource_policy().and_then(parsed);
        if present.is_some() && present == parsed(&text) {
            return Ok(false);
        }
        self.put_policy(id, text, block_public).await?;
        Ok(true)
    }

    pub(super) async fn put_policy(
        &self,
        id: &str,
        text: String,
        block_public: Option<bool>,
    ) -> Result<()> {
        let send = || {
            let request = self.client.put_resource_policy().secret_id(id);
            let request = request.resource_policy(&text);
            request.set_block_public_policy(block_public).send()
        };
        let put = self.caller.call("PutResourcePolicy", id, send).await;
        put.map(drop)
            .map_err(|failure| failure.error.context("failed to put resource policy"))
    }

    /// Adds and removes replicas; without locations in the push they stay as they are.
    pub(super) async fn sync_replicas(
        &self,
        id: &str,
        described: &DescribeSecretOutput,
        metadata: &PushMetadata,
    ) -> Result<bool> {
        let wanted = &metadata.replication_locations;
        if wanted.is_empty() {
            return Ok(false);
        }
        let present = replicas(described);
        let missing: Vec<_> = wanted
            .iter()
            .filter(|region| !present.contains(region))
            .map(|region| ReplicaRegionType::builder().region(region).build())
            .collect();
        let surplus: Vec<_> = present
            .iter()
            .filter(|region| !wanted.contains(region))
            .cloned()
            .collect();
        if !missing.is_empty() {
            let send = || {
                let request = self.client.replicate_secret_to_regions().secret_id(id);
                request
                    .set_add_replica_regions(Some(missing.clone()))
                    .send()
            };
            let done = self.caller.call("ReplicateSecretToRegions", id, send).await;
            done.map_err(|failure| {
                let text = "failed to replicate existing secret to regions";
                failure.error.context(text)
            })?;
        }
        if !surplus.is_empty() {
            self.remove_replicas(id, &surplus).await?;
        }
        Ok(!missing.is_empty() || !surplus.is_empty())
    }

    pub(super) async fn remove_replicas(&self, id: &str, regions: &[String]) -> Result<()> {
        let send = || {
            let request = self.client.remove_regions_from_replication().secret_id(id);
            request
                .set_remove_replica_regions(Some(regions.to_vec()))
                .send()
        };
        let done = self
            .caller
            .call("RemoveRegionsFromReplication", id, send)
            .await;
        done.map(drop).map_err(|failure| {
            let text = "failed to remove regions from secret replication";
            failure.error.context(text)
        })
    }

    /// The refusal to write to a secret that waits for its deletion.
    pub(super) fn is_scheduled(&self, id: &str, described: &DescribeSecretOutput) -> Error {
        let date = described.deleted_date();
        let until = date.and_then(|date| jiff::Timestamp::from_second(date.secs()).ok());
        let tombstone = Tombstone {
            state: "scheduled for deletion".into(),
            until,
            counts_as_absent: false,
        };
        let day = until.map_or_else(String::new, |date| {
            format!(" on {}", date.strftime("%Y-%m-%d"))
        });
        let region = &self.caller.region;
        Error::new(
            ErrorKind::Tombstoned(tombstone),
            format!(
                "secret {id:?} is scheduled for deletion{day}; restore it with: \
                 aws secretsmanager restore-secret --region {region} --secret-id {id}"
            ),
        )
        .advised()
    }
}

/// Regions a secret is replicated to.
pub(super) fn replicas(described: &DescribeSecretOutput) -> Vec<String> {
    let status = described.replication_status().iter();
    status
        .filter_map(|replica| replica.region().map(str::to_owned))
        .collect()
}
