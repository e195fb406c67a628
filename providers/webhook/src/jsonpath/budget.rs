//! What following one path may cost: steps, which are time, and bytes, which are memory. Both are
//! taken before the work is done. A path that runs out fails as a whole; it never gives a part.

use std::cell::Cell;

use lockstep_provider_api::json::{Number, Value};

use super::PathError;

/// Steps of one path: values looked at, and 32 bytes of text compared or read each.
const MAX_STEPS: usize = 1_000_000;
/// Bytes of copies and lists of one path.
const MAX_BYTES: usize = 8 << 20;
/// What a value or a place in a list takes beside its text.
const OVERHEAD: usize = 64;

/// What is left.
pub(super) struct Budget {
    steps: Cell<usize>,
    bytes: Cell<usize>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            bytes: Cell::new(MAX_BYTES),
        }
    }

    /// Takes one step.
    pub(super) fn step(&self) -> Result<(), PathError> {
        take(&self.steps, 1)
    }

    /// Takes the steps of reading a text.
    pub(super) fn read(&self, text: &str) -> Result<(), PathError> {
        take(&self.steps, 1 + text.len() / 32)
    }

    /// Takes the bytes of one place in a list.
    pub(super) fn place(&self) -> Result<(), PathError> {
        take(&self.bytes, OVERHEAD)
    }

    /// Takes the bytes of a value with everything below it, then copies it.
    pub(super) fn copy(&self, value: &Value) -> Result<Value, PathError> {
        let mut pending = vec![value];
        while let Some(next) = pending.pop() {
            self.step()?;
            let text = match next {
                Value::String(text) | Value::Number(Number::Text(text)) => text.len(),
                Value::Array(elements) => {
                    pending.extend(elements);
                    0
                }
                Value::Object(members) => {
                    pending.extend(members.values());
                    members.keys().map(|key| key.len() + OVERHEAD).sum()
                }
                _ => 0,
            };
            take(&self.bytes, text.saturating_add(OVERHEAD))?;
        }
        Ok(value.clone())
    }
}

fn take(from: &Cell<usize>, cost: usize) -> Result<(), PathError> {
    let left = from.get().checked_sub(cost);
    from.set(left.unwrap_or(0));
    left.map(drop).ok_or(PathError::TooMany)
}
