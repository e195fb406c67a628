//! An authenticated connection as the rest of the program sees it. GitHub never shows a value, so secrets
//! are only written, and always: nobody can tell whether one is the same.

use std::collections::BTreeMap;

use lockstep_provider_api::json::{Html, to_json_strings};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, encode};

use crate::api::{Api, Sealed, Secret};
use crate::seal::sealed;
use crate::spec::Visibility;

const WRITE_ONLY: &str = "not implemented - this provider supports write-only operations";
const SELECTED: &str = "selected";

/// A connection to secrets of GitHub Actions.
pub struct GithubStore {
    api: Api,
    visibility: Option<Visibility>,
    is_organization: bool,
    is_cluster: bool,
}

impl GithubStore {
    pub(crate) fn new(api: Api, spec: &crate::GithubSpec, ctx: &Ctx) -> Self {
        Self {
            api,
            visibility: spec.org_secret_visibility,
            is_organization: spec.repository().is_none(),
            is_cluster: ctx.store().namespace.is_none(),
        }
    }

    /// What the store says, else what the secret has, else everybody.
    fn visibility<'a>(&self, existing: Option<&'a Secret>) -> &'a str {
        let existing = existing.map(|secret| secret.visibility.as_str());
        match (self.visibility, existing) {
            (Some(visibility), _) => visibility.word(),
            (None, Some(word)) if !word.is_empty() => word,
            _ => "all",
        }
    }

    async fn write(&self, item: &PushItem) -> Result<Pushed> {
        let key = &item.target.remote_key;
        let existing = self.api.secret(key).await;
        let existing = existing.map_err(|error| error.context("error fetching secret"))?;
        let public = self.api.public_key().await;
        let public = public.map_err(|error| error.context("error fetching public key"))?;
        let value = sealed(&value(item)?, &public.key)?;
        let visibility = self.visibility(existing.as_ref());
        let name = existing.as_ref().map(|secret| secret.name.as_str());
        let name = name.filter(|name| !name.is_empty()).unwrap_or(key);
        let mut repositories = Vec::new();
        // GitHub takes a write without this list for a list of nobody.
        if visibility == SELECTED && existing.is_some() && self.is_organization {
            repositories = self.api.repositories(name).await.map_err(|error| {
                error.context(format!(
                    "failed to list selected repositories for org secret {name:?}"
                ))
            })?;
        }
        let sealed = Sealed {
            key_id: &public.key_id,
            value: &value,
            visibility,
            repositories,
        };
        let written = self.api.put(name, sealed).await;
        written.map_err(|error| error.context("failed to create secret"))?;
        Ok(match existing {
            Some(_) => Pushed::Updated,
            None => Pushed::Created,
        })
    }
}

/// One key, or the whole Secret as a JSON object whose values are base64.
fn value(item: &PushItem) -> Result<SecretValue> {
    if let Some(key) = item.wanted_key() {
        let found = item.source.get(key).cloned();
        return found.ok_or_else(|| Error::invalid_spec(format!("key {key} not found in secret")));
    }
    let encoded = |(key, value): (&str, &SecretValue)| {
        (key.to_owned(), encode(Encoding::Standard, value.expose()))
    };
    let members: BTreeMap<String, String> = item.source.iter().map(encoded).collect();
    Ok(SecretValue::from(to_json_strings(&members, Html::Escaped)))
}

impl Store for GithubStore {
    async fn get(&self, _reference: &RemoteRef) -> Result<SecretValue> {
        Err(Error::unsupported(WRITE_ONLY))
    }

    async fn get_map(&self, _reference: &RemoteRef) -> Result<SecretMap> {
        Err(Error::unsupported(WRITE_ONLY))
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported(WRITE_ONLY))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        self.write(item).await
    }

    /// A secret that is gone already is no error. GitHub answers the same where the app lost its right,
    /// so whether secrets can be listed tells both apart.
    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let deleted = match self.api.delete(&target.remote_key).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => self.api.list().await,
            deleted => deleted,
        };
        deleted.map_err(|error| error.context("failed to delete secret"))
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let found = self.api.secret(&target.remote_key).await;
        let found = found.map_err(|error| error.context("error fetching secret"))?;
        Ok(found.is_some())
    }

    async fn check(&self) -> Check {
        if self.is_cluster {
            return Check::Healthy(Health::Unknown);
        }
        match self.api.list().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error.context("store is not allowed to list secrets")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_secret_is_an_object_of_base64() {
        let entries = [("b", "2"), ("a", "<1>")];
        let source = entries.map(|(key, value)| (key.to_owned(), SecretValue::from(value)));
        let mut item = PushItem::whole(PushTarget::key("T"), SecretMap::from_iter(source));

        let whole = value(&item).unwrap();
        assert_eq!(whole, r#"{"a":"PDE+","b":"Mg=="}"#.into());

        item.secret_key = Some("nope".to_owned());
        let error = value(&item).unwrap_err();
        assert_eq!(error.to_string(), "key nope not found in secret");
    }
}
