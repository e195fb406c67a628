//! Label selectors of all kinds of objects: compiled, or refused with the API machinery's words
//! where it would refuse them. Matches nothing itself.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::Selector;
use lockstep_provider_api::label;

/// Compiles a selector; the error says what is wrong with it.
///
/// A selector that could never match, such as one with a value that no label can have, is refused
/// rather than taken for one that matches nothing: its negation would match everything.
pub fn compile(written: &LabelSelector) -> Result<Selector, String> {
    for (key, value) in written.match_labels.iter().flatten() {
        check(key, std::slice::from_ref(value), None)?;
    }
    for one in written.match_expressions.iter().flatten() {
        let values = one.values.as_deref().unwrap_or_default();
        check(&one.key, values, set_fault(one, values)?)?;
    }
    Selector::try_from(written.clone()).map_err(|error| error.to_string())
}

/// What is wrong with the number of values; an error where the operator is none.
fn set_fault(one: &LabelSelectorRequirement, values: &[String]) -> Result<Option<String>, String> {
    match one.operator.as_str() {
        "In" | "NotIn" if values.is_empty() => Ok(Some(
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
                .to_owned(),
        )),
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            Ok(Some(format!(
                "values: Invalid value: [{}]: values set must be empty for exists and does not exist",
                values.join(",")
            )))
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => Ok(None),
        other => Err(format!("{other:?} is not a valid label selector operator")),
    }
}

/// All faults of one requirement, as the API machinery lists them.
fn check(key: &str, values: &[String], set_fault: Option<String>) -> Result<(), String> {
    let named = |fault| format!("key: Invalid value: {key:?}: {fault}");
    let mut faults: Vec<String> = label::key_fault(key).map(named).into_iter().collect();
    faults.extend(set_fault);
    for (at, value) in values.iter().enumerate() {
        if let Some(fault) = label::value_fault(value) {
            faults.push(format!(
                "values[{at}][{key}]: Invalid value: {value:?}: {fault}"
            ));
        }
    }
    match faults.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

#[cfg(test)]
mod tests;
