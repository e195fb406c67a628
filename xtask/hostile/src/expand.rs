//! Macros of the catalogue, so that a file of ten lines can hold a manifest of a megabyte:
//! `@{1000*text}@` in a text repeats (`@#` is the number of the repetition), `{$times: N, $item: …}` in a list or map stands for N of it with
//! `$I` as their number, and `$NAME` is a word of the run. Pure.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// The number of a repetition in its text.
const NUMBER: &str = "@#";

/// Words by their names, without the dollar.
pub(crate) type Words = BTreeMap<String, String>;

/// The value with all macros expanded.
pub(crate) fn expand(value: &Value, words: &Words) -> Result<Value> {
    Ok(match value {
        Value::String(text) => Value::String(text_of(text, words)?),
        Value::Array(items) => Value::Array(list(items, words)?),
        Value::Object(members) => match times(members, words)? {
            // A map of many members: each item is a map, and all of them are put together.
            Some(many) => Value::Object(joined(many)?),
            None => Value::Object(map(members, words)?),
        },
        other => other.clone(),
    })
}

fn list(items: &[Value], words: &Words) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for item in items {
        let many = match item {
            Value::Object(members) => times(members, words)?,
            _ => None,
        };
        match many {
            Some(many) => found.extend(many),
            None => found.push(expand(item, words)?),
        }
    }
    Ok(found)
}

fn map(members: &Map<String, Value>, words: &Words) -> Result<Map<String, Value>> {
    let expanded = members.iter().map(|(name, value)| {
        let name = text_of(name, words)?;
        Ok((name, expand(value, words)?))
    });
    expanded.collect()
}

/// The items of `{$times: N, $item: …}`, or nothing when it is an ordinary map.
fn times(members: &Map<String, Value>, words: &Words) -> Result<Option<Vec<Value>>> {
    let (Some(count), Some(item)) = (members.get("$times"), members.get("$item")) else {
        return Ok(None);
    };
    let count = match count {
        Value::String(text) => text_of(text, words)?,
        number => number.to_string(),
    };
    let count: u64 = count.parse().context("$times is no number")?;
    let mut words = words.clone();
    let items = (0..count).map(|number| {
        words.insert("I".to_owned(), number.to_string());
        expand(item, &words)
    });
    items.collect::<Result<_>>().map(Some)
}

fn joined(items: Vec<Value>) -> Result<Map<String, Value>> {
    let mut all = Map::new();
    for item in items {
        let Value::Object(members) = item else {
            anyhow::bail!("$item of a map is no map");
        };
        all.extend(members);
    }
    Ok(all)
}

/// A text with words put in and repetitions written out, innermost first.
pub(crate) fn text_of(text: &str, words: &Words) -> Result<String> {
    let mut text = text.to_owned();
    // Longer names first, so that $NSB is not taken for $NS.
    let mut names: Vec<_> = words.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        let macro_name = format!("${name}");
        if text.contains(&macro_name) {
            text = text.replace(&macro_name, &words[name]);
        }
    }
    while let Some(end) = text.find("}@") {
        let start = text[..end].rfind("@{").context("}@ without @{")?;
        let (count, what) = text[start + 2..end]
            .split_once('*')
            .context("a repetition has the form @{N*text}@")?;
        let count: usize = count.parse().context("@{N*text}@: N is no number")?;
        let repeated = if what.contains(NUMBER) {
            let numbers = (0..count).map(|at| at.to_string());
            numbers.map(|at| what.replace(NUMBER, &at)).collect()
        } else {
            what.repeat(count)
        };
        text.replace_range(start..end + 2, &repeated);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words() -> Words {
        [("NS", "h-a"), ("COUNT", "3")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    #[test]
    fn repetitions_are_written_out_from_the_inside() {
        let text = text_of("a@{2*b@{3*c}@}@ $NS", &words()).unwrap();

        assert_eq!(text, "abcccbccc h-a");
        assert_eq!(text_of("@{3*k@#,}@", &words()).unwrap(), "k0,k1,k2,");
    }

    #[test]
    fn lists_and_maps_of_many_items_are_written_out() {
        let value = json!({
            "list": [{"$times": "$COUNT", "$item": {"key": "k$I"}}],
            "map": {"$times": 2, "$item": {"m$I": "v"}},
        });

        let want = json!({
            "list": [{"key": "k0"}, {"key": "k1"}, {"key": "k2"}],
            "map": {"m0": "v", "m1": "v"},
        });
        assert_eq!(expand(&value, &words()).unwrap(), want);
    }

    #[test]
    fn a_repetition_without_a_number_is_an_error() {
        assert!(text_of("@{x*y}@", &words()).is_err());
    }
}
