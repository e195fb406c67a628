//! What may be shown of a value: its key, its length, and a hash that tells two values apart within
//! one run and nothing beyond it. The salt is random for each run and is never printed.

use std::fmt::{self, Write};

use lockstep_provider_api::SecretValue;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Bytes of the hash that are shown: enough to tell values apart, useless to guess them.
const SHOWN: usize = 6;

/// Turns values into what may be shown of them.
pub struct Redactor {
    salt: [u8; 16],
}

/// What may be shown of one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Key under which it is kept.
    pub key: String,
    /// Bytes it has.
    pub length: usize,
    /// Hash of the value under the salt of this run.
    pub hash: Hash,
}

/// A salted hash, printed as `sha256:1a2b3c4d5e6f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash([u8; SHOWN]);

impl Redactor {
    /// A redactor with a salt; make a new random one for each run.
    pub fn new(salt: [u8; 16]) -> Self {
        Self { salt }
    }

    /// What may be shown of a value.
    pub fn shape(&self, key: impl Into<String>, value: &SecretValue) -> Shape {
        Shape {
            key: key.into(),
            length: value.len(),
            hash: self.hash(value),
        }
    }

    /// The hash of a value.
    pub fn hash(&self, value: &SecretValue) -> Hash {
        let mut digest = Sha256::new();
        digest.update(self.salt);
        digest.update(value.expose());
        let mut shown = [0; SHOWN];
        for (to, from) in shown.iter_mut().zip(digest.finalize()) {
            *to = from;
        }
        Hash(shown)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.length == 1 { "byte" } else { "bytes" };
        write!(f, "{} ({} {unit}, {})", self.key, self.length, self.hash)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        let _ = write!(text, "{self}");
        serializer.serialize_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_look_equal_within_a_run_and_different_in_another() {
        let (one, another) = (Redactor::new([1; 16]), Redactor::new([2; 16]));
        let value = SecretValue::from("canary-value");

        assert_eq!(one.hash(&value), one.hash(&value));
        assert_ne!(one.hash(&value), one.hash(&SecretValue::from("other")));
        assert_ne!(one.hash(&value), another.hash(&value));
    }

    #[test]
    fn a_shape_holds_no_part_of_the_value() {
        let shape = Redactor::new([0; 16]).shape("password", &SecretValue::from("canary-value"));

        let shown = format!(
            "{shape} {shape:?} {}",
            serde_json::to_string(&shape).unwrap()
        );

        assert!(shape.to_string().starts_with("password (12 bytes, sha256:"));
        assert!(!shown.contains("canary"));
    }
}
