//! Follows a path through a document. Up to the first step that may lead to several places a miss is
//! an error, for a path inside of an expression an empty list; behind it, misses are left out. The
//! number of places looked at is bounded.

use std::cell::Cell;

use lockstep_provider::json::{Number, Value};

use super::{Expression, PathError, Start, Step};

/// How many values one path may look at.
const MAX_VISITS: usize = 1_000_000;

/// The value of an expression for a document.
pub(super) fn evaluate(expression: &Expression, root: &Value) -> Result<Value, PathError> {
    let walk = Walk {
        root,
        left: Cell::new(MAX_VISITS),
    };
    let found = match expression {
        Expression::Path(_, steps) => walk.follow(steps, root),
        _ => walk.value(expression, root),
    };
    if walk.left.get() == 0 {
        return Err(PathError::TooMany);
    }
    found
}

struct Walk<'a> {
    root: &'a Value,
    left: Cell<usize>,
}

impl<'a> Walk<'a> {
    fn value(&self, expression: &Expression, current: &'a Value) -> Result<Value, PathError> {
        Ok(match expression {
            Expression::Literal(value) => value.clone(),
            Expression::Path(start, steps) => {
                let from = match start {
                    Start::Root => self.root,
                    Start::Current => current,
                };
                match self.follow(steps, from) {
                    Err(_) if steps.iter().any(Step::is_ambiguous) => Value::Array(Vec::new()),
                    found => found?,
                }
            }
            Expression::Equal(left, right) => Value::Bool(equal(
                &self.value(left, current)?,
                &self.value(right, current)?,
            )),
            Expression::NotEqual(left, right) => Value::Bool(!equal(
                &self.value(left, current)?,
                &self.value(right, current)?,
            )),
            Expression::Negative(inner) => {
                let number = self.number(inner, current)?;
                Value::Number(Number::Float(-number))
            }
        })
    }

    fn follow(&self, steps: &[Step], from: &'a Value) -> Result<Value, PathError> {
        let Some((first, rest)) = steps.split_first() else {
            return Ok(from.clone());
        };
        match first {
            Step::One(key) => self.follow(rest, self.one(key, from)?),
            Step::Script(script) => {
                let made = self.value(script, from)?;
                // Further steps see what the script made as their document.
                let inner = Walk {
                    root: &made,
                    left: self.left.clone(),
                };
                let found = inner.follow(rest, &made);
                self.left.set(inner.left.get());
                found
            }
            _ => {
                let mut found = Vec::new();
                self.collect(steps, from, &mut found);
                Ok(Value::Array(found))
            }
        }
    }

    /// Every value the steps lead to; what leads nowhere is left out.
    fn collect(&self, steps: &[Step], from: &'a Value, found: &mut Vec<Value>) {
        if !self.visit() {
            return;
        }
        let Some((first, rest)) = steps.split_first() else {
            found.push(from.clone());
            return;
        };
        match first {
            Step::One(key) => {
                if let Ok(next) = self.one(key, from) {
                    self.collect(rest, next, found);
                }
            }
            Step::Script(_) => {
                if let Ok(value) = self.follow(steps, from) {
                    found.push(value);
                }
            }
            Step::Union(keys) => {
                for key in keys {
                    if let Ok(next) = self.one(key, from) {
                        self.collect(rest, next, found);
                    }
                }
            }
            Step::All => children(from).for_each(|next| self.collect(rest, next, found)),
            Step::Descend => self.descend(rest, from, found),
            Step::Slice(parts) => {
                for next in self.slice(parts, from) {
                    self.collect(rest, next, found);
                }
            }
            Step::Filter(condition) => {
                for next in children(from) {
                    if self.visit() && self.holds(condition, next) {
                        self.collect(rest, next, found);
                    }
                }
            }
        }
    }

    fn descend(&self, rest: &[Step], from: &'a Value, found: &mut Vec<Value>) {
        let mut pending = vec![from];
        while let Some(next) = pending.pop() {
            if !self.visit() {
                return;
            }
            self.collect(rest, next, found);
            let below: Vec<_> = children(next).collect();
            pending.extend(below.into_iter().rev());
        }
    }

    fn one(&self, key: &Expression, from: &'a Value) -> Result<&'a Value, PathError> {
        match from {
            Value::Array(elements) => {
                let index = whole(self.number(key, from)?).ok_or(PathError::NoIndex)?;
                let at = usize::try_from(index).ok();
                let found = at.and_then(|at| elements.get(at));
                found.ok_or(PathError::OutOfBounds(index))
            }
            Value::Object(members) => {
                let key = name(&self.value(key, from)?).ok_or(PathError::NoIndex)?;
                members.get(&key).ok_or(PathError::UnknownKey(key))
            }
            Value::Null => Err(PathError::NoContainer("<nil>")),
            Value::Bool(_) => Err(PathError::NoContainer("bool")),
            Value::Number(_) => Err(PathError::NoContainer("float64")),
            Value::String(_) => Err(PathError::NoContainer("string")),
        }
    }

    fn slice(&self, parts: &[Option<Expression>; 3], from: &'a Value) -> Vec<&'a Value> {
        let Value::Array(elements) = from else {
            return Vec::new();
        };
        let [first, last, step] = parts.each_ref().map(|part| {
            let number = part.as_ref().map(|part| self.number(part, from));
            number.and_then(Result::ok).and_then(whole)
        });
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(i64::MAX));
        // Compared before what counts from the end is resolved, so `[0:-1]` is empty.
        if first > last {
            return Vec::new();
        }
        let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
        let bound = |at: i64| {
            let at = if at < 0 { count.saturating_add(at) } else { at };
            usize::try_from(at.clamp(0, count)).unwrap_or_default()
        };
        let Some(chosen) = elements.get(bound(first)..bound(last)) else {
            return Vec::new();
        };
        let step = step.filter(|step| *step != 0).unwrap_or(1);
        let by = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
        if step > 0 {
            chosen.iter().step_by(by).collect()
        } else {
            chosen.iter().rev().step_by(by).collect()
        }
    }

    /// Whether a filter takes an element; one that cannot be computed does not.
    fn holds(&self, condition: &Expression, element: &'a Value) -> bool {
        match self.value(condition, element) {
            Ok(Value::Bool(holds)) => holds,
            Ok(Value::String(text)) if matches!(text.as_str(), "true" | "TRUE") => true,
            Ok(value) => as_number(&value).is_some_and(|number| number != 0.0),
            Err(_) => false,
        }
    }

    fn number(&self, expression: &Expression, current: &'a Value) -> Result<f64, PathError> {
        as_number(&self.value(expression, current)?).ok_or(PathError::NoIndex)
    }

    /// Counts one value looked at; false when there were too many.
    fn visit(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 1
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(elements) => Box::new(elements.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// The name of a member that a value stands for.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        number @ Value::Number(_) => as_number(number).map(|number| number.to_string()),
        _ => None,
    }
}

/// A number, or the one that a text spells.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) | Value::Number(Number::Text(text)) => text.parse().ok(),
        Value::Number(Number::Float(number)) => Some(*number),
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers compare as Go's float64 do"
        )]
        Value::Number(Number::Int(number)) => Some(*number as f64),
        _ => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the whole numbers of a float64; the fraction is cut off as in Go"
    )]
    (number.abs() < LIMIT).then_some(number as i64)
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => as_number(left) == as_number(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((key, left), (other, right))| key == other && equal(left, right))
        }
        _ => left == right,
    }
}
