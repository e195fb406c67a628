//! Semantic versions as `Masterminds/semver` 3.4 reads and orders them: a leading `v`, missing
//! parts and leading zeros are accepted.

mod constraint;

use std::cmp::Ordering;
use std::fmt;

pub(crate) use constraint::{ConstraintError, Constraints};

use crate::strconv::parse_uint;

/// A version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) major: u64,
    pub(crate) minor: u64,
    pub(crate) patch: u64,
    pub(crate) pre: String,
    pub(crate) metadata: String,
    pub(crate) original: String,
}

/// Why a text is no version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VersionError {
    Invalid,
    LeadingZero,
    Prerelease,
    Metadata,
    /// A number that does not fit; holds it.
    TooLarge(String),
}

impl Version {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, VersionError> {
        let text = std::str::from_utf8(text).map_err(|_| VersionError::Invalid)?;
        let body = text.strip_prefix('v').unwrap_or(text);
        let (body, metadata) = match body.split_once('+') {
            Some((body, metadata)) => (body, Some(metadata)),
            None => (body, None),
        };
        let (numbers, pre) = match body.split_once('-') {
            Some((numbers, pre)) => (numbers, Some(pre)),
            None => (body, None),
        };
        let shape = [pre, metadata]
            .into_iter()
            .flatten()
            .all(is_dotted_identifiers);
        let parts: Vec<&str> = numbers.split('.').collect();
        let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !shape || parts.len() > 3 || !parts.iter().all(digits) {
            return Err(VersionError::Invalid);
        }
        let number = |at: usize| match parts.get(at) {
            None => Ok(0),
            Some(part) => parse_uint(part.as_bytes(), 10)
                .map_err(|_| VersionError::TooLarge((*part).to_owned())),
        };
        let version = Self {
            major: number(0)?,
            minor: number(1)?,
            patch: number(2)?,
            pre: pre.unwrap_or_default().to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: text.to_owned(),
        };
        check_prerelease(&version.pre)?;
        Ok(version)
    }

    fn with_original(mut self, before: &Self) -> Self {
        let v = if before.original.starts_with('v') {
            "v"
        } else {
            ""
        };
        self.original = format!("{v}{self}");
        self
    }

    fn bare(&self, major: u64, minor: u64, patch: u64) -> Self {
        let (pre, metadata) = (String::new(), String::new());
        Self {
            major,
            minor,
            patch,
            pre,
            metadata,
            original: String::new(),
        }
        .with_original(self)
    }

    pub(crate) fn next_major(&self) -> Self {
        self.bare(self.major.wrapping_add(1), 0, 0)
    }

    pub(crate) fn next_minor(&self) -> Self {
        self.bare(self.major, self.minor.wrapping_add(1), 0)
    }

    /// A prerelease is followed by its release.
    pub(crate) fn next_patch(&self) -> Self {
        let step = u64::from(self.pre.is_empty());
        self.bare(self.major, self.minor, self.patch.wrapping_add(step))
    }

    pub(crate) fn with_prerelease(&self, pre: &[u8]) -> Result<Self, VersionError> {
        let pre = std::str::from_utf8(pre).map_err(|_| VersionError::Prerelease)?;
        if !pre.is_empty() && !is_dotted_identifiers(pre) {
            return Err(VersionError::Prerelease);
        }
        check_prerelease(pre)?;
        Ok(Self {
            pre: pre.to_owned(),
            ..self.clone()
        }
        .with_original(self))
    }

    pub(crate) fn with_metadata(&self, metadata: &[u8]) -> Result<Self, VersionError> {
        let metadata = std::str::from_utf8(metadata).map_err(|_| VersionError::Metadata)?;
        if !metadata.is_empty() && !is_dotted_identifiers(metadata) {
            return Err(VersionError::Metadata);
        }
        Ok(Self {
            metadata: metadata.to_owned(),
            ..self.clone()
        }
        .with_original(self))
    }

    /// The order of versions; metadata does not count.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let numbers = |v: &Self| (v.major, v.minor, v.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_prerelease(&self.pre, &other.pre),
            }
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(out, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(out, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

fn is_dotted_identifiers(text: &str) -> bool {
    text.split('.').all(|part| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

fn check_prerelease(pre: &str) -> Result<(), VersionError> {
    let padded = |part: &str| {
        part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit())
    };
    if pre.split('.').any(padded) {
        Err(VersionError::LeadingZero)
    } else {
        Ok(())
    }
}

fn compare_prerelease(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let (x, y) = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => (x, y),
        };
        let order = match (parse_uint(x.as_bytes(), 10), parse_uint(y.as_bytes(), 10)) {
            (Ok(x), Ok(y)) => x.cmp(&y),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => x.cmp(y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}
