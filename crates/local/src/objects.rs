//! Credential objects for providers: Secrets and ConfigMaps of the folder, overlaid with the
//! environment, and ServiceAccounts as far as they can exist without a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_provider_api::context::{LabelledSecret, Objects, TokenRequest};
use lockstep_provider_api::{Error, ErrorKind, Result, SecretMap, SecretValue};

use super::credentials::{Credentials, secret_variable, selected_keys, token_variable};
use super::folder::Folder;
use super::folder_world::data_of;
use super::name::Name;

type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Credential objects of a folder.
pub(crate) struct FolderObjects {
    folder: Arc<Folder>,
    credentials: Credentials,
}

impl FolderObjects {
    pub(crate) fn new(folder: Arc<Folder>, credentials: Credentials) -> Self {
        Self {
            folder,
            credentials,
        }
    }

    fn secret_data(&self, name: &Name) -> Result<SecretMap> {
        let state = self.folder.state();
        let mut wanted = BTreeSet::new();
        for tracked in state.stores.values() {
            if let Ok((_, settings)) = tracked.record.spec.provider.only() {
                selected_keys(settings, &name.name, &mut wanted);
            }
        }
        let given = state.secrets.get(name);
        let mut data = given.map(data_of).unwrap_or_default();
        self.credentials.overlay(name, &wanted, &mut data);
        if given.is_none() && data.is_empty() {
            let key = wanted.first().map_or("KEY", String::as_str);
            let text = format!(
                "secrets {:?} not found; add its manifest to the folder or set {}",
                name.name,
                secret_variable(name, key)
            );
            return Err(Error::new(ErrorKind::NotFound, text));
        }
        Ok(data)
    }

    /// Labels of a Secret's manifest. One that is in the environment alone was put there for its
    /// store, so it counts as marked for it.
    fn secret_labels(&self, name: &Name) -> BTreeMap<String, String> {
        let state = self.folder.state();
        match state.secrets.get(name) {
            Some(secret) => secret.metadata.labels.clone().unwrap_or_default(),
            None => [("external-secrets.io/type".to_owned(), "webhook".to_owned())].into(),
        }
    }

    fn config_map_data(&self, name: &Name) -> Result<BTreeMap<String, String>> {
        let state = self.folder.state();
        let Some(data) = state.config_maps.get(name) else {
            let text = format!(
                "configmaps {:?} not found; add its manifest to the folder",
                name.name
            );
            return Err(Error::new(ErrorKind::NotFound, text));
        };
        let texts = data.iter().filter_map(|(key, value)| {
            Some((key.to_owned(), value.expose_utf8().ok()?.to_owned()))
        });
        Ok(texts.collect())
    }

    fn service_account_token(&self, name: &Name) -> Result<SecretValue> {
        self.credentials.token(name).ok_or_else(|| {
            Error::invalid_spec(format!(
                "there is no cluster to make a token of ServiceAccount {name}; set {} or use \
                 another kind of authentication",
                token_variable(name)
            ))
        })
    }
}

impl Objects for FolderObjects {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        Box::pin(async move { self.secret_data(&Name::new(namespace, name)) })
    }

    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        let name = Name::new(namespace, name);
        Box::pin(async move {
            Ok(LabelledSecret {
                data: self.secret_data(&name)?,
                labels: self.secret_labels(&name),
            })
        })
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async move { self.config_map_data(&Name::new(namespace, name)) })
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async move {
            let annotations = self
                .folder
                .state()
                .service_accounts
                .get(&Name::new(namespace, name))
                .cloned();
            annotations.ok_or_else(|| {
                let text =
                    format!("serviceaccounts {name:?} not found; add its manifest to the folder");
                Error::new(ErrorKind::NotFound, text)
            })
        })
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        Box::pin(
            async move { self.service_account_token(&Name::new(request.namespace, request.name)) },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(variables: &[(&str, &str)]) -> FolderObjects {
        let pairs = variables
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).into()));
        FolderObjects::new(Arc::default(), Credentials::new(pairs.collect()))
    }

    #[test]
    fn a_missing_secret_says_which_variable_would_do() {
        let error = objects(&[])
            .secret_data(&Name::new("default", "creds"))
            .unwrap_err();

        assert_eq!(
            error.to_string(),
            "secrets \"creds\" not found; add its manifest to the folder or set \
             LOCKSTEP_SECRET_DEFAULT_CREDS_KEY"
        );
    }

    #[test]
    fn a_secret_may_live_in_the_environment_alone() {
        let objects = objects(&[("LOCKSTEP_SECRET_DEFAULT_CREDS_TOKEN", "t")]);

        let data = objects.secret_data(&Name::new("default", "creds")).unwrap();

        assert_eq!(data.get("token"), Some(&SecretValue::from("t")));
    }

    #[test]
    fn a_token_comes_from_the_environment_or_not_at_all() {
        let objects = objects(&[("LOCKSTEP_TOKEN_DEFAULT_APP", "jwt")]);

        let token = objects
            .service_account_token(&Name::new("default", "app"))
            .unwrap();
        let error = objects
            .service_account_token(&Name::new("default", "other"))
            .unwrap_err();

        assert_eq!(token, SecretValue::from("jwt"));
        assert!(error.to_string().contains("LOCKSTEP_TOKEN_DEFAULT_OTHER"));
    }
}
