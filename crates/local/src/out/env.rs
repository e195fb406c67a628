//! A Secret as a file of variables for `sh`, `docker compose` and dotenv readers. Names are made
//! valid; two keys that would become one name are an error, never a silent loss.

use std::collections::BTreeMap;

/// The variables of a Secret's keys and values. `instead` is what an error advises to use.
pub fn variables<'a>(
    data: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    instead: &str,
) -> Result<Vec<u8>, String> {
    let mut keys: BTreeMap<String, &str> = BTreeMap::new();
    let mut text = String::new();
    for (key, value) in data {
        let name = variable(key);
        if let Some(other) = keys.insert(name.clone(), key) {
            return Err(format!(
                "keys {other:?} and {key:?} would both become variable {name}; rename one with \
                 spec.data[].secretKey or a rewrite, or use {instead}"
            ));
        }
        let value = std::str::from_utf8(value)
            .ok()
            .filter(|value| !value.contains('\0'));
        let Some(value) = value else {
            return Err(format!(
                "key {key:?} holds bytes that are not text, which a .env file cannot hold; use \
                 {instead}"
            ));
        };
        text.extend([&*name, "=", &quoted(value), "\n"]);
    }
    Ok(text.into_bytes())
}

/// The name of the variable of a key.
pub fn variable(key: &str) -> String {
    let letters = key
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let name: String = letters.collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// The value in quotes where it needs them. Single quotes keep everything as it is; a value that
/// holds one is put in double quotes, with what has a meaning there escaped.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+,=-".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    if !value.contains('\'') {
        return format!("'{value}'");
    }
    let mut text = String::from("\"");
    for letter in value.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(data: &[(&str, &[u8])]) -> Result<String, String> {
        let data: BTreeMap<&str, &[u8]> = data.iter().copied().collect();
        variables(data, "--format files").map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn names_are_made_valid() {
        let text = written(&[("tls.crt", b"x"), ("9lives", b"y"), ("OK_1", b"z")]).unwrap();

        assert_eq!(text, "_9lives=y\nOK_1=z\ntls_crt=x\n");
    }

    #[test]
    fn values_are_quoted_where_they_need_it() {
        let text = written(&[
            ("a", b"plain-1.2/3"),
            ("b", b"two words $HOME"),
            ("c", b"it's \"$5\" \\ `x`"),
            ("d", b""),
            ("e", b"two\nlines"),
        ]);

        assert_eq!(
            text.unwrap(),
            "a=plain-1.2/3\nb='two words $HOME'\nc=\"it's \\\"\\$5\\\" \\\\ \\`x\\`\"\nd=''\n\
             e='two\nlines'\n"
        );
    }

    #[test]
    fn keys_that_would_become_one_name_are_an_error() {
        let error = written(&[("a.b", b"1"), ("a-b", b"2")]).unwrap_err();

        assert!(error.contains("\"a-b\" and \"a.b\""), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_without_the_bytes() {
        assert!(
            written(&[("key", &[0xff])])
                .unwrap_err()
                .contains("--format files")
        );
        assert!(written(&[("key", b"a\0b")]).is_err());
    }
}
