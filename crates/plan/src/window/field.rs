//! One field of a cron schedule as a set of numbers: `*`, `?`, ranges, steps, lists and names.

use super::ScheduleError;

/// Numbers a field allows, as bits, and whether it was written as a plain star.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    bits: u64,
    star: bool,
}

/// What a field may hold.
pub(super) struct Bounds {
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) names: &'static [&'static str],
}

pub(super) const MINUTE: Bounds = Bounds {
    min: 0,
    max: 59,
    names: &[],
};
pub(super) const HOUR: Bounds = Bounds {
    min: 0,
    max: 23,
    names: &[],
};
pub(super) const DAY: Bounds = Bounds {
    min: 1,
    max: 31,
    names: &[],
};
pub(super) const MONTH: Bounds = Bounds {
    min: 1,
    max: 12,
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
};
pub(super) const WEEKDAY: Bounds = Bounds {
    min: 0,
    max: 6,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

impl Field {
    /// Reads a field such as `*/15`, `1-5`, `mon,wed` or `10`.
    pub(super) fn parse(text: &str, bounds: &Bounds) -> Result<Self, ScheduleError> {
        let mut field = Self {
            bits: 0,
            star: false,
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            field
                .add(part, bounds)
                .ok_or_else(|| ScheduleError::new(text))?;
        }
        Ok(field)
    }

    /// Whether no number is allowed.
    pub(super) fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether the number is allowed.
    pub(super) fn has(self, number: u32) -> bool {
        self.bits & (1 << number) != 0
    }

    /// Whether the field was a star, so that it does not restrict days.
    pub(super) fn is_star(self) -> bool {
        self.star
    }

    fn add(&mut self, part: &str, bounds: &Bounds) -> Option<()> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().ok()?)),
            None => (part, None),
        };
        let bounded = range.split_once('-');
        // What follows a star and a dash is not looked at.
        let star = matches!(bounded.map_or(range, |(first, _)| first), "*" | "?");
        let (first, last) = match bounded {
            _ if star => (bounds.min, bounds.max),
            Some((first, last)) => (bounds.number(first)?, bounds.number(last)?),
            None if step.is_some() => (bounds.number(range)?, bounds.max),
            None => (bounds.number(range)?, bounds.number(range)?),
        };
        let step = step.unwrap_or(1);
        if first < bounds.min || last > bounds.max || first > last || step == 0 {
            return None;
        }
        for number in (first..=last).step_by(usize::try_from(step).ok()?) {
            self.bits |= 1 << number;
        }
        // A star with a step restricts like any list.
        self.star |= star && step == 1;
        Some(())
    }
}

impl Bounds {
    fn number(&self, text: &str) -> Option<u32> {
        let named = self
            .names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text));
        match named {
            Some(at) => Some(self.min + u32::try_from(at).ok()?),
            None => text.parse().ok(),
        }
    }
}
