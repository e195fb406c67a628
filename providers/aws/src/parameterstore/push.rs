//! Writing and deleting parameters. A parameter is written only where its value differs, and tags
//! are brought in line then; what is not ours is refused or, on deletion, left alone.

use aws_sdk_ssm::types::{ParameterTier, ResourceTypeForTagging, Tag};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::json::{Html, json_object, to_json_strings};
use lockstep_provider_api::lifecycle::OtherTags;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use super::ParameterStore;
use super::metadata::PushMetadata;
use crate::managed::{self, Tags};

/// What moto and AWS show of a value that is not decrypted.
const HIDDEN: &str = "sensitive";
/// Largest value of the standard and of the advanced tier.
const STANDARD_SIZE: usize = 4096;
const ADVANCED_SIZE: usize = 8192;

/// A parameter to be written.
struct Write<'a> {
    name: &'a str,
    value: &'a SecretValue,
    metadata: &'a PushMetadata,
    /// Tags of a new parameter; an existing one gets its tags by themselves.
    tags: Option<&'a Tags>,
}

impl ParameterStore {
    pub(crate) async fn push(&self, item: &PushItem) -> Result<Pushed> {
        self.push_beside(item, OtherTags::Remove).await
    }

    /// Writes a parameter; says what becomes of tags that the push does not name.
    pub(super) async fn push_beside(&self, item: &PushItem, others: OtherTags) -> Result<Pushed> {
        let metadata = PushMetadata::parse(item)?;
        let tags = managed::wanted(&metadata.tags)?;
        let value = value_of(item, &metadata);
        let name = self.name(&item.target.remote_key)?;
        let current = match self.read(&name).await {
            Ok(current) => current,
            Err(failure) if failure.is("ParameterNotFound") => {
                let value = merged(SecretValue::default(), item, value)?;
                self.put(Write {
                    name: &name,
                    value: &value,
                    metadata: &metadata,
                    tags: Some(&tags),
                })
                .await?;
                return Ok(Pushed::Created);
            }
            Err(failure) => {
                let text = format!("unexpected error getting parameter {name}");
                return Err(failure.error.context(text));
            }
        };
        let present = self.tags(&name).await.map_err(|failure| {
            let text = format!("error getting the existing tags for the parameter {name}");
            failure.error.context(text)
        })?;
        managed::require(&present, "secret")?;
        if current.expose() == HIDDEN.as_bytes() {
            return Err(Error::invalid_data(
                "unable to compare 'sensitive' result, ensure to request a decrypted value",
            ));
        }
        let value = merged(current.clone(), item, value)?;
        if value == current {
            return Ok(Pushed::Unchanged);
        }
        self.put(Write {
            name: &name,
            value: &value,
            metadata: &metadata,
            tags: None,
        })
        .await?;
        self.sync_tags(&name, (&present, others), &tags).await?;
        Ok(Pushed::Updated)
    }

    async fn put(&self, write: Write<'_>) -> Result<()> {
        let Write { name, metadata, .. } = write;
        let (kind, key) = (metadata.kind()?, metadata.kms_key()?);
        let (is_advanced, policies) = (metadata.is_advanced(), metadata.policies());
        check_size(write.value, is_advanced)?;
        let value = write.value.expose_utf8()?;
        let description = match metadata.description.as_str() {
            "" => managed::DESCRIPTION,
            given => given,
        };
        let tags = write.tags.map(sdk_tags).transpose()?;
        let send = || {
            self.client
                .put_parameter()
                .name(name)
                .value(value)
                .r#type(kind.clone())
                .description(description)
                .overwrite(tags.is_none())
                .set_key_id(key.clone())
                .set_tags(tags.clone())
                .set_tier(is_advanced.then_some(ParameterTier::Advanced))
                .set_policies(policies.clone())
                .send()
        };
        let put = self.caller.call("PutParameter", name, send).await;
        put.map(drop).map_err(|failure| {
            let text = format!("unexpected error pushing parameter {name}");
            failure.error.context(text)
        })
    }

    async fn sync_tags(
        &self,
        name: &str,
        (present, others): (&Tags, OtherTags),
        wanted: &Tags,
    ) -> Result<()> {
        let (surplus, differs) = managed::changes(present, wanted, others);
        if !surplus.is_empty() {
            let send = || {
                let request = self.client.remove_tags_from_resource();
                let request = request.resource_type(ResourceTypeForTagging::Parameter);
                let request = request.resource_id(name);
                request.set_tag_keys(Some(surplus.clone())).send()
            };
            self.caller
                .call("RemoveTagsFromResource", name, send)
                .await?;
        }
        if differs {
            self.tag(name, wanted).await?;
        }
        Ok(())
    }

