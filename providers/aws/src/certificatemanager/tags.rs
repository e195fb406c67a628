//! Tags of certificates: they say which remote key an import belongs to, since certificates have no
//! names.

use aws_sdk_resourcegroupstagging::types::TagFilter;
use lockstep_provider_api::lifecycle::OtherTags;
use lockstep_provider_api::prelude::*;

use super::CertificateManager;
use super::import::sdk_tags;
use crate::managed::{self, Tags};

/// Tag that holds the remote key of an import.
const NAME: &str = "external-secrets-remote-key";

/// The tag of a remote key.
pub(super) fn of_name(name: &str) -> impl Iterator<Item = (String, String)> {
    [(NAME.to_owned(), name.to_owned())].into_iter()
}

impl CertificateManager {
    /// The certificate that was imported for a remote key; of several always the same.
    pub(super) async fn lookup(&self, name: &str) -> Result<Option<String>> {
        let filter = |key: &str, value: &str| TagFilter::builder().key(key).values(value).build();
        let filters = vec![filter(managed::KEY, managed::VALUE), filter(NAME, name)];
        let mut found: Vec<String> = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.tagging.get_resources();
                let request = request.resource_type_filters("acm:certificate");
                let request = request.set_tag_filters(Some(filters.clone()));
                request.set_pagination_token(page.clone()).send()
            };
            let answer = self.tagger.call("GetResources", name, send).await?;
            let listed = answer.resource_tag_mapping_list().iter();
            found.extend(listed.filter_map(|one| one.resource_arn().map(str::to_owned)));
            page = answer.pagination_token.filter(|token| !token.is_empty());
            if page.is_none() {
                return Ok(found.into_iter().min());
            }
        }
    }

    pub(super) async fn tags(&self, arn: &str) -> Result<Tags> {
        let send = || {
            let request = self.client.list_tags_for_certificate();
            request.certificate_arn(arn).send()
        };
        let answer = self
            .caller
            .call("ListTagsForCertificate", arn, send)
            .await?;
        let tags = answer.tags().iter().map(|tag| {
            let value = tag.value().unwrap_or_default().to_owned();
            (tag.key().to_owned(), value)
        });
        Ok(tags.collect())
    }

    /// Makes the tags what the push wants.
    pub(super) async fn sync_tags(&self, arn: &str, wanted: &Tags) -> Result<bool> {
        let present = self.tags(arn).await?;
        let (surplus, differs) = managed::changes(&present, wanted, OtherTags::Remove);
        if !surplus.is_empty() {
            let old = present.into_iter().filter(|(key, _)| surplus.contains(key));
            let old = sdk_tags(&old.collect())?;
            let send = || {
                let request = self.client.remove_tags_from_certificate();
                let request = request.certificate_arn(arn);
                request.set_tags(Some(old.clone())).send()
            };
            self.caller
                .call("RemoveTagsFromCertificate", arn, send)
                .await?;
        }
        if differs {
            let tags = sdk_tags(wanted)?;
            let send = || {
                let request = self.client.add_tags_to_certificate();
                let request = request.certificate_arn(arn);
                request.set_tags(Some(tags.clone())).send()
            };
            self.caller.call("AddTagsToCertificate", arn, send).await?;
        }
        Ok(differs || !surplus.is_empty())
    }
}
