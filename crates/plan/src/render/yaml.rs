//! A rendered text as a flat YAML map of texts. The text holds secret values, so what an error
//! would quote of it is left out.

use std::collections::BTreeMap;

use lockstep_golang::yaml::{Error, decode_strings};

/// Keys and values of a flat map.
pub(super) fn string_map(text: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let pairs = decode_strings(text).map_err(|error| told(&error))?;
    Ok(pairs
        .into_iter()
        .map(|(key, value)| (key, value.into_bytes()))
        .collect())
}

fn told(error: &Error) -> String {
    match error {
        Error::Conversion(_) => {
            "error converting YAML to JSON: a key or value is of a type that JSON does not have"
                .to_owned()
        }
        other => unquoted(&other.to_string()),
    }
}

/// The text with everything between quotes left out, single characters excepted.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '\'']) {
        let quote = if rest[start..].starts_with('`') {
            '`'
        } else {
            '\''
        };
        let (before, quoted) = (&rest[..=start], &rest[start + 1..]);
        out.push_str(before);
        let Some(end) = quoted.find(quote) else {
            out.push('…');
            return out;
        };
        out.push_str(if end > 1 { "…" } else { &quoted[..end] });
        out.push(quote);
        rest = &quoted[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_of_other_types_become_text() {
        let text = b"a: 1.50\nb: yes\nc: 0x10\nd: 010\ne: ~\nf: '010'\ny: 1\n";

        let pairs = string_map(text).unwrap();

        let wanted = [
            ("a", "1.5"),
            ("b", "true"),
            ("c", "16"),
            ("d", "8"),
            ("e", ""),
            ("f", "010"),
            ("true", "1"),
        ];
        let wanted = wanted.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec()));
        assert_eq!(pairs, wanted.into());
    }

    #[test]
    fn nothing_rendered_adds_nothing() {
        assert_eq!(string_map(b"").unwrap(), BTreeMap::new());
        assert_eq!(string_map(b"# only a remark\n").unwrap(), BTreeMap::new());
    }

    #[test]
    fn nested_values_are_refused_in_upstreams_words() {
        let prefix = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";

        assert_eq!(
            string_map(b"a: {b: 1}").unwrap_err(),
            format!("{prefix} object into Go value of type string")
        );
        assert_eq!(
            string_map(b"a: [1]").unwrap_err(),
            format!("{prefix} array into Go value of type string")
        );
    }

    #[test]
    fn errors_quote_nothing_of_the_text() {
        for text in [
            "a: *hunter2-canary",
            "a: !!int hunter2-canary",
            "a: 'hunter2-canary",
        ] {
            let error = string_map(text.as_bytes()).unwrap_err();

            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
