//! Tags of a search as a label selector. Keys and values are checked first, because a comma or an
//! exclamation mark in one would silently select something else.

use std::collections::BTreeMap;

use lockstep_provider_api::label;
use lockstep_provider_api::prelude::*;

/// A selector for objects that have all these labels.
pub fn selector(tags: &BTreeMap<String, String>) -> Result<String> {
    let mut terms = Vec::with_capacity(tags.len());
    for (key, value) in tags {
        if let Some(fault) = label::key_fault(key) {
            return Err(refused(format!("key: Invalid value: {key:?}: {fault}")));
        }
        if let Some(fault) = label::value_fault(value) {
            return Err(refused(format!(
                "values[0][{key}]: Invalid value: {value:?}: {fault}"
            )));
        }
        terms.push(format!("{key}={value}"));
    }
    Ok(terms.join(","))
}

fn refused(reason: String) -> Error {
    Error::invalid_spec(format!("unable to validate selector tags: {reason}"))
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
