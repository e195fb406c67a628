use serde_json::{Value, json};

use super::*;

fn whitelist(rules: Value) -> Whitelist {
    let rules: Vec<Rule> = serde_json::from_value(rules).unwrap();
    Whitelist::new(&rules).unwrap()
}

fn request<'a>(
    name: &'a str,
    namespace: Option<&'a str>,
    property: Option<&'a str>,
) -> Request<'a> {
    Request {
        name,
        namespace,
        property,
    }
}

#[test]
fn without_rules_everything_passes() {
    assert!(whitelist(json!([])).allows(request("a", None, None)));
}

#[test]
fn a_rule_lets_pass_what_fits_all_its_patterns() {
    let list = whitelist(json!([{
        "name": "^conf$", "namespace": "^team-", "properties": [r"^data\.k$", "^spec"],
    }]));

    assert!(list.allows(request("conf", Some("team-a"), Some("data.k"))));
    assert!(list.allows(request("conf", Some("team-a"), Some("spec.x"))));
    for refused in [
        request("other", Some("team-a"), Some("data.k")),
        request("conf", Some("ops"), Some("data.k")),
        request("conf", Some("team-a"), Some("data.l")),
        request("conf", Some("team-a"), None),
        request("conf", None, Some("data.k")),
    ] {
        assert!(!list.allows(refused), "{refused:?}");
    }
}

#[test]
fn one_rule_of_several_is_enough() {
    let list = whitelist(json!([{ "name": "^a$" }, { "name": "^b$" }]));

    assert!(list.allows(request("b", None, None)));
    assert!(!list.allows(request("c", None, None)));
}

#[test]
fn an_empty_pattern_counts_as_none() {
    let rules: Vec<Rule> =
        serde_json::from_value(json!([{ "name": "", "namespace": "", "properties": [] }])).unwrap();

    assert!(Whitelist::new(&rules).is_err());
}
