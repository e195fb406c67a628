//! Label selectors of PushSecrets: compiled, or refused with the API machinery's words where it would
//! refuse them. Matches nothing itself.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::Selector;

const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must \
    start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', \
    regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// Compiles a selector; the error says what is wrong with it.
pub(super) fn compile(written: &LabelSelector) -> Result<Selector, String> {
    let named = written.match_labels.iter().flatten().map(|(key, _)| key);
    let expressions = written.match_expressions.iter().flatten();
    for key in named.chain(expressions.clone().map(|one| &one.key)) {
        if !is_name(key.rsplit('/').next().unwrap_or_default()) {
            return Err(format!("key: Invalid value: {key:?}: {NAME}"));
        }
    }
    for one in expressions {
        check_values(one)?;
    }
    Selector::try_from(written.clone()).map_err(|error| error.to_string())
}

fn check_values(one: &LabelSelectorRequirement) -> Result<(), String> {
    let values = one.values.as_deref().unwrap_or_default();
    match one.operator.as_str() {
        "In" | "NotIn" if values.is_empty() => Err(
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
                .to_owned(),
        ),
        "Exists" | "DoesNotExist" if !values.is_empty() => Err(format!(
            "values: Invalid value: [{}]: values set must be empty for exists and does not exist",
            values
                .iter()
                .map(|value| format!("{value:?}"))
                .collect::<Vec<_>>()
                .join(",")
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => Ok(()),
        other => Err(format!("{other:?} is not a valid label selector operator")),
    }
}

fn is_name(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ends(text.chars().next()) && ends(text.chars().next_back()) && text.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fault(selector: Value) -> Option<String> {
        compile(&serde_json::from_value(selector).unwrap()).err()
    }

    fn expression(operator: &str, values: &[&str]) -> Value {
        json!({ "matchExpressions": [{ "key": "a", "operator": operator, "values": values }] })
    }

    #[test]
    fn selectors_the_api_machinery_takes_are_taken() {
        assert_eq!(fault(json!({})), None);
        assert_eq!(fault(json!({ "matchLabels": { "a.io/b-c": "x" } })), None);
        assert_eq!(fault(expression("NotIn", &["x"])), None);
        assert_eq!(fault(expression("DoesNotExist", &[])), None);
    }

    #[test]
    fn others_are_refused_in_its_words() {
        assert_eq!(
            fault(expression("Bad", &[])).unwrap(),
            "\"Bad\" is not a valid label selector operator"
        );
        assert_eq!(
            fault(expression("In", &[])).unwrap(),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
        );
        assert_eq!(
            fault(expression("Exists", &["x"])).unwrap(),
            "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist"
        );
        let key = fault(json!({ "matchLabels": { "bad key": "x" } })).unwrap();
        assert!(key.starts_with("key: Invalid value: \"bad key\": name part must consist of"));
    }
}
