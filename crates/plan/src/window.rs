//! Sync windows: whether a periodic refresh may run now, and when that changes. Schedules are five
//! cron fields or descriptors, evaluated in UTC; one that cannot be read is never open.

mod cron;
mod field;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::external_secret::{SyncWindow, SyncWindowKind, SyncWindows};
use lockstep_golang::duration::Duration as GoDuration;

pub use cron::{Schedule, ScheduleError};

/// Windows an object may have.
pub(crate) const MOST_WINDOWS: usize = 128;
/// Windows looked at in all when looking for the end of windows that overlap.
const MOST_LOOKS: usize = 1024;

/// Whether periodic refreshes may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// They may.
    Open,
    /// They may not, and this is when to ask again; `None` means that no time is in sight.
    Closed {
        /// When to ask again.
        until: Option<Timestamp>,
    },
}

/// Whether windows let a periodic refresh run at `now`.
pub fn permit(windows: &SyncWindows, now: Timestamp) -> Permit {
    let written = windows.windows.iter().take(MOST_WINDOWS);
    let parsed: Vec<Window> = written.filter_map(Window::parse).collect();
    let active = parsed.iter().any(|window| window.is_active(now));
    match windows.kind {
        _ if windows.windows.is_empty() => Permit::Open,
        SyncWindowKind::Allow if !active => {
            let openings = parsed.iter().filter_map(|window| window.opens_after(now));
            Permit::Closed {
                until: openings.min(),
            }
        }
        SyncWindowKind::Deny if active => Permit::Closed {
            until: all_closed(&parsed, now),
        },
        _ => Permit::Open,
    }
}

/// A time at which no window may be open any more.
fn all_closed(windows: &[Window], now: Timestamp) -> Option<Timestamp> {
    let mut at = now;
    for _ in 0..(MOST_LOOKS / windows.len().max(1)).min(64) {
        let mut last = None;
        for window in windows {
            match window.state(at) {
                State::Closed => {}
                State::OpenUntil(end) => last = last.max(Some(end)),
                State::AlwaysOpen => return None,
            }
        }
        let Some(end) = last else {
            return Some(at);
        };
        at = end.checked_add(SignedDuration::from_secs(1)).ok()?;
    }
    Some(at)
}

/// One window at one time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    OpenUntil(Timestamp),
    AlwaysOpen,
}

struct Window {
    schedule: Schedule,
    duration: SignedDuration,
}

impl Window {
    fn parse(window: &SyncWindow) -> Option<Self> {
        let duration = GoDuration::parse(&window.duration).ok()?;
        Some(Self {
            schedule: Schedule::parse(&window.schedule).ok()?,
            duration: SignedDuration::from_nanos(duration.as_nanos()),
        })
    }

    fn is_active(&self, now: Timestamp) -> bool {
        self.state(now) != State::Closed
    }

    /// Both ends belong to the window.
    fn state(&self, now: Timestamp) -> State {
        if let Schedule::Every(period) = self.schedule {
            // Such a schedule is anchored to nothing: upstream's rule makes it always open or never.
            let always = period <= self.duration + SignedDuration::from_secs(1);
            return if always {
                State::AlwaysOpen
            } else {
                State::Closed
            };
        }
        let start = now.checked_sub(self.duration).ok();
        let fired = start.and_then(|start| self.schedule.first_at_or_after(start));
        match fired.filter(|fired| *fired <= now) {
            None => State::Closed,
            Some(fired) => fired
                .checked_add(self.duration)
                .map_or(State::AlwaysOpen, State::OpenUntil),
        }
    }

    fn opens_after(&self, now: Timestamp) -> Option<Timestamp> {
        self.schedule.first_at_or_after(now)
    }
}

#[cfg(test)]
mod tests;
