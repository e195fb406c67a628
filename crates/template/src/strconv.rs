//! Go's `strconv` where templates show it: quoting, unquoting, and integers in any base.
//!
//! Quoting turns any bytes into valid text; the other direction can produce any bytes.

mod number;
mod quote;
mod unquote;

pub(crate) use number::{NumError, parse_float, parse_int, parse_uint};
pub(crate) use quote::{can_backquote, quote, quote_ascii, quote_rune, quote_rune_point};
pub(crate) use unquote::{unquote, unquote_char};

#[cfg(test)]
mod tests;
