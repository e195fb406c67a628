//! Deleted secrets of the services: which service answers, and the form in which values are kept
//! where a manifest says nothing about it. Parameters have no tombstones; certificates are left out.

use futures_util::future::BoxFuture;
use lockstep_provider_api::lifecycle::{Backend, Description, Lifecycle, State};
use lockstep_provider_api::metadata::{API_VERSION, KIND};
use lockstep_provider_api::prelude::*;
use serde_json::json;

use crate::certificatemanager::unsupported;
use crate::store::{AwsStore, Client};
use crate::{parameterstore, secretsmanager};

impl Lifecycle for AwsStore {
    fn backend(&self) -> Backend {
        match self.client() {
            Ok(Client::Parameters(_)) => parameterstore::BACKEND,
            _ => secretsmanager::BACKEND,
        }
    }

    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.description(key).await,
                Client::Parameters(client) => client.description(key).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.keys(prefix).await,
                Client::Parameters(client) => client.keys(prefix).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.put(item).await,
                Client::Parameters(client) => client.put_parameter(item).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.differing_tags(item).await,
                Client::Parameters(client) => client.differing_tags(item).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.set_tags(item).await,
                Client::Parameters(client) => client.set_tags(item).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.mark(key).await,
                Client::Parameters(client) => client.mark(key).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn delete<'a>(&'a self, key: &'a str, days: Option<u32>) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.schedule(key, days).await,
                Client::Parameters(client) => client.erase(key).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.restore(key).await,
                Client::Parameters(_) => Err(Error::unsupported(
                    "Parameter Store keeps nothing of a deleted parameter",
                )),
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }

    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            match self.client()? {
                Client::Secrets(client) => client.force(key).await,
                Client::Parameters(client) => client.erase(key).await,
                Client::Certificates(_) => Err(unsupported()),
            }
        })
    }
}

/// The same push with a setting of its metadata where the manifest has none of that name.
pub(crate) fn with_default(item: &PushItem, name: &str, value: &str) -> PushItem {
    let mut item = item.clone();
    let metadata = item
        .metadata
        .get_or_insert_with(|| json!({ "apiVersion": API_VERSION, "kind": KIND, "spec": {} }));
    let spec = metadata
        .get_mut("spec")
        .and_then(|spec| spec.as_object_mut());
    if let Some(spec) = spec
        && !spec.keys().any(|key| key.eq_ignore_ascii_case(name))
    {
        spec.insert(name.to_owned(), value.into());
    }
    item
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::PushTarget;

    use super::*;

    #[test]
    fn a_setting_of_the_manifest_wins_over_the_default() {
        let mut item = PushItem::whole(PushTarget::key("k"), SecretMap::new());

        let added = with_default(&item, "secretType", "SecureString");
        item.metadata = Some(json!({ "spec": { "SecretType": "String" } }));
        let kept = with_default(&item, "secretType", "SecureString");

        assert_eq!(
            added.metadata.unwrap()["spec"]["secretType"],
            "SecureString"
        );
        assert_eq!(
            kept.metadata.unwrap()["spec"],
            json!({ "SecretType": "String" })
        );
    }
}
