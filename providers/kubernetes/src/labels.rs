//! Tags of a search as a label selector. Keys and values are checked first, because a comma or an
//! exclamation mark in one would silently select something else.

use std::collections::BTreeMap;

use lockstep_provider::prelude::*;

const MAX_NAME: usize = 63;
const MAX_PREFIX: usize = 253;

/// What the API server says of a key whose name it cannot take, and of a value.
const NAME_RULE: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must \
    start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex \
    used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
    '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
    'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// A selector for objects that have all these labels.
pub(crate) fn selector(tags: &BTreeMap<String, String>) -> Result<String> {
    let mut terms = Vec::with_capacity(tags.len());
    for (key, value) in tags {
        if !is_key(key) {
            return Err(refused(format!("key: Invalid value: {key:?}: {NAME_RULE}")));
        }
        if !(value.is_empty() || is_name(value)) {
            return Err(refused(format!(
                "values[0][{key}]: Invalid value: {value:?}: {VALUE_RULE}"
            )));
        }
        terms.push(format!("{key}={value}"));
    }
    Ok(terms.join(","))
}

fn refused(reason: String) -> Error {
    Error::invalid_spec(format!("unable to validate selector tags: {reason}"))
}

fn is_key(key: &str) -> bool {
    match key.split_once('/') {
        None => is_name(key),
        Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
    }
}

/// Letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_name(text: &str) -> bool {
    is_framed(text, MAX_NAME, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)
    })
}

fn is_subdomain(text: &str) -> bool {
    let is_label = |label: &str| {
        is_framed(label, MAX_PREFIX, |byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
        })
    };
    text.len() <= MAX_PREFIX && text.split('.').all(is_label)
}

fn is_framed(text: &str, longest: usize, is_allowed: impl Fn(u8) -> bool) -> bool {
    let ends = [text.bytes().next(), text.bytes().next_back()];
    let ends_well = ends
        .iter()
        .all(|end| end.is_some_and(|byte| byte.is_ascii_alphanumeric()));
    ends_well && text.len() <= longest && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(key: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(key.to_owned(), value.to_owned())])
    }

    #[test]
    fn all_tags_become_terms_of_one_selector() {
        let mut wanted = tags("app.kubernetes.io/name", "db");
        wanted.insert("tier".to_owned(), String::new());

        assert_eq!(
            selector(&wanted).unwrap(),
            "app.kubernetes.io/name=db,tier="
        );
    }

    #[test]
    fn tags_that_would_change_the_selector_are_refused() {
        let bad = [
            ("a,b", "x"),
            ("!a", "x"),
            ("", "x"),
            ("a", "x,b=y"),
            ("a", "x y"),
            ("a", "-x"),
            ("Upper.io/a", "x"),
            ("a/b/c", "x"),
            ("/a", "x"),
        ];
        for (key, value) in bad {
            let error = selector(&tags(key, value)).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{key}={value}");
            assert!(
                error
                    .to_string()
                    .starts_with("unable to validate selector tags: ")
            );
        }
        assert!(selector(&tags("a", &"x".repeat(64))).is_err());
    }

    #[test]
    fn a_tag_that_is_refused_is_named_with_the_rule_it_breaks() {
        let key = selector(&tags("bad key!", "x")).unwrap_err().to_string();
        let value = selector(&tags("app", "bad value!"))
            .unwrap_err()
            .to_string();

        assert!(key.contains(r#"tags: key: Invalid value: "bad key!": name part must"#));
        assert!(
            value.contains(r#"tags: values[0][app]: Invalid value: "bad value!": a valid label"#)
        );
    }
}
