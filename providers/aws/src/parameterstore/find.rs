//! Searching parameters. A path is read in one go, values included; tags, and identities that may
//! not read a path, need a list of names first. Names come back whole; the store's prefix is not
//! added to them.

use aws_sdk_ssm::types::ParameterStringFilter;
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use super::ParameterStore;
use crate::error::Failure;

impl ParameterStore {
    pub(crate) async fn find(&self, find: &Find) -> Result<SecretMap> {
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let is_wanted = |name: &str| matcher.as_ref().is_none_or(|matcher| matcher.matches(name));
        let path = find.path.as_deref().filter(|path| !path.is_empty());
        if find.tags.is_some() {
            let names = self.describe(path, find).await?;
            return self.read_named(names, is_wanted).await;
        }
        if find.name.is_none() {
            return Err(Error::invalid_spec(
                "unexpected find operator: find needs name or tags",
            ));
        }
        match self.read_path(path.unwrap_or("/"), is_wanted).await {
            Ok(found) => Ok(found),
            Err(failure) if failure.is_denied() => {
                let names = self.describe(path, find).await?;
                self.read_named(names, is_wanted).await
            }
            Err(failure) => {
                let path = path.unwrap_or("/");
                let text = format!("fetching parameters by path {path}");
                Err(not_absent(failure.error).context(text))
            }
        }
    }

    /// Everything below a path.
    async fn read_path(
        &self,
        path: &str,
        is_wanted: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<SecretMap, Failure> {
        let mut found = SecretMap::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.client.get_parameters_by_path().path(path);
                let request = request.recursive(true).with_decryption(true);
                request.set_next_token(page.clone()).send()
            };
            let answer = self.caller.call("GetParametersByPath", path, send).await?;
            for parameter in answer.parameters.unwrap_or_default() {
                let (Some(name), Some(value)) = (parameter.name, parameter.value) else {
                    continue;
                };
                if is_wanted(&name) {
                    found.insert(name, value.into());
                }
            }
            page = answer.next_token.filter(|token| !token.is_empty());
            if page.is_none() {
                return Ok(found);
            }
        }
    }

    /// Names of parameters below a path that carry all tags.
    pub(super) async fn describe(&self, path: Option<&str>, find: &Find) -> Result<Vec<String>> {
        let filters = filters(path, find)?;
        let mut names = Vec::new();
        let mut page: Option<String> = None;
        loop {
            let send = || {
                let request = self.client.describe_parameters();
                let wanted = (!filters.is_empty()).then(|| filters.clone());
                let request = request.set_parameter_filters(wanted);
                request.set_next_token(page.clone()).send()
            };
            let subject = path.unwrap_or("/");
            let answer = self.caller.call("DescribeParameters", subject, send).await;
            let answer = answer.map_err(|failure| not_absent(failure.error))?;
            let found = answer.parameters.unwrap_or_default().into_iter();
            names.extend(found.filter_map(|parameter| parameter.name));
            page = answer.next_token.filter(|token| !token.is_empty());
            if page.is_none() {
                return Ok(names);
            }
        }
    }

    async fn read_named(
        &self,
        names: Vec<String>,
        is_wanted: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<SecretMap> {
        let names: Vec<_> = names.into_iter().filter(|name| is_wanted(name)).collect();
        let mut found = SecretMap::new();
        for (name, value) in self.read_many(&names).await {
            match value {
                Ok(value) => drop(found.insert(name, value)),
                // Deleted between the list and the read.
                Err(error) if *error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

fn filters(path: Option<&str>, find: &Find) -> Result<Vec<ParameterStringFilter>> {
    let filter = |key: String, option: &str, value: &str| {
        let filter = ParameterStringFilter::builder().key(key).option(option);
        let filter = filter.values(value).build();
        filter.map_err(|error| Error::invalid_spec(format!("find: {error}")))
    };
    let mut filters = Vec::new();
    for (key, value) in find.tags.iter().flatten() {
        filters.push(filter(format!("tag:{key}"), "Equals", value)?);
    }
    if let Some(path) = path {
        filters.push(filter("Path".to_owned(), "Recursive", path)?);
    }
    Ok(filters)
}

/// A list that fails says nothing of a missing secret.
fn not_absent(error: Error) -> Error {
    if *error.kind() == ErrorKind::NotFound {
        return Error::invalid_data(error.to_string());
    }
    error
}
