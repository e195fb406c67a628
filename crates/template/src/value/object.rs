//! Values of Go's named and struct types that functions return: times, durations, versions,
//! certificates, complex constants.
//!
//! Only what a value *is* stands here; methods are in `methods`, formatting in `print`.

use lockstep_golang::duration::Duration;

use super::{Kind, Str};
use crate::semver::Version;
use crate::time::{Time, Zone};

/// A value of a Go type that has no Rust counterpart among the plain variants.
pub(crate) enum Object {
    Time(Time),
    Duration(Duration),
    Month(u8),
    Weekday(u8),
    /// `*time.Location`
    Location(Zone),
    /// `*semver.Version`
    VersionPtr(Version),
    /// `semver.Version`, which lacks the methods of the pointer.
    Version(Version),
    Certificate(Certificate),
    Complex {
        re: f64,
        im: f64,
    },
}

/// Sprig's certificate with its key, both PEM.
pub(crate) struct Certificate {
    pub(crate) cert: Str,
    pub(crate) key: Str,
}

impl Object {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Time(_) => "time.Time",
            Self::Duration(_) => "time.Duration",
            Self::Month(_) => "time.Month",
            Self::Weekday(_) => "time.Weekday",
            Self::Location(_) => "*time.Location",
            Self::VersionPtr(_) => "*semver.Version",
            Self::Version(_) => "semver.Version",
            Self::Certificate(_) => "sprig.certificate",
            Self::Complex { .. } => "complex128",
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Time(_) | Self::Version(_) | Self::Certificate(_) => Kind::Struct,
            Self::Duration(_) => Kind::Int64,
            Self::Month(_) | Self::Weekday(_) => Kind::Int,
            Self::Location(_) | Self::VersionPtr(_) => Kind::Ptr,
            Self::Complex { .. } => Kind::Complex128,
        }
    }

    pub(super) fn as_signed(&self) -> Option<i64> {
        match self {
            Self::Duration(span) => Some(span.as_nanos()),
            Self::Month(n) | Self::Weekday(n) => Some(i64::from(*n)),
            _ => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Duration(_) | Self::Month(_) | Self::Weekday(_) => self.as_signed() != Some(0),
            Self::Complex { re, im } => *re != 0.0 || *im != 0.0,
            _ => true,
        }
    }
}
