//! Where a variable is looked for: the project first, then the groups from the last to the first. The
//! project and the last group are asked for the store's environment, then for the scope of all
//! environments; the other groups the other way round, because upstream takes that value there.

use lockstep_provider_api::prelude::*;

use crate::api::{Api, Owner};
use crate::spec::{GitlabSpec, is_any};

/// The scope of all environments.
const ANY: &str = "*";

/// The groups to read from.
pub(crate) async fn groups(api: &Api, spec: &GitlabSpec) -> Result<Vec<String>> {
    if spec.inherits() {
        return api.groups_of(spec.project()).await;
    }
    Ok(spec.groups().to_vec())
}

/// The value of a variable. A `NotFound` means that neither the project nor a group has it.
pub(crate) async fn value(api: &Api, spec: &GitlabSpec, key: &str) -> Result<String> {
    let missing = match in_project(api, spec, key).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => error,
        found => return found,
    };
    let groups = groups(api, spec)
        .await
        .map_err(lockstep_provider_kit::error::not_absence)?;
    let mut scopes = vec![spec.environment()];
    if !is_any(spec.environment()) {
        scopes.push(ANY);
    }
    for group in groups.iter().rev() {
        match in_group(api, group, key, &scopes).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            found => return found,
        }
        if let [_, ANY] = scopes[..] {
            scopes.reverse();
        }
    }
    Err(missing)
}

async fn in_project(api: &Api, spec: &GitlabSpec, key: &str) -> Result<String> {
    let owner = Owner::Project(spec.project());
    let first = api.read(owner, key, spec.environment()).await;
    match first {
        Err(error) if error.kind() == &ErrorKind::NotFound && !is_any(spec.environment()) => {
            let second = api.read(owner, key, ANY).await;
            second.map_err(|error| {
                error.context(format!(
                    "error getting variable {key} from GitLab (including wildcard retry)"
                ))
            })
        }
        found => found,
    }
}

/// The variable of a group in the first of the scopes that has it.
async fn in_group(api: &Api, group: &str, key: &str, scopes: &[&str]) -> Result<String> {
    let owner = Owner::Group(group);
    let Some((first, others)) = scopes.split_first() else {
        return Err(Error::not_found());
    };
    let mut found = api.read(owner, key, first).await;
    for scope in others {
        if !matches!(&found, Err(error) if error.kind() == &ErrorKind::NotFound) {
            break;
        }
        found = api.read(owner, key, scope).await.map_err(|error| {
            error.context(format!("error getting group variable {key} from GitLab"))
        });
    }
    found
}
