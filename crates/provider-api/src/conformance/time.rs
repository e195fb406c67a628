//! A clock that moves only when told to. Sleepers wake when the clock passes their moment; a hasty
//! clock moves by itself whenever someone sleeps, so that nothing ever waits for real.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use crate::context::Time;

/// A clock under a test's control.
#[derive(Clone, Default)]
pub struct ManualTime(Arc<Mutex<Clock>>);

#[derive(Default)]
struct Clock {
    passed: Duration,
    /// By how much the clock was set; time itself does not jump.
    set_by: SignedDuration,
    hasty: bool,
    sleepers: Vec<Waker>,
}

impl ManualTime {
    /// A clock that stands still at the start of 2026 until it is advanced.
    pub fn new() -> Self {
        Self::default()
    }

    /// A clock that jumps to the end of every sleep.
    pub fn hasty() -> Self {
        let time = Self::new();
        time.clock().hasty = true;
        time
    }

    /// Moves the clock and wakes whoever slept until then.
    pub fn advance(&self, by: Duration) {
        let mut clock = self.clock();
        clock.passed += by;
        for sleeper in clock.sleepers.drain(..) {
            sleeper.wake();
        }
    }

    /// Sets the clock forward or back, as an administrator or a time server does. No time passes, so
    /// nobody who sleeps wakes.
    pub fn set_by(&self, by: SignedDuration) {
        let mut clock = self.clock();
        clock.set_by = clock.set_by.saturating_add(by);
    }

    /// Time since the clock was made.
    pub fn passed(&self) -> Duration {
        self.clock().passed
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.0.lock()
    }
}

impl Time for ManualTime {
    fn now(&self) -> Timestamp {
        let start = Timestamp::constant(1_767_225_600, 0);
        let clock = self.clock();
        let shown = start.saturating_add(clock.passed).unwrap_or(Timestamp::MAX);
        shown.saturating_add(clock.set_by).unwrap_or(Timestamp::MAX)
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        let until = self.clock().passed + delay;
        Box::pin(Sleep {
            time: self.clone(),
            until,
            polled: false,
        })
    }
}

struct Sleep {
    time: ManualTime,
    until: Duration,
    polled: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let until = self.until;
        let polled = std::mem::replace(&mut self.polled, true);
        let mut clock = self.time.clock();
        if clock.hasty && polled {
            clock.passed = clock.passed.max(until);
        }
        if clock.passed >= until {
            return Poll::Ready(());
        }
        if clock.hasty {
            context.waker().wake_by_ref();
        } else {
            clock.sleepers.push(context.waker().clone());
        }
        Poll::Pending
    }
}
