//! Values as environment variables. Keys that are variable names stay as they are, as `envFrom` has it; in
//! others every odd character becomes an underscore. Two keys for one variable are an error, never a
//! silent loss.

use std::collections::BTreeMap;

use lockstep_local::env_file::variable;
use lockstep_provider_api::SecretValue;
use lockstep_toolbox::exit::Failure;

use crate::source::Delivered;

/// A variable that the command line names: `VARIABLE=EXTERNALSECRET/KEY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) variable: String,
    pub(crate) object: String,
    pub(crate) key: String,
}

impl std::str::FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write VARIABLE=EXTERNALSECRET/KEY";
        let (variable, place) = text.split_once('=').ok_or(form)?;
        let (object, key) = place.rsplit_once('/').ok_or(form)?;
        if !is_variable(variable) || object.is_empty() || key.is_empty() {
            return Err(form.to_owned());
        }
        Ok(Self {
            variable: variable.to_owned(),
            object: object.to_owned(),
            key: key.to_owned(),
        })
    }
}

pub(crate) type Variables = BTreeMap<String, SecretValue>;

/// The variables that are named, or one for each key.
pub(crate) fn variables(
    objects: &[Delivered],
    mappings: &[Mapping],
    prefix: &str,
) -> anyhow::Result<Variables> {
    let mut found = Variables::new();
    if !mappings.is_empty() {
        for mapping in mappings {
            let value = mapped(objects, mapping)?;
            add(&mut found, &mapping.variable, value, &mapping.key)?;
        }
        return Ok(found);
    }
    for object in objects {
        for (key, value) in object.data.iter() {
            let name = format!("{prefix}{}", variable(key));
            add(&mut found, &name, value, key)?;
        }
    }
    Ok(found)
}

fn add(found: &mut Variables, name: &str, value: &SecretValue, key: &str) -> anyhow::Result<()> {
    if value.expose().contains(&0) {
        return Err(Failure::usage(format!(
            "key {key:?} holds a zero byte, which a variable cannot hold; use --files"
        )));
    }
    if found.insert(name.to_owned(), value.clone()).is_some() {
        return Err(Failure::usage(format!(
            "several keys would become variable {name}, among them {key:?}; name those you need with \
             --env VARIABLE=EXTERNALSECRET/KEY, or use --files"
        )));
    }
    Ok(())
}

fn mapped<'a>(objects: &'a [Delivered], mapping: &Mapping) -> anyhow::Result<&'a SecretValue> {
    let Mapping {
        variable,
        object,
        key,
    } = mapping;
    let is_meant = |one: &&Delivered| {
        one.name == *object || format!("{}/{}", one.namespace, one.name) == *object
    };
    let one = objects.iter().find(is_meant).ok_or_else(|| {
        Failure::missing(format!(
            "--env {variable}: externalsecret {object} not found"
        ))
    })?;
    one.data.get(key).ok_or_else(|| {
        let known = one.data.keys();
        let instead = lockstep_toolbox::suggest::instead(key, known, "keys");
        Failure::missing(format!(
            "--env {variable}: externalsecret {object} has no key {key:?}; {instead}"
        ))
    })
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    let begins = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    begins && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(data: &[(&str, &str)]) -> Vec<Delivered> {
        let data = data.iter();
        vec![Delivered {
            namespace: "a".to_owned(),
            name: "database".to_owned(),
            data: data
                .map(|(key, value)| ((*key).to_owned(), SecretValue::from(*value)))
                .collect(),
        }]
    }

    fn named(mapping: &str) -> Mapping {
        mapping.parse().unwrap()
    }

    #[test]
    fn keys_become_variables() {
        let objects = objects(&[("PASSWORD", "1"), ("tls.crt", "2"), ("9lives", "3")]);

        let names = variables(&objects, &[], "").unwrap();
        assert_eq!(
            names.keys().collect::<Vec<_>>(),
            ["PASSWORD", "_9lives", "tls_crt"]
        );
        let names = variables(&objects, &[], "DB_").unwrap();
        assert!(names.contains_key("DB_tls_crt"));
    }

    #[test]
    fn two_keys_for_one_variable_are_an_error() {
        let error = variables(&objects(&[("a.b", "1"), ("a-b", "2")]), &[], "").unwrap_err();

        assert!(error.to_string().contains("variable a_b"), "{error}");
    }

    #[test]
    fn a_mapping_takes_one_key() {
        let objects = objects(&[("user", "bob"), ("password", "canary")]);

        let found = variables(&objects, &[named("PW=database/password")], "").unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found["PW"].expose(), b"canary");
        let found = variables(&objects, &[named("PW=a/database/user")], "").unwrap();
        assert_eq!(found["PW"].expose(), b"bob");
    }

    #[test]
    fn a_mapping_of_an_unknown_key_names_the_near_one() {
        let error = variables(
            &objects(&[("password", "canary")]),
            &[named("PW=database/pasword")],
            "",
        )
        .unwrap_err();

        let text = error.to_string();
        assert!(text.contains("did you mean password?"), "{text}");
        assert!(!text.contains("canary"), "{text}");
    }

    #[test]
    fn a_mapping_has_one_form() {
        for text in ["PW", "PW=database", "9=a/b", "PW=/b", "PW=a/"] {
            assert!(text.parse::<Mapping>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_zero_byte_is_refused_without_the_value() {
        let error = variables(&objects(&[("raw", "canary\0")]), &[], "").unwrap_err();

        assert!(!error.to_string().contains("canary"));
    }
}
