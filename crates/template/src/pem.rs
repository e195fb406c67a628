//! PEM blocks, read with the tolerance of Go's `encoding/pem` and written with its layout.

use std::collections::BTreeMap;

use lockstep_golang::base64::{self, Encoding};

/// A block: its type, its headers and the bytes inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: Vec<u8>,
    pub(crate) headers: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(crate) bytes: Vec<u8>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// The first block in `data`, and what follows it.
pub(crate) fn decode(data: &[u8]) -> Option<(Block, &[u8])> {
    let mut rest = data;
    loop {
        let end = memchr::memmem::find(rest, END)?;
        let after_end = end + END.len();
        match block_before(rest, end) {
            Attempt::Found(block, rest) => return Some((block, rest)),
            Attempt::Nothing => return None,
            Attempt::Skip(skip) => rest = rest.get(skip..)?,
            Attempt::SkipEnd => rest = &rest[after_end..],
        }
    }
}

enum Attempt<'d> {
    Found(Block, &'d [u8]),
    /// No block can follow.
    Nothing,
    /// Look again behind this many bytes.
    Skip(usize),
    /// Look again behind the end line.
    SkipEnd,
}

/// The block whose end line begins at `end`.
fn block_before(data: &[u8], end: usize) -> Attempt<'_> {
    let Some(begin) = memchr::memmem::rfind(&data[..end], BEGIN) else {
        return Attempt::SkipEnd;
    };
    if begin > 0 && data[begin - 1] != b'\n' {
        return Attempt::SkipEnd;
    }
    let trailer_at = end + END.len();
    let mut at = begin + BEGIN.len();
    let (type_line, consumed) = line(&data[at..]);
    at += consumed;
    let Some(kind) = type_line.strip_suffix(DASHES) else {
        return Attempt::Skip(trailer_at);
    };
    let mut headers = BTreeMap::new();
    loop {
        if at >= data.len() {
            return Attempt::Nothing;
        }
        let (text, consumed) = line(&data[at..]);
        let Some(colon) = memchr::memchr(b':', text) else {
            break;
        };
        headers.insert(
            trim(&text[..colon]).to_vec(),
            trim(&text[colon + 1..]).to_vec(),
        );
        at += consumed;
    }
    // Headers that run past the end line.
    if !headers.is_empty() && at > end {
        return if at > trailer_at {
            Attempt::Nothing
        } else {
            Attempt::Skip(trailer_at)
        };
    }
    let trailer = data.get(trailer_at..).unwrap_or_default();
    let Some(after) = trailer
        .strip_prefix(kind)
        .and_then(|rest| rest.strip_prefix(DASHES))
    else {
        return Attempt::Skip(trailer_at);
    };
    let (junk, consumed) = line(after);
    if !junk.is_empty() {
        return Attempt::Skip(trailer_at);
    }
    let body: Vec<u8> = data
        .get(at..end)
        .unwrap_or_default()
        .iter()
        .copied()
        .filter(|b| !matches!(b, b' ' | b'\t'))
        .collect();
    match base64::decode(Encoding::Standard, &body) {
        Ok(bytes) => {
            let block = Block {
                kind: kind.to_vec(),
                headers,
                bytes,
            };
            Attempt::Found(block, &after[consumed..])
        }
        Err(_) => Attempt::Skip(trailer_at),
    }
}

/// A line without its end and trailing blanks, and how many bytes it takes.
fn line(data: &[u8]) -> (&[u8], usize) {
    let (text, consumed) = match memchr::memchr(b'\n', data) {
        None => (data, data.len()),
        Some(at) => (
            data[..at].strip_suffix(b"\r").unwrap_or(&data[..at]),
            at + 1,
        ),
    };
    let blanks = text
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    (&text[..text.len() - blanks], consumed)
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

/// The text of a block without headers.
pub(crate) fn encode(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let block = Block {
        kind: kind.as_bytes().to_vec(),
        headers: BTreeMap::new(),
        bytes: bytes.to_vec(),
    };
    // Only a header can make this fail.
    encode_block(&block).unwrap_or_default()
}

/// The text of a block; nothing if a header cannot be written.
pub(crate) fn encode_block(block: &Block) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(block.bytes.len() * 3 / 2 + 64);
    out.extend_from_slice(BEGIN);
    out.extend_from_slice(&block.kind);
    out.extend_from_slice(b"-----\n");
    if !block.headers.is_empty() {
        let first = |key: &[u8]| key == b"Proc-Type";
        let ordered = block.headers.iter().filter(|(key, _)| first(key));
        for (key, value) in ordered.chain(block.headers.iter().filter(|(key, _)| !first(key))) {
            if key.contains(&b':') {
                return None;
            }
            out.extend([key, &b": "[..], value, b"\n"].concat());
        }
        out.push(b'\n');
    }
    for chunk in base64::encode(Encoding::Standard, &block.bytes)
        .as_bytes()
        .chunks(64)
    {
        out.extend_from_slice(chunk);
        out.push(b'\n');
    }
    out.extend_from_slice(&END[1..]);
    out.extend_from_slice(&block.kind);
    out.extend_from_slice(b"-----\n");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(data: &[u8]) -> Vec<String> {
        let mut rest = data;
        let mut found = Vec::new();
        while let Some((block, after)) = decode(rest) {
            found.push(String::from_utf8(block.kind).unwrap());
            rest = after;
        }
        found
    }

    #[test]
    fn blocks_are_found_between_other_text() {
        let text = b"junk\n-----BEGIN A-----\nAAAA\n-----END A-----\r\nmore\n\
                     -----BEGIN B-----\r\nAA A\tA\r\n-----END B-----   \n";

        assert_eq!(kinds(text), ["A", "B"]);
    }

    #[test]
    fn malformed_blocks_are_passed_over() {
        let text = b"-----BEGIN A-----\n!!!!\n-----END A-----\n\
                     -----BEGIN B-----\nAAAA\n-----END C-----\n\
                     -----BEGIN D-----\nAAAA\n-----END D-----x\n\
                     -----BEGIN E-----\nAAAA\n-----END E-----\n";

        assert_eq!(kinds(text), ["E"]);
    }

    #[test]
    fn headers_survive_a_round_trip() {
        let text = b"-----BEGIN X-----\nProc-Type: 4,ENCRYPTED\nA: b\n\nAAAA\n-----END X-----\n";

        let (block, rest) = decode(text).unwrap();

        assert!(rest.is_empty());
        assert_eq!(block.headers.len(), 2);
        assert_eq!(encode_block(&block).unwrap(), text);
    }

    #[test]
    fn lines_are_broken_at_64_columns() {
        let text = encode("X", &[0; 100]);

        assert_eq!(text.split(|b| *b == b'\n').nth(1).unwrap().len(), 64);
        assert_eq!(decode(&text).unwrap().0.bytes, vec![0; 100]);
    }
}
