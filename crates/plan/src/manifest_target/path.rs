//! Paths into an object, as `templateFrom[].target` writes them: names joined by dots, each with
//! a few positions in brackets; positions may also stand alone behind a dot (`a.[0]`). Missing parts
//! are made; parts of another shape are refused. Length, parts and positions are limited before
//! anything is made, because the object is walked, copied and dropped by recursion.

use serde_json::{Map, Value};

/// Largest position in a list.
const LARGEST: usize = 10_000;
/// Longest path, in bytes.
const MAX_LENGTH: usize = 1_024;
/// Most steps of a path: the API server refuses objects that nest much deeper.
const MAX_STEPS: usize = 32;
/// Most empty places that one path may make in lists.
const MAX_PADDING: usize = 10_000;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Position(usize),
}

impl Step {
    /// How many empty places it may make.
    fn padding(&self) -> usize {
        match self {
            Self::Name(_) => 0,
            Self::Position(position) => *position,
        }
    }
}

/// Reads a path.
pub(super) fn parse(path: &str) -> Result<Vec<Step>, String> {
    if path.len() > MAX_LENGTH {
        let length = path.len();
        return Err(format!(
            "invalid target path: it has {length} bytes; at most {MAX_LENGTH} are allowed"
        ));
    }
    let wrong = |why: &str| format!("invalid target path {path:?}: {why}");
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, positions) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        match (name, positions) {
            ("", "") => return Err(wrong("every part begins with a name")),
            ("", _) if steps.is_empty() => return Err(wrong("the first part begins with a name")),
            ("", _) => {}
            (name, _) => steps.push(Step::Name(name.to_owned())),
        }
        let mut rest = positions;
        while !rest.is_empty() {
            let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let Some((number, behind)) = inner else {
                return Err(wrong("a position is a number in brackets"));
            };
            let position = number.parse().ok().filter(|at| *at <= LARGEST);
            let position =
                position.ok_or_else(|| wrong("a position is a number from 0 to 10000"))?;
            steps.push(Step::Position(position));
            rest = behind;
        }
        if steps.len() > MAX_STEPS {
            return Err(wrong("a path has at most 32 parts"));
        }
    }
    let padding: usize = steps.iter().map(Step::padding).sum();
    if padding > MAX_PADDING {
        return Err(wrong("its positions together are beyond 10000"));
    }
    Ok(steps)
}

/// The place a path leads to; what is missing on the way is made.
pub(super) fn place<'a>(
    object: &'a mut Map<String, Value>,
    path: &str,
) -> Result<&'a mut Value, String> {
    let steps = parse(path)?;
    let mut steps = steps.iter();
    let Some(Step::Name(first)) = steps.next() else {
        return Err(format!("invalid target path {path:?}"));
    };
    let mut at = object.entry(first.as_str()).or_insert(Value::Null);
    for step in steps {
        at = match step {
            Step::Name(name) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                let map = at.as_object_mut();
                let map = map.ok_or_else(|| {
                    format!("target path {path:?}: the parent of {name:?} is not a mapping")
                })?;
                map.entry(name.as_str()).or_insert(Value::Null)
            }
            Step::Position(position) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut();
                let list = list.ok_or_else(|| {
                    format!("target path {path:?}: the parent of [{position}] is not a list")
                })?;
                if list.len() <= *position {
                    list.resize(position + 1, Value::Null);
                }
                &mut list[*position]
            }
        };
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn put(object: Value, path: &str, value: Value) -> Result<Value, String> {
        let Value::Object(mut object) = object else {
            return Err("no object".to_owned());
        };
        *place(&mut object, path)? = value;
        Ok(Value::Object(object))
    }

    #[test]
    fn missing_parts_are_made_and_lists_padded() {
        assert_eq!(
            put(json!({}), "spec.a[2].b", json!(1)).unwrap(),
            json!({"spec": {"a": [null, null, {"b": 1}]}})
        );
        assert_eq!(
            put(json!({"spec": {"x": 1}}), "spec.y", json!(2)).unwrap(),
            json!({"spec": {"x": 1, "y": 2}})
        );
    }

    #[test]
    fn positions_may_stand_behind_a_dot() {
        assert_eq!(
            put(json!({}), "a.[1].b.[0][1]", json!("x")).unwrap(),
            json!({"a": [null, {"b": [[null, "x"]]}]})
        );
        assert_eq!(parse("a.[0]"), parse("a[0]"));
    }

    #[test]
    fn parts_of_another_shape_are_refused() {
        assert!(put(json!({"spec": "x"}), "spec.a", json!(1)).is_err());
        assert!(put(json!({"spec": {}}), "spec[0]", json!(1)).is_err());
    }

    #[test]
    fn paths_that_are_none_are_refused() {
        for path in [
            "", ".a", "a.", "a..b", "[0]", "[0].a", "a[", "a[x]", "a[-1]", "a[10001]", "a[0]b",
        ] {
            assert!(parse(path).is_err(), "{path}");
        }
        assert_eq!(parse("a[10000]").unwrap().len(), 2);
    }

    #[test]
    fn long_and_deep_paths_are_refused_before_anything_is_made() {
        let deep = |part: &str, times: usize| format!("a{}", part.repeat(times));
        for path in [
            deep(".b", 32),
            deep("[0]", 32),
            deep("[10000]", 2),
            deep(".b", 100_000),
            deep("[1]", 1_000_000),
            "a".repeat(1_025),
        ] {
            let error = put(json!({}), &path, json!(1)).unwrap_err();
            assert!(error.len() < 1_300, "{error}");
        }
        assert!(put(json!({}), &deep(".b", 31), json!(1)).is_ok());
        assert!(put(json!({}), "a[5000].b[5000]", json!(1)).is_ok());
    }
}
