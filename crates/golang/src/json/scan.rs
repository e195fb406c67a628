//! Checks JSON syntax byte by byte, with Go's error for the first byte that does not fit.
//!
//! Works without recursion; nesting is limited to Go's 10,000 levels.

use super::Error;

const MAX_DEPTH: usize = 10_000;

/// Checks that `source` is exactly one JSON value.
pub fn validate(source: &[u8]) -> Result<(), Error> {
    check(source, MAX_DEPTH)
}

/// Whether `source` is exactly one JSON value, however deep.
pub(crate) fn is_well_formed(source: &[u8]) -> bool {
    check(source, usize::MAX).is_ok()
}

fn check(source: &[u8], max_depth: usize) -> Result<(), Error> {
    let mut scanner = Scanner {
        source,
        at: 0,
        open: Vec::new(),
        max_depth,
    };
    scanner.value()?;
    loop {
        let Some(&container) = scanner.open.last() else {
            return scanner.end();
        };
        scanner.after_element(container)?;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    Array,
    Object,
}

struct Scanner<'a> {
    source: &'a [u8],
    at: usize,
    open: Vec<Container>,
    max_depth: usize,
}

impl Scanner<'_> {
    /// The next byte that is not white space, not consumed.
    fn peek(&mut self) -> Result<u8, Error> {
        while let Some(&byte) = self.source.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(byte);
            }
            self.at += 1;
        }
        Err(Error::UnexpectedEnd)
    }

    /// The next byte inside a literal; Go's scanner sees a space after the last one.
    fn next(&mut self) -> u8 {
        let byte = self.source.get(self.at).copied().unwrap_or(b' ');
        self.at += 1;
        byte
    }

    /// Reads a scalar or opens containers until the first scalar or empty container.
    fn value(&mut self) -> Result<(), Error> {
        loop {
            let byte = self.peek()?;
            self.at += 1;
            let container = match byte {
                b'{' => Container::Object,
                b'[' => Container::Array,
                _ => return self.scalar(byte),
            };
            self.open.push(container);
            if self.open.len() > self.max_depth {
                return Err(invalid(byte, "exceeded max depth"));
            }
            let next = self.peek()?;
            match container {
                Container::Object if next == b'}' => return Ok(()),
                Container::Array if next == b']' => return Ok(()),
                Container::Object => self.key()?,
                Container::Array => {}
            }
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Result<(), Error> {
        match self.peek()? {
            b'"' => self.at += 1,
            byte => return Err(invalid(byte, "looking for beginning of object key string")),
        }
        self.string()?;
        match self.peek()? {
            b':' => self.at += 1,
            byte => return Err(invalid(byte, "after object key")),
        }
        Ok(())
    }

    /// Reads what follows an element: the end of the container, or a comma and the next element.
    fn after_element(&mut self, container: Container) -> Result<(), Error> {
        let byte = self.peek()?;
        self.at += 1;
        match (container, byte) {
            (Container::Object, b'}') | (Container::Array, b']') => {
                self.open.pop();
                Ok(())
            }
            (Container::Object, b',') => {
                self.key()?;
                self.value()
            }
            (Container::Array, b',') => self.value(),
            (Container::Object, _) => Err(invalid(byte, "after object key:value pair")),
            (Container::Array, _) => Err(invalid(byte, "after array element")),
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            Ok(byte) => Err(invalid(byte, "after top-level value")),
            Err(_) => Ok(()),
        }
    }

    fn scalar(&mut self, first: u8) -> Result<(), Error> {
        match first {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(first),
            b't' => self.literal(&TRUE),
            b'f' => self.literal(&FALSE),
            b'n' => self.literal(&NULL),
            _ => Err(invalid(first, "looking for beginning of value")),
        }
    }

    fn literal(&mut self, rest: &[(u8, &'static str)]) -> Result<(), Error> {
        for (want, place) in rest {
            let byte = self.next();
            if byte != *want {
                return Err(invalid(byte, place));
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Error> {
        loop {
            let Some(&byte) = self.source.get(self.at) else {
                return Err(Error::UnexpectedEnd);
            };
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0..0x20 => return Err(invalid(byte, "in string literal")),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        match self.next() {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => {
                for _ in 0..4 {
                    let byte = self.next();
                    if !byte.is_ascii_hexdigit() {
                        return Err(invalid(byte, "in \\u hexadecimal character escape"));
                    }
                }
                Ok(())
            }
            byte => Err(invalid(byte, "in string escape code")),
        }
    }

    fn number(&mut self, first: u8) -> Result<(), Error> {
        let mut leading = first;
        if first == b'-' {
            leading = self.next();
            if !leading.is_ascii_digit() {
                return Err(invalid(leading, "in numeric literal"));
            }
        }
        if leading != b'0' {
            self.digits();
        }
        if self.source.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if matches!(self.source.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.source.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(())
    }

    fn digit(&mut self, place: &'static str) -> Result<(), Error> {
        match self.next() {
            b'0'..=b'9' => Ok(()),
            byte => Err(invalid(byte, place)),
        }
    }

    fn digits(&mut self) {
        while self.source.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }
}

const TRUE: [(u8, &str); 3] = [
    (b'r', "in literal true (expecting 'r')"),
    (b'u', "in literal true (expecting 'u')"),
    (b'e', "in literal true (expecting 'e')"),
];
const FALSE: [(u8, &str); 4] = [
    (b'a', "in literal false (expecting 'a')"),
    (b'l', "in literal false (expecting 'l')"),
    (b's', "in literal false (expecting 's')"),
    (b'e', "in literal false (expecting 'e')"),
];
const NULL: [(u8, &str); 3] = [
    (b'u', "in literal null (expecting 'u')"),
    (b'l', "in literal null (expecting 'l')"),
    (b'l', "in literal null (expecting 'l')"),
];

fn invalid(byte: u8, place: &'static str) -> Error {
    Error::InvalidCharacter { byte, place }
}
