//! The filters of lists, as far as they are used: `labels.k=v`, `labels.k:v`, `name:text`,
//! `state:WORD`, words in quotes, all of which must hold.

use serde_json::Value;

/// Whether an item passes; `None` for a filter that is not understood.
pub(super) fn matches(item: &Value, filter: &str) -> Option<bool> {
    let mut all = true;
    for term in terms(filter)? {
        all &= holds(item, &term)?;
    }
    Some(all)
}

fn holds(item: &Value, term: &str) -> Option<bool> {
    let at = term.find(['=', ':'])?;
    let (field, wanted) = (&term[..at], &term[at + 1..]);
    if let Some(label) = field.strip_prefix("labels.") {
        return Some(item["labels"][label] == wanted);
    }
    let text = item[field].as_str()?;
    match field {
        "state" => Some(text.eq_ignore_ascii_case(wanted)),
        "name" => Some(text.to_lowercase().contains(&wanted.to_lowercase())),
        _ => None,
    }
}

/// The terms of a filter without the quotes; `None` where one is not closed.
fn terms(filter: &str) -> Option<Vec<String>> {
    let (mut terms, mut term) = (Vec::new(), String::new());
    let (mut quoted, mut escaped) = (false, false);
    for c in filter.chars() {
        match c {
            _ if escaped => {
                term.push(c);
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ' ' if !quoted => terms.push(std::mem::take(&mut term)),
            c => term.push(c),
        }
    }
    terms.push(term);
    terms.retain(|term| !term.is_empty() && term != "AND");
    (!quoted).then_some(terms)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_term_must_hold() {
        let item = json!({ "name": "projects/1/secrets/App-one", "labels": { "env": "dev" } });

        assert_eq!(matches(&item, "labels.env=dev name:app"), Some(true));
        assert_eq!(matches(&item, "labels.env=dev AND name:db"), Some(false));
        assert_eq!(matches(&item, r#"labels.env="dev OR x""#), Some(false));
        assert_eq!(matches(&item, ""), Some(true));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let item = json!({ "name": "n" });

        assert_eq!(matches(&item, "nonsense"), None);
        assert_eq!(matches(&item, r#"name:"open"#), None);
    }
}
