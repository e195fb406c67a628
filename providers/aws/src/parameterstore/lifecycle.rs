//! The life of parameters: they are there or not. A deletion is final at once.

use aws_sdk_ssm::types::{Parameter, ParameterType};
use lockstep_provider_api::lifecycle::{
    Backend, Description, OtherTags, Owner, Purging, Shape, State, Undo, Writing, differing,
};
use lockstep_provider_api::prelude::*;

use super::ParameterStore;
use super::metadata::PushMetadata;
use crate::lifecycle::with_default;
use crate::managed::{self, Tags};

pub(crate) const BACKEND: Backend = Backend {
    name: "AWS Parameter Store",
    shape: Shape::Any,
    window: None,
};

impl ParameterStore {
    pub(crate) async fn description(&self, key: &str) -> Result<Description> {
        let name = self.name(key)?;
        if self.found(&name).await?.is_none() {
            return Ok(Description::missing(Undo::Never));
        }
        let owner = match self.tags(&name).await {
            Ok(tags) if managed::is_ours(&tags) => Owner::Ours,
            Ok(_) => Owner::Foreign,
            Err(failure) if failure.is_denied() => Owner::Unknown,
            Err(failure) => return Err(failure.into()),
        };
        Ok(Description {
            state: State::Available,
            owner,
            readable: None,
            undo: Undo::Never,
            writing: Writing::Direct,
            purging: Purging::Allowed,
        })
    }

    /// Keys with a prefix.
    pub(crate) async fn keys(&self, prefix: &str) -> Result<Vec<String>> {
        let wanted = format!("{}{prefix}", self.prefix);
        let all = Find {
            name: Some(String::new()),
            ..Find::default()
        };
        let names = self.describe(None, &all).await?.into_iter();
        let names = names.filter(|name| name.starts_with(&wanted));
        Ok(names
            .filter_map(|name| Some(name.strip_prefix(&self.prefix)?.to_owned()))
            .collect())
    }

    /// Writes a value; a new parameter is encrypted, an old one keeps its type.
    pub(crate) async fn put_parameter(&self, item: &PushItem) -> Result<Pushed> {
        let name = self.name(&item.target.remote_key)?;
        let found = self.found(&name).await?;
        let kind = found.and_then(|parameter| parameter.r#type);
        let kind = kind.unwrap_or(ParameterType::SecureString);
        let item = with_default(item, "secretType", kind.as_str());
        self.push_beside(&item, OtherTags::Keep).await
    }

    pub(crate) async fn differing_tags(&self, item: &PushItem) -> Result<Vec<String>> {
        let wanted = named_tags(item)?;
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let name = self.name(&item.target.remote_key)?;
        Ok(differing(&self.tags(&name).await?, &wanted))
    }

    pub(crate) async fn set_tags(&self, item: &PushItem) -> Result<()> {
        let name = self.name(&item.target.remote_key)?;
        self.tag(&name, &named_tags(item)?).await
    }

    pub(crate) async fn mark(&self, key: &str) -> Result<()> {
        let tags = managed::wanted(&Tags::new())?;
        self.tag(&self.name(key)?, &tags).await
    }

    /// Deletes for good.
    pub(crate) async fn erase(&self, key: &str) -> Result<State> {
        let name = self.name(key)?;
        let send = || self.client.delete_parameter().name(&name).send();
        match self.caller.call("DeleteParameter", &name, send).await {
            Err(failure) if !failure.is("ParameterNotFound") => Err(failure.into()),
            _ => Ok(State::Missing),
        }
    }

    /// The parameter without its value in the clear.
    async fn found(&self, name: &str) -> Result<Option<Parameter>> {
        let send = || {
            let request = self.client.get_parameter().name(name);
            request.with_decryption(false).send()
        };
        match self.caller.call("GetParameter", name, send).await {
            Ok(answer) => Ok(answer.parameter),
            Err(failure) if failure.is("ParameterNotFound") => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// The tags that a push names, without the mark.
fn named_tags(item: &PushItem) -> Result<Tags> {
    let tags = PushMetadata::parse(item)?.tags;
    managed::wanted(&tags)?;
    Ok(tags)
}
