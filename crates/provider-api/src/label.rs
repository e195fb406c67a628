//! Which keys and values a Kubernetes label can have. Says what is wrong in the API machinery's words.

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and \
    end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
    validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
    '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
    'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const PREFIX: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const MAX_NAME: usize = 63;
const MAX_PREFIX: usize = 253;

/// What is wrong with a key, if anything is.
pub fn key_fault(key: &str) -> Option<String> {
    let parts: Vec<&str> = key.split('/').collect();
    let (prefix, name) = match parts.as_slice() {
        [name] => (None, *name),
        [prefix, name] => (Some(*prefix), *name),
        _ => {
            return Some(format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            ));
        }
    };
    let mut faults = prefix.map(prefix_faults).unwrap_or_default();
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_NAME {
        faults.push(format!("name part must be no more than {MAX_NAME} bytes"));
    }
    if !is_name(name) {
        faults.push(format!("name part {NAME}"));
    }
    joined(&faults)
}

/// What is wrong with a value, if anything is.
pub fn value_fault(value: &str) -> Option<String> {
    let mut faults = Vec::new();
    if value.len() > MAX_NAME {
        faults.push(format!("must be no more than {MAX_NAME} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        faults.push(VALUE.to_owned());
    }
    joined(&faults)
}

fn prefix_faults(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let mut faults = Vec::new();
    if prefix.len() > MAX_PREFIX {
        faults.push(format!(
            "prefix part must be no more than {MAX_PREFIX} bytes"
        ));
    }
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| bounded(label, lower, |c| lower(c) || c == '-');
    if !prefix.split('.').all(is_label) {
        faults.push(format!("prefix part {PREFIX}"));
    }
    faults
}

fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    bounded(text, |c| c.is_ascii_alphanumeric(), inner)
}

/// Whether a text begins and ends with one set of characters and has only another between.
fn bounded(text: &str, ends: impl Fn(char) -> bool, inner: impl Fn(char) -> bool) -> bool {
    let first = text.chars().next();
    let last = text.chars().next_back();
    first.is_some_and(&ends) && last.is_some_and(&ends) && text.chars().all(inner)
}

fn joined(faults: &[String]) -> Option<String> {
    (!faults.is_empty()).then(|| faults.join("; "))
}
