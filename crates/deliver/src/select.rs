//! Which ExternalSecrets of a source are meant. A name that is not there is an error with the near names,
//! and an object without values is one too: a process must not start with half of what it needs.

use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::suggest::instead;

use crate::source::{Delivered, Supply};

/// The objects that are named, or all of them. A name may carry its namespace: `team-a/database`.
pub(crate) fn select(supply: Supply, names: &[String]) -> anyhow::Result<Vec<Delivered>> {
    let is_meant = |namespace: &str, name: &str, wanted: &str| {
        wanted == name || wanted.split_once('/') == Some((namespace, name))
    };
    let failed = supply.failed.iter().filter(|full| {
        let (namespace, name) = full.split_once('/').unwrap_or_default();
        names.is_empty() || names.iter().any(|wanted| is_meant(namespace, name, wanted))
    });
    let failed: Vec<&str> = failed.map(String::as_str).collect();
    if !failed.is_empty() {
        return Err(Failure::missing(format!(
            "no values for externalsecret {}",
            failed.join(", ")
        )));
    }
    for wanted in names {
        let found = supply.objects.iter();
        let found = found.filter(|one| is_meant(&one.namespace, &one.name, wanted));
        match found.count() {
            1 => {}
            0 => {
                // One without values is known by its name all the same.
                let failed = supply.failed.iter();
                let failed = failed.filter_map(|full| Some(full.split_once('/')?.1));
                let known = supply.objects.iter().map(|one| one.name.as_str());
                let known = known.chain(failed);
                let instead = instead(wanted, known, "externalsecrets");
                return Err(Failure::missing(format!(
                    "externalsecret {wanted} not found; {instead}"
                )));
            }
            _ => {
                return Err(Failure::usage(format!(
                    "externalsecret {wanted} exists in several namespaces; write NAMESPACE/{wanted}"
                )));
            }
        }
    }
    if supply.objects.is_empty() {
        return Err(Failure::missing("there is no externalsecret to deliver"));
    }
    let mut objects = supply.objects;
    if !names.is_empty() {
        objects.retain(|one| {
            let mut names = names.iter();
            names.any(|wanted| is_meant(&one.namespace, &one.name, wanted))
        });
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::SecretMap;
    use lockstep_toolbox::exit::{Exit, of};

    use super::*;

    fn supply(names: &[&str], failed: &[&str]) -> Supply {
        let objects = names.iter().map(|full| {
            let (namespace, name) = full.split_once('/').unwrap();
            Delivered {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                data: SecretMap::default(),
            }
        });
        Supply {
            objects: objects.collect(),
            failed: failed.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn selected(supply: Supply, names: &[&str]) -> Result<Vec<String>, (Exit, String)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let selected = select(supply, &names).map_err(|error| (of(&error), error.to_string()))?;
        let full = selected.iter();
        Ok(full
            .map(|one| format!("{}/{}", one.namespace, one.name))
            .collect())
    }

    #[test]
    fn without_a_name_everything_is_meant() {
        let all = selected(supply(&["a/x", "b/y"], &[]), &[]).unwrap();

        assert_eq!(all, ["a/x", "b/y"]);
    }

    #[test]
    fn a_name_may_carry_its_namespace() {
        let named = |name| selected(supply(&["a/x", "b/x", "b/y"], &[]), &[name]);

        assert_eq!(named("b/x").unwrap(), ["b/x"]);
        assert_eq!(named("y").unwrap(), ["b/y"]);
        let (exit, text) = named("x").unwrap_err();
        assert_eq!(exit, Exit::Usage);
        assert!(text.contains("NAMESPACE/x"), "{text}");
    }

    #[test]
    fn a_near_name_is_suggested() {
        for known in [supply(&["a/database"], &[]), supply(&[], &["a/database"])] {
            let (exit, text) = selected(known, &["databse"]).unwrap_err();
            assert_eq!(exit, Exit::Missing);
            assert!(text.contains("did you mean database?"), "{text}");
        }
    }

    #[test]
    fn an_object_without_values_stops_only_those_who_need_it() {
        let half = || supply(&["a/x"], &["a/broken"]);

        assert_eq!(selected(half(), &["x"]).unwrap(), ["a/x"]);
        let (exit, text) = selected(half(), &[]).unwrap_err();
        assert_eq!(exit, Exit::Missing);
        assert!(text.contains("a/broken"), "{text}");
    }
}
