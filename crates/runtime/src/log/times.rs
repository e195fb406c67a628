//! Times in logs, in zap's encodings. Always UTC.

use std::convert::Infallible;
use std::fmt::Write;
use std::str::FromStr;

use jiff::Timestamp;

/// How a time is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeEncoding {
    /// Seconds since 1970 with a fraction.
    #[default]
    Epoch,
    /// Milliseconds since 1970 with a fraction.
    Millis,
    /// Nanoseconds since 1970.
    Nano,
    /// `2006-01-02T15:04:05.000Z`.
    Iso8601,
    /// `2006-01-02T15:04:05Z`.
    Rfc3339,
    /// `2006-01-02T15:04:05.999999999Z`, without trailing zeros.
    Rfc3339Nano,
}

impl FromStr for TimeEncoding {
    type Err = Infallible;

    /// A word that is none of them means `epoch`, as it does for zap.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "millis" => Self::Millis,
            "nano" | "nanos" => Self::Nano,
            "iso8601" => Self::Iso8601,
            "rfc3339" => Self::Rfc3339,
            "rfc3339nano" => Self::Rfc3339Nano,
            _ => Self::Epoch,
        })
    }
}

impl TimeEncoding {
    /// Writes a time as a JSON value: a number, or a string in quotes.
    pub(super) fn write(self, out: &mut String, at: Timestamp) {
        let nanoseconds = at.as_nanosecond();
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Epoch => fraction(out, nanoseconds, 1_000_000_000, 9),
            Self::Millis => fraction(out, nanoseconds, 1_000_000, 6),
            Self::Nano => write!(out, "{nanoseconds}"),
            Self::Iso8601 => write!(out, "\"{}\"", at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ")),
            Self::Rfc3339 => write!(out, "\"{}\"", at.strftime("%Y-%m-%dT%H:%M:%SZ")),
            Self::Rfc3339Nano => write!(out, "\"{}\"", at.strftime("%Y-%m-%dT%H:%M:%S%.fZ")),
        };
    }
}

/// A time in a unit as a decimal number without trailing zeros.
fn fraction(out: &mut String, nanoseconds: i128, unit: i128, digits: usize) -> std::fmt::Result {
    let (whole, rest) = (nanoseconds / unit, nanoseconds % unit);
    write!(out, "{whole}")?;
    if rest != 0 {
        write!(out, ".{:0digits$}", rest.abs())?;
        out.truncate(out.trim_end_matches('0').len());
    }
    Ok(())
}
