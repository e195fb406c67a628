//! Searching: by name, by tags, below a path. The service filters where it can, so that values of
//! other secrets never travel; names come back whole, prefix included.

use aws_sdk_secretsmanager::types::{Filter, FilterNameStringType as FilterName};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use super::SecretsManager;
use super::batch::stored;

impl SecretsManager {
    pub(crate) async fn find(&self, find: &Find) -> Result<SecretMap> {
        if find.name.is_none() && find.tags.is_none() {
            return Err(Error::invalid_spec(
                "unexpected find operator: find needs name or tags",
            ));
        }
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let is_wanted = |name: &str| matcher.as_ref().is_none_or(|matcher| matcher.matches(name));
        let path = find.path.as_deref().filter(|path| !path.is_empty());
        let filters = filters(find, path);
        // A batch of everything would read what the expression does not want.
        if matcher.is_some() && path.is_none() {
            return self.find_listed(filters, is_wanted).await;
        }
        self.find_in_batches(filters, is_wanted).await
    }

    /// Lists names first, then reads those that match.
    async fn find_listed(
        &self,
        filters: Vec<Filter>,
        is_wanted: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<SecretMap> {
        let mut names = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.client.list_secrets();
                let filters = (!filters.is_empty()).then(|| filters.clone());
                let request = request.set_filters(filters);
                request.set_next_token(page.clone()).send()
            };
            let listed = self.caller.call("ListSecrets", "*", send).await?;
            let found = listed.secret_list().iter().filter_map(|one| one.name());
            names.extend(found.filter(|name| is_wanted(name)).map(str::to_owned));
            page = listed.next_token;
            if page.is_none() {
                break;
            }
        }
        let references: Vec<_> = names.iter().map(RemoteRef::key).collect();
        // What was listed carries the prefix already.
        let answers = Box::pin(self.unprefixed().get_many(&references)).await;
        let mut found = SecretMap::new();
        for (name, answer) in names.into_iter().zip(answers) {
            match answer {
                Ok(value) => drop(found.insert(name, value)),
                // Deleted between the list and the read, or without a value yet.
                Err(error) if *error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn find_in_batches(
        &self,
        filters: Vec<Filter>,
        is_wanted: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<SecretMap> {
        let mut found = SecretMap::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.client.batch_get_secret_value();
                let request = request.set_filters(Some(filters.clone()));
                request.set_next_token(page.clone()).send()
            };
            let answer = self.caller.call("BatchGetSecretValue", "*", send).await?;
            for error in answer.errors() {
                let id = error.secret_id().unwrap_or_default();
                if is_wanted(id) {
                    // A result without it would be partial; the single read tells why.
                    let reference = RemoteRef::key(id);
                    let value = Box::pin(self.unprefixed().get(&reference)).await?;
                    found.insert(id, value);
                }
            }
            for entry in answer.secret_values.unwrap_or_default() {
                let name = entry.name().unwrap_or_default().to_owned();
                if is_wanted(&name) {
                    let value = stored(entry).wanted(&RemoteRef::key(&name))?;
                    found.insert(name, value);
                }
            }
            page = answer.next_token;
            if page.is_none() {
                return Ok(found);
            }
        }
    }
}

/// What the service itself looks for.
fn filters(find: &Find, path: Option<&str>) -> Vec<Filter> {
    let filter = |name: FilterName, value: &str| Filter::builder().key(name).values(value).build();
    let mut filters: Vec<_> = path
        .map(|path| filter(FilterName::Name, path))
        .into_iter()
        .collect();
    for (key, value) in find.tags.iter().flatten() {
        filters.push(filter(FilterName::TagKey, key));
        filters.push(filter(FilterName::TagValue, value));
    }
    filters
}
