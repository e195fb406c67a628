//! Percent-encoding of the parts of a URL. Whole URLs come from manifests and are parsed by the
//! request builder.

use std::fmt::Write as _;

/// Encodes one path segment or query value: everything but letters, digits and `-._~`.
pub fn encode_component(text: &str) -> String {
    encode(text, b"-._~")
}

/// Encodes a path, keeping its slashes.
pub fn encode_path(text: &str) -> String {
    encode(text, b"-._~/")
}

/// Encodes one segment of a path as Go's `url.PathEscape` does, which keeps signs that end no segment.
pub fn encode_segment(text: &str) -> String {
    encode(text, b"-._~$&+=:@")
}

/// Encodes a key that may be a path below a fixed one. Slashes stay, unless a segment of dots alone would lead out of that place.
pub fn encode_key(key: &str) -> String {
    if key.split('/').any(|segment| matches!(segment, "." | "..")) {
        return encode_component(key);
    }
    encode_path(key)
}

fn encode(text: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_foreign_characters_are_encoded() {
        assert_eq!(encode_component("a/b c&d=é~"), "a%2Fb%20c%26d%3D%C3%A9~");
        assert_eq!(encode_path("kv/data/a b?"), "kv/data/a%20b%3F");
        assert_eq!(encode_segment("a/b:c@d;e,f?"), "a%2Fb:c@d%3Be%2Cf%3F");
    }

    #[test]
    fn a_key_cannot_leave_its_place() {
        assert_eq!(encode_key("team/db 1"), "team/db%201");
        assert_eq!(encode_key("../token"), "..%2Ftoken");
    }
}
