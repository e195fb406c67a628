//! Paths into an object, as `templateFrom[].target` writes them: names joined by dots, each with
//! any number of positions in brackets; positions may also stand alone behind a dot (`a.[0]`). Missing
//! parts are made; parts of another shape are refused.

use serde_json::{Map, Value};

/// Largest position in a list.
const LARGEST: usize = 10_000;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Position(usize),
}

/// Reads a path.
pub(super) fn parse(path: &str) -> Result<Vec<Step>, String> {
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
                    format!("target path {path:?}: what is above {name:?} is no map")
                })?;
                map.entry(name.as_str()).or_insert(Value::Null)
            }
            Step::Position(position) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut();
                let list = list.ok_or_else(|| {
                    format!("target path {path:?}: what is above [{position}] is no list")
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
}
