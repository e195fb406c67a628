//! The machine's clocks. The only file of the program that asks what time it is; everything else
//! is given a [`Time`] or a timestamp.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use lockstep_provider_api::context::Time;

/// The wall clock and tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTime;

impl Time for SystemTime {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(delay).boxed()
    }
}

/// Measures how long something took, whatever the wall clock does meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// A stopwatch that runs from now on.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
