//! Standard output and standard error. Results go to the first, failures to the second; a reader
//! that went away is no failure.

use std::io::Write;

/// Prints a result.
pub fn result(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a failure.
pub fn fail(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
