//! Where a variable is looked for: the project first, then the groups from the last to the first;
//! each with the store's environment, then with the scope of all environments.

use lockstep_provider_api::prelude::*;

use crate::api::{Api, Owner};
use crate::spec::{GitlabSpec, is_any};

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
    for group in groups.iter().rev() {
        match in_group(api, spec, group, key).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            found => return found,
        }
    }
    Err(missing)
}

async fn in_project(api: &Api, spec: &GitlabSpec, key: &str) -> Result<String> {
    let owner = Owner::Project(spec.project());
    let first = api.read(owner, key, spec.environment()).await;
    match first {
        Err(error) if falls_back(&error, spec) => {
            let second = api.read(owner, key, "*").await;
            second.map_err(|error| {
                error.context(format!(
                    "error getting variable {key} from GitLab (including wildcard retry)"
                ))
            })
        }
        found => found,
    }
}

async fn in_group(api: &Api, spec: &GitlabSpec, group: &str, key: &str) -> Result<String> {
    let owner = Owner::Group(group);
    match api.read(owner, key, spec.environment()).await {
        Err(error) if falls_back(&error, spec) => {
            let second = api.read(owner, key, "*").await;
            second.map_err(|error| {
                error.context(format!("error getting group variable {key} from GitLab"))
            })
        }
        found => found,
    }
}

fn falls_back(error: &Error, spec: &GitlabSpec) -> bool {
    error.kind() == &ErrorKind::NotFound && !is_any(spec.environment())
}
