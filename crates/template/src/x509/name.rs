//! Distinguished names in the text form of Go's `pkix.Name`.

use data_encoding::HEXLOWER;
use lockstep_golang::unicode::to_valid_utf8;

use crate::der::{Element, Reader, oid, tag};

/// Attributes Go knows by name, in the order it writes them.
const KNOWN: [(u8, &str); 9] = [
    (6, "C"),
    (10, "O"),
    (11, "OU"),
    (7, "L"),
    (8, "ST"),
    (9, "STREET"),
    (17, "POSTALCODE"),
    (3, "CN"),
    (5, "SERIALNUMBER"),
];

/// One attribute of a name: its type, and its value.
type Attribute<'d> = (&'d [u8], Element<'d>);

pub(super) fn text(name: &[u8]) -> String {
    let attributes = attributes(name).unwrap_or_default();
    let known = |id: &[u8]| KNOWN.iter().any(|(arc, _)| id == [0x55, 4, *arc]);
    // Unknown attributes come first, which after reversing is last.
    let mut parts: Vec<String> = attributes
        .iter()
        .filter(|(id, _)| !known(id))
        .map(|(id, value)| format!("{}=#{}", oid::dotted(id), HEXLOWER.encode(value.whole)))
        .collect();
    for (arc, label) in KNOWN {
        let same = attributes.iter().filter(|(id, _)| *id == [0x55, 4, arc]);
        let mut values: Vec<String> = same
            .map(|(_, value)| format!("{label}={}", escaped(&string(value))))
            .collect();
        // Of these two, Go keeps only the last.
        if matches!(arc, 3 | 5) && values.len() > 1 {
            values.drain(..values.len() - 1);
        }
        if !values.is_empty() {
            parts.push(values.join("+"));
        }
    }
    parts.reverse();
    parts.join(",")
}

fn attributes(name: &[u8]) -> Option<Vec<Attribute<'_>>> {
    let mut sets = Reader::new(name).sequence()?;
    let mut found = Vec::new();
    while !sets.is_empty() {
        let mut set = Reader::new(sets.read(tag::SET)?.body);
        while !set.is_empty() {
            let mut pair = set.sequence()?;
            found.push((pair.oid()?, pair.any()?));
        }
    }
    Some(found)
}

fn string(value: &Element<'_>) -> String {
    if value.tag == tag::BMP_STRING {
        let units: Vec<u16> = value
            .body
            .chunks_exact(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect();
        return String::from_utf16_lossy(&units);
    }
    to_valid_utf8(value.body)
}

/// RFC 2253: separators, and spaces at the ends, behind a backslash.
fn escaped(text: &str) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        let special = match c {
            ',' | '+' | '"' | '\\' | '<' | '>' | ';' => true,
            ' ' => at == 0 || at == last,
            '#' => at == 0,
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
