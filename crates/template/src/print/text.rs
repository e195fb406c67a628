//! Padding, strings, booleans and integers under the verbs.

use lockstep_golang::unicode::runes;

use super::{Printed, Printer};
use crate::strconv::{can_backquote, quote, quote_ascii, quote_rune};
use crate::unicode::is_print;

pub(super) const LOWER: &[u8; 17] = b"0123456789abcdefx";
pub(super) const UPPER: &[u8; 17] = b"0123456789ABCDEFX";

impl Printer {
    fn padding(&mut self, n: usize) -> Printed {
        self.room(n)?;
        let byte = if self.flags.zero && !self.flags.minus {
            b'0'
        } else {
            b' '
        };
        self.out.resize(self.out.len() + n, byte);
        Ok(())
    }

    pub(super) fn pad(&mut self, text: &[u8]) -> Printed {
        let Some(width) = self.flags.width.filter(|width| *width > 0) else {
            return self.write(text);
        };
        let missing = width.saturating_sub(runes(text).count());
        if self.flags.minus {
            self.write(text)?;
            return self.padding(missing);
        }
        self.padding(missing)?;
        self.write(text)
    }

    /// Pads with spaces even if zeros were asked for.
    pub(super) fn pad_with_spaces(&mut self, text: &[u8]) -> Printed {
        let zero = std::mem::take(&mut self.flags.zero);
        let printed = self.pad(text);
        self.flags.zero = zero;
        printed
    }

    /// A signed number, zeros going between the sign and the digits.
    pub(super) fn pad_signed(&mut self, number: &[u8]) -> Printed {
        let width = self.flags.width.unwrap_or(0);
        if self.flags.zero && !self.flags.minus && width > number.len() {
            self.write(&number[..1])?;
            self.padding(width - number.len())?;
            return self.write(&number[1..]);
        }
        self.pad(number)
    }

    /// The first characters of `text`, as many as the precision says.
    fn truncate<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let Some(count) = self.flags.precision else {
            return text;
        };
        match runes(text).nth(count) {
            Some((at, _)) => &text[..at],
            None => text,
        }
    }

    pub(super) fn string(&mut self, text: &[u8], verb: char) -> Option<Printed> {
        Some(match verb {
            'v' if self.flags.sharp_v => self.quoted(text),
            'v' | 's' => self.pad(self.truncate(text)),
            'x' => self.hex(text, LOWER),
            'X' => self.hex(text, UPPER),
            'q' => self.quoted(text),
            _ => return None,
        })
    }

    fn quoted(&mut self, text: &[u8]) -> Printed {
        let text = self.truncate(text);
        if self.flags.sharp && can_backquote(text) {
            return self.pad(&[b"`", text, b"`"].concat());
        }
        let quoted = if self.flags.plus {
            quote_ascii(text)
        } else {
            quote(text)
        };
        self.pad(quoted.as_bytes())
    }

    fn hex(&mut self, text: &[u8], digits: &[u8; 17]) -> Printed {
        let text = &text[..text.len().min(self.flags.precision.unwrap_or(usize::MAX))];
        self.room(text.len().saturating_mul(5))?;
        let mut out = Vec::with_capacity(text.len() * 3 + 2);
        for (at, byte) in text.iter().enumerate() {
            if self.flags.space && at > 0 {
                out.push(b' ');
            }
            if self.flags.sharp && (at == 0 || self.flags.space) {
                out.extend_from_slice(&[b'0', digits[16]]);
            }
            out.push(digits[usize::from(byte >> 4)]);
            out.push(digits[usize::from(byte & 15)]);
        }
        self.pad(&out)
    }

    pub(super) fn boolean(&mut self, value: bool, verb: char) -> Option<Printed> {
        matches!(verb, 't' | 'v').then(|| self.pad(if value { b"true" } else { b"false" }))
    }

    /// An integer given as its magnitude bits; `signed` says how to read the top bit.
    pub(super) fn integer(&mut self, bits: u64, signed: bool, verb: char) -> Option<Printed> {
        Some(match verb {
            'v' if self.flags.sharp_v && !signed => {
                let sharp = std::mem::replace(&mut self.flags.sharp, true);
                let printed = self.digits(bits, 16, signed, verb);
                self.flags.sharp = sharp;
                printed
            }
            'v' | 'd' => self.digits(bits, 10, signed, verb),
            'b' => self.digits(bits, 2, signed, verb),
            'o' | 'O' => self.digits(bits, 8, signed, verb),
            'x' | 'X' => self.digits(bits, 16, signed, verb),
            'c' => self.pad(rune(bits).encode_utf8(&mut [0; 4]).as_bytes()),
            'q' => {
                let quoted = quote_rune(rune(bits), self.flags.plus);
                self.pad(quoted.as_bytes())
            }
            'U' => self.code_point(bits),
            _ => return None,
        })
    }

    fn digits(&mut self, bits: u64, base: u64, signed: bool, verb: char) -> Printed {
        let negative = signed && bits.cast_signed() < 0;
        let mut rest = if negative { bits.wrapping_neg() } else { bits };
        let least = match self.flags.precision {
            Some(0) if rest == 0 => return self.pad_with_spaces(b""),
            Some(precision) => precision,
            None if self.flags.zero && !self.flags.minus => {
                let sign = negative || self.flags.plus || self.flags.space;
                self.flags
                    .width
                    .unwrap_or(0)
                    .saturating_sub(usize::from(sign))
            }
            None => 0,
        };
        self.room(least)?;
        let table = if verb == 'X' { UPPER } else { LOWER };
        // Written backwards.
        let mut out = Vec::with_capacity(24);
        loop {
            let digit = usize::try_from(rest % base).unwrap_or(0);
            out.push(table[digit]);
            rest /= base;
            if rest == 0 {
                break;
            }
        }
        out.resize(out.len().max(least), b'0');
        if self.flags.sharp {
            match base {
                2 => out.extend_from_slice(b"b0"),
                8 if out.last() != Some(&b'0') => out.push(b'0'),
                16 => out.extend_from_slice(&[table[16], b'0']),
                _ => {}
            }
        }
        if verb == 'O' {
            out.extend_from_slice(b"o0");
        }
        if negative {
            out.push(b'-');
        } else if self.flags.plus {
            out.push(b'+');
        } else if self.flags.space {
            out.push(b' ');
        }
        out.reverse();
        self.pad_with_spaces(&out)
    }

    fn code_point(&mut self, bits: u64) -> Printed {
        let digits = self.flags.precision.unwrap_or(0).max(4);
        self.room(digits)?;
        let hex = format!("{bits:X}");
        let mut out = b"U+".to_vec();
        out.resize(out.len() + digits.saturating_sub(hex.len()), b'0');
        out.extend_from_slice(hex.as_bytes());
        let shown = u32::try_from(bits)
            .ok()
            .and_then(char::from_u32)
            .filter(|c| is_print(*c));
        if let Some(shown) = shown.filter(|_| self.flags.sharp) {
            out.extend_from_slice(format!(" '{shown}'").as_bytes());
        }
        self.pad_with_spaces(&out)
    }
}

fn rune(bits: u64) -> char {
    u32::try_from(bits)
        .ok()
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}
