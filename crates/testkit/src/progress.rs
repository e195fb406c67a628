//! Progress for people: what is being done, how long it usually takes, how long it has taken so
//! far. On a terminal one line is redrawn; elsewhere a line is written now and then, so that logs
//! stay short.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const REDRAW: Duration = Duration::from_millis(250);
const LOG_EVERY: Duration = Duration::from_secs(20);

/// Writes one line to standard error.
pub fn say(line: &str) {
    let mut out = std::io::stderr().lock();
    // A closed standard error is no reason to fail the work that is being reported.
    drop(writeln!(out, "{line}"));
}

/// One long step under way.
#[derive(Debug)]
pub struct Step {
    what: String,
    began: Instant,
    shown: Instant,
    terminal: bool,
}

impl Step {
    /// Announces a step; `usually` says how long it takes, for example `about 4 min on two cores`.
    pub fn begin(what: impl Into<String>, usually: &str) -> Self {
        let what = what.into();
        say(&format!("{what} (usually {usually})"));
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Self {
            what,
            began: now,
            shown: now,
            terminal,
        }
    }

    /// Shows that the step goes on; cheap enough to call on every sign of life.
    pub fn tick(&mut self, detail: &str) {
        let every = if self.terminal { REDRAW } else { LOG_EVERY };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let line = format!("  {}: {} so far, {detail}", self.what, self.elapsed());
        if self.terminal {
            let mut out = std::io::stderr().lock();
            drop(write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush()));
        } else {
            say(&line);
        }
    }

    /// Ends the step with its result.
    pub fn done(self, result: &str) {
        let erase = if self.terminal { "\r\x1b[2K" } else { "" };
        say(&format!("{erase}  {result} in {}", self.elapsed()));
    }

    fn elapsed(&self) -> String {
        seconds(self.began.elapsed())
    }
}

/// A duration as people say it: `4.2 s`, `3 min 05 s`.
pub fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    if whole < 100 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_told_in_minutes() {
        assert_eq!(seconds(Duration::from_millis(4_210)), "4.2 s");
        assert_eq!(seconds(Duration::from_secs(185)), "3 min 05 s");
    }
}