    /// Sets tags beside those that are there.
    pub(super) async fn tag(&self, name: &str, tags: &Tags) -> Result<()> {
        let tags = sdk_tags(tags)?;
        let send = || {
            let request = self.client.add_tags_to_resource();
            let request = request.resource_type(ResourceTypeForTagging::Parameter);
            let request = request.resource_id(name);
            request.set_tags(Some(tags.clone())).send()
        };
        self.caller.call("AddTagsToResource", name, send).await?;
        Ok(())
    }

    pub(crate) async fn delete(&self, target: &PushTarget) -> Result<()> {
        let name = self.name(&target.remote_key)?;
        let current = match self.read(&name).await {
            Ok(current) => current,
            Err(failure) if failure.is("ParameterNotFound") => return Ok(()),
            Err(failure) => {
                let text = format!("unexpected error getting parameter {name}");
                return Err(failure.error.context(text));
            }
        };
        let tags = self.tags(&name).await?;
        if !managed::is_ours(&tags) {
            return Ok(());
        }
        if let Some(property) = target.wanted_property()
            && self.remove_property(&name, &current, property).await?
        {
            return Ok(());
        }
        let send = || self.client.delete_parameter().name(&name).send();
        match self.caller.call("DeleteParameter", &name, send).await {
            Err(failure) if failure.is("ParameterNotFound") => Ok(()),
            result => result.map(drop).map_err(|failure| {
                let text = format!("could not delete parameter {name}");
                failure.error.context(text)
            }),
        }
    }

    /// Takes one property out; `false` when nothing else would be left. Type and description stay.
    async fn remove_property(
        &self,
        name: &str,
        current: &SecretValue,
        property: &str,
    ) -> Result<bool> {
        if property::find(current, property, Dots::Raw).is_none() {
            // A value that was pushed whole, before properties were heard.
            return Ok(json_object(current).is_ok());
        }
        let left = property::remove(current, property)?;
        if json_object(&left).is_ok_and(|members| members.is_empty()) {
            return Ok(false);
        }
        let value = left.expose_utf8()?;
        let send = || {
            let request = self.client.put_parameter().name(name);
            request.value(value).overwrite(true).send()
        };
        self.caller.call("PutParameter", name, send).await?;
        Ok(true)
    }

    pub(crate) async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let name = self.name(&target.remote_key)?;
        match self.read(&name).await {
            Ok(value) => Ok(target
                .wanted_property()
                .is_none_or(|wanted| property::find(&value, wanted, Dots::Raw).is_some())),
            Err(failure) if *failure.error.kind() == ErrorKind::NotFound => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// One key as it is; a whole Secret as JSON, its values in base64 unless the push says otherwise.
fn value_of(item: &PushItem, metadata: &PushMetadata) -> SecretValue {
    if item.wanted_key().is_some() || metadata.encode_as_decoded {
        return item.value_or_empty();
    }
    let encoded = item.source.iter();
    let encoded = encoded.map(|(key, value)| (key.to_owned(), STANDARD.encode(value.expose())));
    SecretValue::from(to_json_strings(&encoded.collect(), Html::Plain))
}

fn merged(current: SecretValue, item: &PushItem, value: SecretValue) -> Result<SecretValue> {
    let Some(property) = item.target.wanted_property() else {
        return Ok(value);
    };
    if !current.is_empty() && json_object(&current).is_err() {
        return Err(Error::invalid_spec(format!(
            "cannot set property {property:?}: the parameter holds no JSON object"
        )));
    }
    property::set(&current, property, &value)
}

fn check_size(value: &SecretValue, is_advanced: bool) -> Result<()> {
    let (most, tier) = if is_advanced {
        (ADVANCED_SIZE, "advanced")
    } else {
        (STANDARD_SIZE, "standard")
    };
    if value.len() <= most {
        return Ok(());
    }
    Err(Error::invalid_spec(format!(
        "the value has {} bytes; a parameter of the {tier} tier takes at most {most}",
        value.len()
    )))
}

pub(super) fn sdk_tags(tags: &Tags) -> Result<Vec<Tag>> {
    let tags = tags.iter().map(|(key, value)| {
        let tag = Tag::builder().key(key).value(value).build();
        tag.map_err(|error| Error::invalid_spec(format!("tag {key:?}: {error}")))
    });
    tags.collect()
}
