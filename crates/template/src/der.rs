//! DER: just enough ASN.1 to read and write keys, certificates and PKCS#12 files.
//!
//! Reading is strict (definite, shortest lengths) and copies nothing; writing builds byte strings
//! from the inside out. Nothing recurses, so depth is no danger.

pub(crate) mod oid;

/// Tags that are met here.
pub(crate) mod tag {
    pub(crate) const BOOLEAN: u8 = 0x01;
    pub(crate) const INTEGER: u8 = 0x02;
    pub(crate) const BIT_STRING: u8 = 0x03;
    pub(crate) const OCTET_STRING: u8 = 0x04;
    pub(crate) const NULL: u8 = 0x05;
    pub(crate) const OID: u8 = 0x06;
    pub(crate) const UTF8_STRING: u8 = 0x0c;
    pub(crate) const PRINTABLE_STRING: u8 = 0x13;
    pub(crate) const UTC_TIME: u8 = 0x17;
    pub(crate) const GENERALIZED_TIME: u8 = 0x18;
    pub(crate) const BMP_STRING: u8 = 0x1e;
    pub(crate) const SEQUENCE: u8 = 0x30;
    pub(crate) const SET: u8 = 0x31;
    /// `[0] EXPLICIT`, and so on.
    pub(crate) const CONTEXT_0: u8 = 0xa0;
    pub(crate) const CONTEXT_1: u8 = 0xa1;
    pub(crate) const CONTEXT_3: u8 = 0xa3;
}

/// One element: its tag, its contents, and the whole of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element<'d> {
    pub(crate) tag: u8,
    pub(crate) body: &'d [u8],
    pub(crate) whole: &'d [u8],
}

/// Reads elements one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'d> {
    rest: &'d [u8],
}

impl<'d> Reader<'d> {
    pub(crate) fn new(data: &'d [u8]) -> Self {
        Self { rest: data }
    }

    /// The only element of `data`, which must have that tag and nothing behind it.
    pub(crate) fn single(data: &'d [u8], tag: u8) -> Option<Element<'d>> {
        let mut reader = Self::new(data);
        let element = reader.read(tag)?;
        reader.is_empty().then_some(element)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next element, whatever it is.
    pub(crate) fn any(&mut self) -> Option<Element<'d>> {
        let data = self.rest;
        let (&tag, rest) = data.split_first()?;
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, rest) = rest.split_first()?;
        let (len, body) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let (digits, body) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (long_length(digits)?, body)
        };
        let (body, after) = body.split_at_checked(len)?;
        self.rest = after;
        Some(Element {
            tag,
            body,
            whole: &data[..data.len() - after.len()],
        })
    }

    /// The next element, if it has that tag.
    pub(crate) fn optional(&mut self, tag: u8) -> Option<Element<'d>> {
        if self.rest.first() == Some(&tag) {
            self.any()
        } else {
            None
        }
    }

    /// The next element, which must have that tag.
    pub(crate) fn read(&mut self, tag: u8) -> Option<Element<'d>> {
        self.optional(tag)
    }

    /// The contents of a sequence.
    pub(crate) fn sequence(&mut self) -> Option<Self> {
        Some(Self::new(self.read(tag::SEQUENCE)?.body))
    }

    pub(crate) fn octets(&mut self) -> Option<&'d [u8]> {
        Some(self.read(tag::OCTET_STRING)?.body)
    }

    pub(crate) fn oid(&mut self) -> Option<&'d [u8]> {
        Some(self.read(tag::OID)?.body)
    }

    /// A non-negative integer as big-endian bytes without leading zeros.
    pub(crate) fn unsigned(&mut self) -> Option<&'d [u8]> {
        let body = self.read(tag::INTEGER)?.body;
        match body {
            [] => None,
            [0, next, ..] if *next < 0x80 => None,
            [0, rest @ ..] => Some(rest),
            [first, ..] if *first >= 0x80 => None,
            _ => Some(body),
        }
    }

    /// A small non-negative integer.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let bytes = self.unsigned()?;
        if bytes.len() > 8 {
            return None;
        }
        Some(bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    /// The bytes of a bit string that fills them.
    pub(crate) fn bits(&mut self) -> Option<&'d [u8]> {
        match self.read(tag::BIT_STRING)?.body {
            [0, bytes @ ..] => Some(bytes),
            _ => None,
        }
    }
}

