//! Reading parameters, one or ten at a time, and their tags. Versions are numbers or labels and part
//! of the name that is asked for.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ssm::types::ResourceTypeForTagging;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use lockstep_provider_api::json::{Html, to_json_strings};
use lockstep_provider_api::prelude::*;

use super::{BATCH, ParameterStore};
use crate::error::Failure;
use crate::managed::Tags;
use crate::read::{absent, members, wanted};

/// Single reads at once.
const AT_ONCE: usize = 8;

impl ParameterStore {
    pub(crate) async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let name = self.versioned(reference)?;
        let value = if reference.metadata == MetadataPolicy::Fetch {
            let tags = self.tags(&name).await;
            let tags = tags.map_err(|failure| absent(failure).context("error listing tags"))?;
            SecretValue::from(to_json_strings(&tags, Html::Escaped))
        } else {
            self.read(&name).await.map_err(absent)?
        };
        wanted(&value, reference)
    }

    pub(crate) async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, &reference.key)
    }

    /// Reads every parameter once, however many of its properties are wanted.
    pub(crate) async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let plain = |one: &RemoteRef| {
            one.metadata == MetadataPolicy::None && one.version.as_deref().is_none_or(str::is_empty)
        };
        let names: BTreeSet<_> = references
            .iter()
            .filter(|reference| plain(reference))
            .filter_map(|reference| self.name(&reference.key).ok())
            .collect();
        let names: Vec<_> = names.into_iter().collect();
        let read = self.read_many(&names).await;
        let mut values = Vec::with_capacity(references.len());
        for reference in references {
            let known = match self.name(&reference.key) {
                Ok(name) if plain(reference) => read.get(&name),
                _ => None,
            };
            values.push(match known {
                Some(Ok(value)) => wanted(value, reference),
                Some(Err(error)) => Err(error.duplicate()),
                None => self.get(reference).await,
            });
        }
        values
    }

    /// The values of many parameters, in batches where that is allowed.
    pub(super) async fn read_many(
        &self,
        names: &[String],
    ) -> BTreeMap<String, Result<SecretValue>> {
        let mut read = BTreeMap::new();
        if names.len() > 1 {
            for names in names.chunks(BATCH) {
                match self.read_batch(names).await {
                    Ok(values) => {
                        read.extend(values.into_iter().map(|(name, value)| (name, Ok(value))));
                    }
                    // The right to read in batches is another than that to read; whatever else is
                    // wrong, reading them one by one would only ask for it again.
                    Err(failure) if failure.is_denied() => break,
                    // One bad name may spoil the whole batch.
                    Err(failure) if *failure.error.kind() == ErrorKind::InvalidSpec => {}
                    Err(failure) => {
                        for name in names {
                            read.insert(name.clone(), Err(failure.error.duplicate()));
                        }
                    }
                }
            }
        }
        let mut single: Vec<BoxFuture<'_, _>> = Vec::new();
        for name in names.iter().filter(|name| !read.contains_key(*name)) {
            single.push(Box::pin(async move {
                let value = self.read(name).await.map_err(absent);
                (name.clone(), value)
            }));
        }
        let single: Vec<_> = stream::iter(single)
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        read.extend(single);
        read
    }

    async fn read_batch(&self, names: &[String]) -> Result<Vec<(String, SecretValue)>, Failure> {
        let send = || {
            let request = self.client.get_parameters();
            let request = request.set_names(Some(names.to_vec()));
            request.with_decryption(true).send()
        };
        let subject = names.join(", ");
        let answer = self.caller.call("GetParameters", &subject, send).await?;
        let found = answer.parameters.unwrap_or_default().into_iter();
        let pairs = found.filter_map(|parameter| {
            let known = [parameter.name(), parameter.arn()];
            let asked = |name: &&str| names.iter().any(|asked| asked == name);
            let name = known.into_iter().flatten().find(asked)?.to_owned();
            Some((name, SecretValue::from(parameter.value?)))
        });
        Ok(pairs.collect())
    }

    pub(super) async fn read(&self, name: &str) -> Result<SecretValue, Failure> {
        let send = || {
            let request = self.client.get_parameter().name(name);
            request.with_decryption(true).send()
        };
        let answer = self.caller.call("GetParameter", name, send).await?;
        let value = answer.parameter.and_then(|parameter| parameter.value);
        value.map(SecretValue::from).ok_or_else(|| Failure {
            code: String::new(),
            error: Error::invalid_data(format!(
                "invalid secret received. parameter value is nil for key: {name}"
            )),
        })
    }

    pub(super) async fn tags(&self, name: &str) -> Result<Tags, Failure> {
        let send = || {
            let request = self.client.list_tags_for_resource();
            let request = request.resource_type(ResourceTypeForTagging::Parameter);
            request.resource_id(name).send()
        };
        let answer = self.caller.call("ListTagsForResource", name, send).await?;
        let tags = answer.tag_list().iter();
        Ok(tags
            .map(|tag| (tag.key().to_owned(), tag.value().to_owned()))
            .collect())
    }

    /// The name with the version that is asked for.
    fn versioned(&self, reference: &RemoteRef) -> Result<String> {
        let name = self.name(&reference.key)?;
        Ok(match reference.version.as_deref() {
            None | Some("") => name,
            Some(version) => format!("{name}:{version}"),
        })
    }
}
