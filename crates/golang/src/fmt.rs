//! Hashes over Go's `%+v` text, the fingerprints upstream stores on every managed object.
//!
//! A digest that differs from upstream's by one bit makes every Secret look foreign at takeover,
//! so nothing here may change without the recorded digests still holding. The text goes straight
//! into the hash and is never held as a whole.

use sha3::{Digest as _, Sha3_224};

use crate::float;
use crate::json::{Number, Value};

/// Digest of a plain string.
pub fn object_hash_text(text: &str) -> String {
    let mut hash = Hash::default();
    hash.put(text.as_bytes());
    hash.hex()
}

/// Digest of secret data, Go's `map[string][]byte`; the order of the items does not matter.
pub fn data_hash<'a>(data: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Hash::default();
    put_map(&mut hash, data, put_bytes);
    hash.hex()
}

/// Digest of an object's annotations and labels together.
pub fn metadata_hash<'a>(
    annotations: impl IntoIterator<Item = (&'a str, &'a str)>,
    labels: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut hash = Hash::default();
    hash.put(b"{annotations:");
    put_map(&mut hash, annotations, put_text);
    hash.put(b" labels:");
    put_map(&mut hash, labels, put_text);
    hash.put(b"}");
    hash.hex()
}

/// Digest of unstructured content.
pub fn value_hash(value: &Value) -> String {
    let mut hash = Hash::default();
    put_value(&mut hash, value);
    hash.hex()
}

/// The `%+v` text of unstructured content.
pub fn value_text(value: &Value) -> String {
    let mut text = Vec::new();
    put_value(&mut text, value);
    String::from_utf8(text).unwrap_or_default()
}

/// Where `%+v` text goes.
trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

#[derive(Default)]
struct Hash(Sha3_224);

impl Sink for Hash {
    fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

impl Hash {
    fn hex(self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let nibbles = self
            .0
            .finalize()
            .into_iter()
            .flat_map(|byte| [byte >> 4, byte & 15]);
        nibbles
            .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
            .collect()
    }
}

/// Go prints maps with sorted keys.
fn put_map<'a, S: Sink, V>(
    sink: &mut S,
    items: impl IntoIterator<Item = (&'a str, V)>,
    mut put_item: impl FnMut(&mut S, V),
) {
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort_by_key(|(key, _)| *key);
    sink.put(b"map[");
    for (index, (key, item)) in items.into_iter().enumerate() {
        if index > 0 {
            sink.put(b" ");
        }
        sink.put(key.as_bytes());
        sink.put(b":");
        put_item(sink, item);
    }
    sink.put(b"]");
}

fn put_text(sink: &mut impl Sink, text: &str) {
    sink.put(text.as_bytes());
}

/// Bytes print as a list of decimals; a buffer keeps the hash from being fed digit by digit.
fn put_bytes(sink: &mut impl Sink, bytes: &[u8]) {
    sink.put(b"[");
    let mut buffer = [0; 4 * 64];
    for (index, chunk) in bytes.chunks(64).enumerate() {
        let mut length = 0;
        for (offset, byte) in chunk.iter().enumerate() {
            if index + offset > 0 {
                buffer[length] = b' ';
                length += 1;
            }
            for (unit, shown) in [(100, *byte >= 100), (10, *byte >= 10), (1, true)] {
                if shown {
                    buffer[length] = b'0' + byte / unit % 10;
                    length += 1;
                }
            }
        }
        sink.put(&buffer[..length]);
    }
    sink.put(b"]");
}

fn put_value<S: Sink>(sink: &mut S, value: &Value) {
    match value {
        Value::Null => sink.put(b"<nil>"),
        Value::Bool(flag) => sink.put(if *flag { b"true" } else { b"false" }),
        Value::Number(Number::Int(number)) => sink.put(number.to_string().as_bytes()),
        Value::Number(Number::Float(number)) => sink.put(float::general(*number).as_bytes()),
        Value::Number(Number::Text(text)) | Value::String(text) => sink.put(text.as_bytes()),
        Value::Array(elements) => {
            sink.put(b"[");
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    sink.put(b" ");
                }
                put_value(sink, element);
            }
            sink.put(b"]");
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, member)| (key.as_str(), member));
            put_map(sink, members, put_value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::decode_unstructured;

    const NOTHING: [(&str, &str); 0] = [];

    #[test]
    fn strings_hash_as_upstream() {
        let cases = [
            (
                "hello there",
                "f78681ec611ebaeea0689bff6c7812a83ff98a7faba986d9af76c999",
            ),
            (
                "default/my-es",
                "b8464376b5fe3535e690594280bfe59b60be2603cb6cbb6d6c8bcbb4",
            ),
            (
                "ns/name",
                "bb23d4143f48a70026bb6cffbf0e5df5557eb3bc56885091e92a5690",
            ),
            (
                "ExternalSecret-default-my-es-0",
                "9915f96d753b27b8e9efddd3a0d8653f0950199e3e1da6e83e967b73",
            ),
        ];

        for (text, want) in cases {
            assert_eq!(object_hash_text(text), want);
        }
    }

    #[test]
    fn secret_data_hashes_as_upstream() {
        let foo = [("foo", b"bar".as_slice())];
        let two = [("foo", b"value1".as_slice()), ("bar", b"value2")];

        assert_eq!(
            data_hash([]),
            "74a974446e359fb3e6baff9bd0058950e6edd0f040888d9989b0a11b"
        );
        assert_eq!(
            data_hash(foo),
            "f2a604b87eb0cf673761e8cfea850f901fe73a3d1b2f338802107f36"
        );
        assert_eq!(
            data_hash(two),
            "1bed8bcbcb4547ffe19a19cd47d9078e84aa6598266d86b99f992d64"
        );
    }

    #[test]
    fn metadata_hashes_as_upstream() {
        let want = "f47fe3c0b255b6dd8047cdffa772587bb829efe7a1cb70febeda2eb2";
        assert_eq!(metadata_hash(NOTHING, NOTHING), want);

        let some = metadata_hash([("b", "2"), ("a", "1")], [("l", "")]);
        assert_eq!(
            some,
            object_hash_text("{annotations:map[a:1 b:2] labels:map[l:]}")
        );
    }

    #[test]
    fn bytes_of_every_width_print_as_decimals() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = Vec::new();

        put_map(&mut text, [("b", bytes.as_slice()), ("a", b"")], put_bytes);

        let list: Vec<String> = (0..=255).map(|n| n.to_string()).collect();
        assert_eq!(
            text,
            format!("map[a:[] b:[{}]]", list.join(" ")).into_bytes()
        );
    }

    #[test]
    fn unstructured_content_prints_as_go_does() {
        let source = br#"{"b":{"n":null,"t":true},"a":[1,"x y",1e21,0.00001,[],{}],"i":-7}"#;

        let text = value_text(&decode_unstructured(source).unwrap());

        assert_eq!(
            text,
            "map[a:[1 x y 1e+21 1e-05 [] map[]] b:map[n:<nil> t:true] i:-7]"
        );
    }

    #[test]
    fn content_hash_is_the_hash_of_its_text() {
        let value = decode_unstructured(br#"{"data":{"k":"v"}}"#).unwrap();

        assert_eq!(value_hash(&value), object_hash_text("map[data:map[k:v]]"));
    }
}
