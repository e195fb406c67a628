//! The shortest decimal digits that read back as the same float, and their layout.
//!
//! Where two candidates are equally near, Go takes the even one; `std` may take the other, which
//! is why its formatting is not used.

/// A finite float as `0.d1d2d3… * 10^point`, without its sign.
pub(super) struct Shortest {
    digits: String,
    point: i32,
    negative: bool,
}

impl Shortest {
    pub(super) fn of(x: f64) -> Self {
        Self::read(
            zmij::Buffer::new().format_finite(x.abs()),
            x.is_sign_negative(),
        )
    }

    pub(super) fn of_single(x: f32) -> Self {
        Self::read(
            zmij::Buffer::new().format_finite(x.abs()),
            x.is_sign_negative(),
        )
    }

    fn read(text: &str, negative: bool) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let shift = i32::try_from(all.len() - significant.len()).unwrap_or_default();
        let point = i32::try_from(whole.len()).unwrap_or_default() - shift
            + exponent.parse::<i32>().unwrap_or_default();
        let digits = significant.trim_end_matches('0').to_owned();
        let point = if digits.is_empty() { 1 } else { point };
        Self {
            digits,
            point,
            negative,
        }
    }

    /// The exponent of scientific notation.
    pub(super) fn exponent(&self) -> i32 {
        self.point - 1
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// Plain decimal.
    pub(super) fn plain(&self) -> String {
        let (sign, digits) = (self.sign(), &self.digits);
        match usize::try_from(self.point) {
            Ok(whole) if whole >= digits.len() => format!("{sign}{digits:0<whole$}"),
            Ok(whole) if whole > 0 => format!("{sign}{}.{}", &digits[..whole], &digits[whole..]),
            _ => {
                let zeros = "0".repeat(self.point.unsigned_abs() as usize);
                format!("{sign}0.{zeros}{digits}")
            }
        }
    }

    /// Scientific notation, the exponent signed and at least `width` digits long.
    pub(super) fn scientific(&self, width: usize) -> String {
        let (first, rest) = self.digits.split_at(self.digits.len().min(1));
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if self.exponent() < 0 { '-' } else { '+' };
        let exponent = self.exponent().unsigned_abs();
        format!(
            "{}{first}{point}{rest}e{sign}{exponent:0width$}",
            self.sign()
        )
    }
}
