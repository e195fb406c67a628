//! The errors of reading JSON, with the texts of `encoding/json`.
//!
//! A text may show one character or one number of the input.

/// Why JSON was refused; prints Go's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input ends inside a value.
    #[error("unexpected end of JSON input")]
    UnexpectedEnd,
    /// A byte that cannot stand where it stands.
    #[error("invalid character {} {place}", quote_byte(*.byte))]
    InvalidCharacter {
        /// The byte in question.
        byte: u8,
        /// Where it stands, in Go's words.
        place: &'static str,
    },
    /// The JSON is well formed but of another type than wanted.
    #[error("json: cannot unmarshal {found} into Go value of type {wanted}")]
    Type {
        /// Kind of value found, in Go's words.
        found: String,
        /// Go type that was wanted.
        wanted: &'static str,
    },
    /// A number is out of the range of a float64.
    #[error("json: number does not fit a float64")]
    NumberRange,
    /// The decoded values would take too much memory.
    #[error("json: the document has too many values")]
    TooLarge,
}

/// Go prints the byte as if it were a character of Latin-1.
fn quote_byte(byte: u8) -> String {
    let text = match byte {
        b'\'' => "\\'".to_owned(),
        b'\\' => "\\\\".to_owned(),
        0x07 => "\\a".to_owned(),
        0x08 => "\\b".to_owned(),
        0x0c => "\\f".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        0x0b => "\\v".to_owned(),
        0..0x20 | 0x7f => format!("\\x{byte:02x}"),
        0x80..=0xa0 | 0xad => format!("\\u00{byte:02x}"),
        _ => char::from(byte).to_string(),
    };
    format!("'{text}'")
}
