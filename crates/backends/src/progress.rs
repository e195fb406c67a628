//! A bar on standard error while many secrets are worked on, where somebody watches. Counts only:
//! what is printed stays the same whether a bar was drawn or not.

use std::io::Write;

/// Letters of the bar.
const WIDTH: usize = 30;
/// Fewer secrets are done before a bar could be read.
const FEWEST: usize = 3;

/// Progress of one run.
pub(crate) struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    is_shown: bool,
}

impl Progress {
    /// A bar for so many secrets; shown only on a terminal.
    pub(crate) fn new(what: &'static str, total: usize, is_terminal: bool) -> Self {
        let progress = Self {
            what,
            total,
            done: 0,
            is_shown: is_terminal && total >= FEWEST,
        };
        progress.draw();
        progress
    }

    /// A bar that nobody sees.
    #[cfg(test)]
    pub(crate) fn hidden() -> Self {
        Self::new("", 0, false)
    }

    /// One more is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        self.draw();
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if self.is_shown {
            write("\r\u{1b}[K");
        }
    }

    /// Says something beside the bar.
    pub(crate) fn say(&self, text: &str) {
        self.end();
        write(&format!("{text}\n"));
        self.draw();
    }

    fn draw(&self) {
        if self.is_shown {
            write(&format!(
                "\r{}\u{1b}[K",
                bar(self.what, self.done, self.total)
            ));
        }
    }
}

fn bar(what: &str, done: usize, total: usize) -> String {
    let filled = (done * WIDTH)
        .checked_div(total)
        .unwrap_or(WIDTH)
        .min(WIDTH);
    format!(
        "{what} [{}{}] {done}/{total}",
        "#".repeat(filled),
        "-".repeat(WIDTH - filled)
    )
}

fn write(text: &str) {
    let mut errors = std::io::stderr().lock();
    // A terminal that went away is no failure.
    let _ = errors
        .write_all(text.as_bytes())
        .and_then(|()| errors.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_and_counts() {
        assert_eq!(
            bar("apply", 0, 40),
            "apply [------------------------------] 0/40"
        );
        assert_eq!(
            bar("apply", 20, 40),
            "apply [###############---------------] 20/40"
        );
        assert_eq!(
            bar("apply", 40, 40),
            "apply [##############################] 40/40"
        );
    }

    #[test]
    fn a_bar_is_for_terminals_and_for_long_runs() {
        assert!(Progress::new("x", 40, true).is_shown);
        assert!(!Progress::new("x", 40, false).is_shown);
        assert!(!Progress::new("x", 2, true).is_shown);
    }
}
