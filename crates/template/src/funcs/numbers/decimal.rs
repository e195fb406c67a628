//! Exact decimals, as `shopspring/decimal` 1.4 computes with them.

use num_bigint::BigInt;

/// Digits kept after the point by a division.
const DIVISION_PRECISION: i64 = 16;

/// `value * 10^exponent`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    value: BigInt,
    exponent: i64,
}

impl Decimal {
    /// The decimal with the shortest digits that mean `x`; nothing if it is not finite.
    pub(super) fn from_f64(x: f64) -> Option<Self> {
        if !x.is_finite() {
            return None;
        }
        let text = crate::print::format_float(x, b'e', None);
        let (mantissa, exponent) = text.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let value = format!("{whole}{fraction}").parse().ok()?;
        let exponent: i64 = exponent.parse().ok()?;
        Some(Self {
            value,
            exponent: exponent - i64::try_from(fraction.len()).ok()?,
        })
    }

    /// The nearest float.
    pub(super) fn to_f64(&self) -> f64 {
        format!("{}e{}", self.value, self.exponent)
            .parse()
            .unwrap_or(0.0)
    }

    /// How much there is to compute with.
    pub(super) fn digits(&self) -> u64 {
        self.value.bits() / 3 + self.exponent.unsigned_abs()
    }

    /// The value as a multiple of `10^exponent`, which must not be larger than its own.
    fn at(&self, exponent: i64) -> BigInt {
        &self.value * power_of_ten(self.exponent - exponent)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        Self {
            value: self.at(exponent) + other.at(exponent),
            exponent,
        }
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        Self {
            value: self.at(exponent) - other.at(exponent),
            exponent,
        }
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        Self {
            value: &self.value * &other.value,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient rounded to [`DIVISION_PRECISION`] digits, half away from zero.
    pub(super) fn div(&self, other: &Self) -> Option<Self> {
        if other.value == BigInt::ZERO {
            return None;
        }
        let shift = self.exponent - other.exponent + DIVISION_PRECISION;
        let (mut dividend, mut divisor) = (self.value.clone(), other.value.clone());
        if shift < 0 {
            divisor *= power_of_ten(-shift);
        } else {
            dividend *= power_of_ten(shift);
        }
        let mut quotient = &dividend / &divisor;
        let twice: BigInt = (&dividend - &quotient * &divisor) * 2;
        if twice.magnitude() >= divisor.magnitude() {
            let negative = (dividend < BigInt::ZERO) != (divisor < BigInt::ZERO);
            quotient += if negative { -1 } else { 1 };
        }
        Some(Self {
            value: quotient,
            exponent: -DIVISION_PRECISION,
        })
    }
}

fn power_of_ten(exponent: i64) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(x: f64) -> Decimal {
        Decimal::from_f64(x).unwrap()
    }

    #[test]
    fn tenths_add_up() {
        assert_eq!(decimal(0.1).add(&decimal(0.2)), decimal(0.3));
        assert_eq!(decimal(1.1).mul(&decimal(1.1)), decimal(1.21));
        assert_eq!(
            decimal(1e300).sub(&decimal(1e-300)).to_f64().to_bits(),
            1e300_f64.to_bits()
        );
    }

    #[test]
    fn quotients_are_rounded_to_sixteen_places() {
        let third = decimal(1.0).div(&decimal(3.0)).unwrap();
        let two_thirds = decimal(-2.0).div(&decimal(3.0)).unwrap();

        assert_eq!(
            third.to_f64().to_bits(),
            0.333_333_333_333_333_3_f64.to_bits()
        );
        assert_eq!(
            two_thirds.to_f64().to_bits(),
            (-0.666_666_666_666_666_7_f64).to_bits()
        );
        assert_eq!(decimal(1.0).div(&decimal(0.0)), None);
    }

    #[test]
    fn infinities_are_no_decimals() {
        assert_eq!(Decimal::from_f64(f64::INFINITY), None);
    }
}
