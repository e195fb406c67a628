//! Time zones: UTC, the fixed offsets that parsing makes, and the names of the zone database.
//!
//! The database is compiled in; no file is read.

use std::sync::{Arc, LazyLock};

use jiff::tz::{TimeZone, TimeZoneDatabase};

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Where a calendar is read.
#[derive(Debug, Clone)]
pub(crate) enum Zone {
    Utc,
    /// The zone of the machine, which is UTC, too, but called otherwise.
    Local,
    Fixed {
        name: Arc<str>,
        offset: i32,
    },
    Named(TimeZone),
}

impl Zone {
    /// `time.LoadLocation`; nothing if there is no such zone. Names are case-sensitive.
    pub(crate) fn load(name: &[u8]) -> Option<Self> {
        match name {
            b"" | b"UTC" => return Some(Self::Utc),
            b"Local" => return Some(Self::Local),
            _ => {}
        }
        let name = std::str::from_utf8(name).ok()?;
        let zone = DATABASE.get(name).ok()?;
        (zone.iana_name() == Some(name)).then_some(Self::Named(zone))
    }

    /// The offset in seconds and the abbreviation at an instant.
    pub(super) fn at(&self, seconds: i64) -> (i32, Arc<str>) {
        match self {
            Self::Utc | Self::Local => (0, Arc::from("UTC")),
            Self::Fixed { name, offset } => (*offset, Arc::clone(name)),
            Self::Named(zone) => {
                // Rules repeat, so an instant beyond the calendar of the library has the last one.
                let (least, most) = (
                    jiff::Timestamp::MIN.as_second(),
                    jiff::Timestamp::MAX.as_second(),
                );
                let instant = jiff::Timestamp::from_second(seconds.clamp(least, most));
                let info = zone.to_offset_info(instant.unwrap_or_default());
                (info.offset().seconds(), Arc::from(info.abbreviation()))
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Utc | Self::Local => "UTC",
            Self::Fixed { name, .. } => name,
            Self::Named(zone) => zone.iana_name().unwrap_or("UTC"),
        }
    }
}
