//! Keyed 64-bit fingerprints of labels, annotations, keys and values. They say whether something
//! is unchanged without keeping it; the key is made at start and never leaves the process, so a
//! fingerprint of a short value cannot be looked up in a table.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::Hasher;

/// Key of all fingerprints of a process.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Salt([u8; 16]);

impl Salt {
    /// A key from random bytes.
    pub const fn new(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// Fingerprint of a list of parts; `["a", "b"]` and `["ab"]` differ.
    pub fn fingerprint(&self, parts: &[&[u8]]) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.0);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
        hasher.finish()
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_depend_on_key_and_parting() {
        let salt = Salt::new([7; 16]);

        assert_ne!(salt.fingerprint(&[b"a", b"b"]), salt.fingerprint(&[b"ab"]));
        assert_ne!(
            salt.fingerprint(&[b"a"]),
            Salt::default().fingerprint(&[b"a"])
        );
        assert_eq!(salt.fingerprint(&[b"a"]), salt.fingerprint(&[b"a"]));
    }
}
