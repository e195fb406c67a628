//! A value as a map: a YAML mapping, which a JSON object is too. Texts, numbers and lists are as Go
//! prints them, mappings inside are YAML again. Errors never show a value.

use lockstep_golang::fmt::value_text;
use lockstep_golang::json::Value;
use lockstep_golang::yaml;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::yaml::to_yaml;

/// The members of a value.
pub(crate) fn members(value: &SecretValue) -> Result<SecretMap> {
    let refused =
        || Error::invalid_data("unable to unmarshal secret: the value is no YAML mapping");
    let Ok(Value::Object(members)) = yaml::decode(value.expose()) else {
        return Err(refused());
    };
    let members = members.into_iter();
    Ok(members
        .map(|(name, member)| (name, SecretValue::from(text(&member))))
        .collect())
}

fn text(member: &Value) -> String {
    match member {
        Value::Object(_) => to_yaml(member, 4).trim().to_owned(),
        other => value_text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_inside_is_yaml_and_the_rest_is_as_go_prints_it() {
        let value = "a: x\nb: 1.50\nc:\n  d: [1, two]\n  e: f\nl: [1, 2]\nt: true\nz: null\n";

        let members = members(&value.into()).unwrap();

        let wanted = [
            ("a", "x"),
            ("b", "1.5"),
            ("c", "d:\n    - 1\n    - two\ne: f"),
            ("l", "[1 2]"),
            ("t", "true"),
            ("z", "<nil>"),
        ];
        let wanted = wanted.map(|(name, text)| (name.to_owned(), SecretValue::from(text)));
        assert_eq!(members, SecretMap::from_iter(wanted));
    }

    #[test]
    fn a_value_that_is_no_mapping_is_refused_without_showing_it() {
        let error = members(&"hunter2".into()).unwrap_err();

        assert!(!error.to_string().contains("hunter2"));
    }
}
