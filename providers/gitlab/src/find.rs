//! Searching variables by name and environment: those of the groups, then those of the project, which
//! win; a variable of one environment wins over one of all.

use std::collections::BTreeMap;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, Owner, Variable};
use crate::lookup;
use crate::spec::{GitlabSpec, is_any};

const TAG: &str = "environment_scope";

/// What a search selects.
pub(crate) struct Filter {
    environment: String,
    name: NameMatcher,
}

impl Filter {
    /// Checks a search against the store.
    pub(crate) fn new(find: &Find, spec: &GitlabSpec) -> Result<Self> {
        let refused = |text: &str| Err(Error::invalid_spec(text));
        let mut environment = spec.environment().to_owned();
        if let Some(tags) = &find.tags {
            let Some(wanted) = tag(tags) else {
                return refused("'find.tags' only supports 'environment_scope'");
            };
            if !is_any(&environment) && !is_any(wanted) {
                return refused("'find.tags' is constrained by 'environment_scope' of the store");
            }
            wanted.clone_into(&mut environment);
        }
        if find.path.is_some() {
            return refused("'find.path' is not implemented in the GitLab provider");
        }
        let Some(name) = &find.name else {
            return refused("'find.name' is mandatory");
        };
        Ok(Self {
            environment,
            name: NameMatcher::new(name)?,
        })
    }

    fn selects(&self, variable: &Variable) -> bool {
        let scope = &variable.environment_scope;
        let fits = is_any(scope) || is_any(&self.environment) || *scope == self.environment;
        fits && !variable.key.is_empty() && self.name.matches(&variable.key)
    }
}

fn tag(tags: &BTreeMap<String, String>) -> Option<&str> {
    if tags.keys().any(|key| key != TAG) {
        return None;
    }
    Some(tags.get(TAG).map_or("", String::as_str))
}

/// All variables that a filter selects.
pub(crate) async fn find(api: &Api, spec: &GitlabSpec, filter: &Filter) -> Result<SecretMap> {
    let mut found = SecretMap::new();
    for group in lookup::groups(api, spec).await? {
        for variable in api.list(Owner::Group(&group)).await? {
            let known = found.get(&variable.key).is_some();
            if filter.selects(&variable) && !(known && is_any(&variable.environment_scope)) {
                found.insert(variable.key, SecretValue::from(variable.value));
            }
        }
    }
    merge_project(
        &mut found,
        api.list(Owner::Project(spec.project())).await?,
        filter,
    );
    Ok(found)
}

fn merge_project(found: &mut SecretMap, variables: Vec<Variable>, filter: &Filter) {
    let mut specific = std::collections::BTreeSet::new();
    for variable in variables {
        let any = is_any(&variable.environment_scope);
        if !filter.selects(&variable) || (any && specific.contains(&variable.key)) {
            continue;
        }
        if !any {
            specific.insert(variable.key.clone());
        }
        found.insert(variable.key, SecretValue::from(variable.value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(environment: &str) -> Filter {
        Filter {
            environment: environment.to_owned(),
            name: NameMatcher::new("^DB_").unwrap(),
        }
    }

    fn variable(key: &str, value: &str, scope: &str) -> Variable {
        Variable {
            key: key.to_owned(),
            value: value.to_owned(),
            environment_scope: scope.to_owned(),
        }
    }

    #[test]
    fn a_variable_of_one_environment_wins_over_one_of_all_in_any_order() {
        for reverse in [false, true] {
            let mut variables = vec![
                variable("DB_A", "any", "*"),
                variable("DB_A", "prod", "prod"),
            ];
            if reverse {
                variables.reverse();
            }
            let mut found = SecretMap::new();

            merge_project(&mut found, variables, &filter("prod"));

            assert_eq!(found.get("DB_A").unwrap(), &"prod".into());
        }
    }

    #[test]
    fn other_environments_and_other_names_are_left_out() {
        let variables = vec![variable("DB_A", "x", "dev"), variable("OTHER", "y", "*")];
        let mut found = SecretMap::new();

        merge_project(&mut found, variables, &filter("prod"));

        assert!(found.is_empty());
    }

    #[test]
    fn searches_that_gitlab_cannot_do_are_refused_in_upstreams_words() {
        let spec = GitlabSpec {
            environment: Some("prod".to_owned()),
            ..GitlabSpec::default()
        };
        let named = Find {
            name: Some("x".to_owned()),
            ..Find::default()
        };
        let tagged = |key: &str| Find {
            tags: Some(BTreeMap::from([(key.to_owned(), "dev".to_owned())])),
            ..named.clone()
        };
        let pathed = Find {
            path: Some("/".to_owned()),
            ..named.clone()
        };
        let text = |find: &Find| Filter::new(find, &spec).err().unwrap().to_string();

        assert!(Filter::new(&named, &spec).is_ok());
        assert_eq!(text(&Find::default()), "'find.name' is mandatory");
        assert!(text(&tagged("team")).contains("only supports"));
        assert!(text(&tagged(TAG)).contains("is constrained by"));
        assert!(text(&pathed).contains("'find.path' is not implemented"));
    }
}
