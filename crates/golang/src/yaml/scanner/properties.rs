//! Anchors, aliases, tags and directives.

use super::{Scanner, TokenKind};
use crate::yaml::Error;
use crate::yaml::reader::{is_blank, is_blank_or_end, is_break, is_break_or_end, is_word};

impl Scanner {
    pub(super) fn anchor(&mut self, kind: fn(String) -> TokenKind) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.reader.mark;
        self.reader.skip();
        let name = self.reader.take_while(is_word);
        let next = self.reader.here();
        if name.is_empty() || !(is_blank_or_end(next) || "?:,]}%@`".contains(next)) {
            return self.refuse("did not find expected alphabetic or numeric character");
        }
        self.push(kind(name), mark);
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.reader.mark;
        let (handle, suffix) = if self.reader.ahead(1) == '<' {
            self.reader.skip_many(2);
            let suffix = self.tag_uri("")?;
            if self.reader.here() != '>' {
                return self.refuse("did not find the expected '>'");
            }
            self.reader.skip();
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.tag_uri("")?;
                (handle, suffix)
            } else {
                // What looked like a handle belongs to the name itself.
                match self.tag_uri(&handle)? {
                    suffix if suffix.is_empty() => (String::new(), handle),
                    suffix => ("!".to_owned(), suffix),
                }
            }
        };
        if !is_blank_or_end(self.reader.here()) {
            return self.refuse("did not find expected whitespace or line break");
        }
        self.push(TokenKind::Tag { handle, suffix }, mark);
        Ok(())
    }

    fn tag_handle(&mut self, directive: bool) -> Result<String, Error> {
        if self.reader.here() != '!' {
            return self.refuse("did not find expected '!'");
        }
        let mut handle = self.reader.take().to_string();
        handle += &self.reader.take_while(is_word);
        if self.reader.here() == '!' {
            handle.push(self.reader.take());
        } else if directive && handle != "!" {
            return self.refuse("did not find expected '!'");
        }
        Ok(handle)
    }

    /// The rest of a tag behind `head`, whose exclamation mark is left out.
    fn tag_uri(&mut self, head: &str) -> Result<String, Error> {
        let mut uri: Vec<u8> = head.bytes().skip(1).collect();
        let mut any = !head.is_empty();
        loop {
            match self.reader.here() {
                '%' => self.uri_escape(&mut uri)?,
                c if is_word(c) || ";/?:@&=+$,.!~*'()[]".contains(c) => {
                    uri.push(u8::try_from(c).unwrap_or_default());
                    self.reader.skip();
                }
                _ => break,
            }
            any = true;
        }
        if !any {
            return self.refuse("did not find expected tag URI");
        }
        Ok(String::from_utf8_lossy(&uri).into_owned())
    }

    /// The octets of one character, each written as `%41`.
    fn uri_escape(&mut self, uri: &mut Vec<u8>) -> Result<(), Error> {
        let mut left = 1;
        let mut first = true;
        while left > 0 {
            let digits = (
                self.reader.ahead(1).to_digit(16),
                self.reader.ahead(2).to_digit(16),
            );
            let ('%', (Some(high), Some(low))) = (self.reader.here(), digits) else {
                return self.refuse("did not find URI escaped octet");
            };
            let octet = u8::try_from(high * 16 + low).unwrap_or_default();
            if std::mem::take(&mut first) {
                left = match octet {
                    0..0x80 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0..0xf8 => 4,
                    _ => return self.refuse("found an incorrect leading UTF-8 octet"),
                };
            } else if octet & 0xc0 != 0x80 {
                return self.refuse("found an incorrect trailing UTF-8 octet");
            }
            uri.push(octet);
            self.reader.skip_many(3);
            left -= 1;
        }
        Ok(())
    }

    pub(super) fn directive(&mut self) -> Result<(), Error> {
        self.close_blocks(0);
        self.drop_key()?;
        self.key_allowed = false;
        let mark = self.reader.mark;
        self.reader.skip();
        let name = self.reader.take_while(is_word);
        if name.is_empty() {
            return self.refuse("could not find expected directive name");
        }
        if !is_blank_or_end(self.reader.here()) {
            return self.refuse("found unexpected non-alphabetical character");
        }
        let kind = match name.as_str() {
            "YAML" => self.version()?,
            "TAG" => self.tag_prefix()?,
            _ => return self.refuse("found unknown directive name"),
        };
        self.end_of_line()?;
        self.push(kind, mark);
        Ok(())
    }

    /// Skips blanks, a comment and the line break behind them; nothing else may stand here.
    pub(super) fn end_of_line(&mut self) -> Result<(), Error> {
        self.reader.skip_while(is_blank);
        if self.reader.here() == '#' {
            self.reader.skip_while(|c| !is_break_or_end(c));
        }
        if !is_break_or_end(self.reader.here()) {
            return self.refuse("did not find expected comment or line break");
        }
        if is_break(self.reader.here()) {
            self.reader.take_break();
        }
        Ok(())
    }

    fn version(&mut self) -> Result<TokenKind, Error> {
        self.reader.skip_while(is_blank);
        let major = self.version_number()?;
        if self.reader.here() != '.' {
            return self.refuse("did not find expected digit or '.' character");
        }
        self.reader.skip();
        let minor = self.version_number()?;
        Ok(TokenKind::VersionDirective { major, minor })
    }

    fn version_number(&mut self) -> Result<u32, Error> {
        let (mut value, mut length) = (0, 0);
        while let Some(digit) = self.reader.here().to_digit(10) {
            length += 1;
            if length > 2 {
                return self.refuse("found extremely long version number");
            }
            value = value * 10 + digit;
            self.reader.skip();
        }
        if length == 0 {
            return self.refuse("did not find expected version number");
        }
        Ok(value)
    }

    fn tag_prefix(&mut self) -> Result<TokenKind, Error> {
        self.reader.skip_while(is_blank);
        let handle = self.tag_handle(true)?;
        if !is_blank(self.reader.here()) {
            return self.refuse("did not find expected whitespace");
        }
        self.reader.skip_while(is_blank);
        let prefix = self.tag_uri("")?;
        if !is_blank_or_end(self.reader.here()) {
            return self.refuse("did not find expected whitespace or line break");
        }
        Ok(TokenKind::TagDirective { handle, prefix })
    }
}
