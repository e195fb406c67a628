//! The format language of `printf`: flags, width, precision, argument indexes, and the notations
//! Go prints in place of mistakes.

use lockstep_golang::unicode::decode_rune;

use super::{Flags, Printed, Printer};
use crate::value::Value;

/// Widths and precisions beyond this are mistakes, as in Go.
const TOO_LARGE: i64 = 1_000_000;

/// Where `printf` stands in its format and arguments.
struct Cursor<'f> {
    format: &'f [u8],
    at: usize,
    arg: usize,
    /// Some verb named its argument, so unused ones are not counted.
    reordered: bool,
    good_index: bool,
    /// The item before was an index such as `[3]`.
    after_index: bool,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn number(&mut self) -> Option<usize> {
        let (number, next) = digits(self.format, self.at, self.format.len());
        self.at = next;
        number
    }

    /// An explicit argument index such as `[2]`, if one stands here.
    fn index(&mut self, args: usize) {
        self.after_index = false;
        if self.peek() != Some(b'[') {
            return;
        }
        self.reordered = true;
        let (index, width, well_formed) = bracketed(&self.format[self.at..]);
        self.at += width;
        self.after_index = well_formed;
        match index.filter(|index| *index < args) {
            Some(index) => {
                self.arg = index;
                self.after_index = true;
            }
            None => self.good_index = false,
        }
    }

    /// An integer argument for `*`.
    fn star(&mut self, args: &[Value]) -> Option<i64> {
        let value = args.get(self.arg)?;
        self.arg += 1;
        let number = match (value.as_signed(), value.as_unsigned()) {
            (Some(n), _) => Some(n),
            (None, Some(n)) => i64::try_from(n).ok(),
            (None, None) => None,
        };
        number.filter(|n| (-TOO_LARGE..=TOO_LARGE).contains(n))
    }
}

/// A decimal number and where it ends; a number that is too large is none.
fn digits(text: &[u8], start: usize, end: usize) -> (Option<usize>, usize) {
    let mut number = None;
    let mut at = start;
    while at < end && text[at].is_ascii_digit() {
        // Go looks before it adds a digit, so seven digits may pass.
        let so_far = number.unwrap_or(0);
        if so_far > 1_000_000 {
            return (None, end);
        }
        number = Some(so_far * 10 + usize::from(text[at] - b'0'));
        at += 1;
    }
    (number, at)
}

/// The zero-based index in `[n]`, how many bytes to skip, and whether it was well formed.
fn bracketed(text: &[u8]) -> (Option<usize>, usize, bool) {
    if text.len() < 3 {
        return (None, 1, false);
    }
    let Some(close) = memchr::memchr(b']', text) else {
        return (None, 1, false);
    };
    match digits(text, 1, close) {
        (Some(number), end) if end == close => (number.checked_sub(1), close + 1, true),
        _ => (None, close + 1, false),
    }
}

impl Printer {
    pub(super) fn printf(&mut self, format: &[u8], args: &[Value]) -> Printed {
        let mut cursor = Cursor {
            format,
            at: 0,
            arg: 0,
            reordered: false,
            good_index: true,
            after_index: false,
        };
        while cursor.at < format.len() {
            let rest = &format[cursor.at..];
            let plain = memchr::memchr(b'%', rest).unwrap_or(rest.len());
            self.write(&rest[..plain])?;
            cursor.at += plain;
            if cursor.at >= format.len() {
                break;
            }
            cursor.at += 1;
            cursor.good_index = true;
            self.flags = Flags::default();
            if !self.directive(&mut cursor, args)? {
                break;
            }
        }
        self.extra(&cursor, args)
    }

    /// One verb; `false` if the format ended before it.
    fn directive(
        &mut self,
        cursor: &mut Cursor<'_>,
        args: &[Value],
    ) -> Result<bool, super::Exceeded> {
        self.read_flags(cursor);
        cursor.index(args.len());
        self.read_width(cursor, args)?;
        self.read_precision(cursor, args)?;
        if !cursor.after_index {
            cursor.index(args.len());
        }
        if cursor.at >= cursor.format.len() {
            self.write(b"%!(NOVERB)")?;
            return Ok(false);
        }
        let (verb, width) = decode_rune(&cursor.format[cursor.at..]);
        cursor.at += width;
        if verb == '%' {
            self.write(b"%")?;
        } else if !cursor.good_index {
            self.write(format!("%!{verb}(BADINDEX)").as_bytes())?;
        } else if let Some(arg) = args.get(cursor.arg) {
            if matches!(verb, 'v' | 'w') {
                self.flags.sharp_v = std::mem::take(&mut self.flags.sharp);
                self.flags.plus_v = std::mem::take(&mut self.flags.plus);
            }
            self.argument(arg, verb)?;
            cursor.arg += 1;
        } else {
            self.write(format!("%!{verb}(MISSING)").as_bytes())?;
        }
        Ok(true)
    }

    fn read_flags(&mut self, cursor: &mut Cursor<'_>) {
        while let Some(byte) = cursor.peek() {
            match byte {
                b'#' => self.flags.sharp = true,
                b'0' => self.flags.zero = true,
                b'+' => self.flags.plus = true,
                b'-' => self.flags.minus = true,
                b' ' => self.flags.space = true,
                _ => break,
            }
            cursor.at += 1;
        }
    }

    fn read_width(&mut self, cursor: &mut Cursor<'_>, args: &[Value]) -> Printed {
        if cursor.peek() != Some(b'*') {
            self.flags.width = cursor.number();
            if cursor.after_index && self.flags.width.is_some() {
                cursor.good_index = false;
            }
            return Ok(());
        }
        cursor.at += 1;
        cursor.after_index = false;
        match cursor.star(args) {
            None => self.write(b"%!(BADWIDTH)"),
            Some(width) => {
                if width < 0 {
                    self.flags.minus = true;
                    self.flags.zero = false;
                }
                self.flags.width = usize::try_from(width.unsigned_abs()).ok();
                Ok(())
            }
        }
    }

    fn read_precision(&mut self, cursor: &mut Cursor<'_>, args: &[Value]) -> Printed {
        if cursor.peek() != Some(b'.') || cursor.at + 1 >= cursor.format.len() {
            return Ok(());
        }
        cursor.at += 1;
        if cursor.after_index {
            cursor.good_index = false;
        }
        cursor.index(args.len());
        if cursor.peek() != Some(b'*') {
            self.flags.precision = Some(cursor.number().unwrap_or(0));
            return Ok(());
        }
        cursor.at += 1;
        cursor.after_index = false;
        self.flags.precision = cursor.star(args).and_then(|n| usize::try_from(n).ok());
        if self.flags.precision.is_none() {
            return self.write(b"%!(BADPREC)");
        }
        Ok(())
    }

    fn extra(&mut self, cursor: &Cursor<'_>, args: &[Value]) -> Printed {
        if cursor.reordered || cursor.arg >= args.len() {
            return Ok(());
        }
        self.flags = Flags::default();
        self.write(b"%!(EXTRA ")?;
        for (at, arg) in args[cursor.arg..].iter().enumerate() {
            if at > 0 {
                self.write(b", ")?;
            }
            if !arg.is_nil() {
                self.write(arg.type_name().as_bytes())?;
                self.write(b"=")?;
            }
            self.argument(arg, 'v')?;
        }
        self.write(b")")
    }
}