fn long_length(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 4 || digits[0] == 0 {
        return None;
    }
    let len = digits
        .iter()
        .fold(0usize, |len, byte| len << 8 | usize::from(*byte));
    (len >= 0x80).then_some(len)
}

/// Writes an element.
pub(crate) fn element(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 6);
    out.push(tag);
    let len = body.len();
    match u8::try_from(len) {
        Ok(len) if len < 0x80 => out.push(len),
        _ => {
            let bytes = len.to_be_bytes();
            let digits = &bytes[bytes.iter().take_while(|b| **b == 0).count()..];
            out.push(0x80 | u8::try_from(digits.len()).unwrap_or(0));
            out.extend_from_slice(digits);
        }
    }
    out.extend_from_slice(body);
    out
}

/// Writes a constructed element of the parts given.
pub(crate) fn of(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    element(tag, &parts.concat())
}

/// Writes a sequence.
pub(crate) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    of(tag::SEQUENCE, parts)
}

/// Writes a set of elements, in the order DER wants.
pub(crate) fn set_of(mut parts: Vec<Vec<u8>>) -> Vec<u8> {
    parts.sort();
    element(tag::SET, &parts.concat())
}

/// Writes a non-negative integer given as big-endian bytes.
pub(crate) fn unsigned(bytes: &[u8]) -> Vec<u8> {
    let digits = &bytes[bytes.iter().take_while(|b| **b == 0).count()..];
    match digits.first() {
        None => element(tag::INTEGER, &[0]),
        Some(first) if *first >= 0x80 => of(tag::INTEGER, &[&[0], digits]),
        Some(_) => element(tag::INTEGER, digits),
    }
}

pub(crate) fn number(n: u64) -> Vec<u8> {
    unsigned(&n.to_be_bytes())
}

pub(crate) fn octets(bytes: &[u8]) -> Vec<u8> {
    element(tag::OCTET_STRING, bytes)
}

pub(crate) fn bits(bytes: &[u8]) -> Vec<u8> {
    of(tag::BIT_STRING, &[&[0], bytes])
}

pub(crate) fn object(oid: &[u8]) -> Vec<u8> {
    element(tag::OID, oid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_length_can_be_read_back() {
        for len in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
            let written = element(tag::OCTET_STRING, &vec![7; len]);

            let read = Reader::single(&written, tag::OCTET_STRING).unwrap();

            assert_eq!((read.body.len(), read.whole.len()), (len, written.len()));
        }
    }

    #[test]
    fn lengths_that_are_not_the_shortest_are_refused() {
        for data in [
            &[4, 0x81, 1, 0][..],
            &[4, 0x82, 0, 0x80],
            &[4, 0x80],
            &[4, 2, 0],
            &[4],
        ] {
            assert_eq!(Reader::single(data, tag::OCTET_STRING), None, "{data:?}");
        }
    }

    #[test]
    fn integers_keep_their_sign() {
        assert_eq!(unsigned(&[0, 0, 0x80]), [2, 2, 0, 0x80]);
        assert_eq!(number(0), [2, 1, 0]);
        assert_eq!(Reader::new(&[2, 2, 0, 0x80]).unsigned(), Some(&[0x80][..]));
        assert_eq!(Reader::new(&[2, 1, 0x80]).unsigned(), None);
        assert_eq!(Reader::new(&[2, 2, 0, 1]).unsigned(), None);
    }
}
