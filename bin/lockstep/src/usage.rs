//! Wrong usage: flags that contradict each other or have values that mean nothing. Every command ends
//! with the same exit code for it, whether clap or the command finds it.

use std::fmt;
use std::process::ExitCode;

/// Exit code for wrong usage; clap uses the same.
const WRONG_USAGE: u8 = 2;

/// An error that the user can only correct on the command line.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Makes an error of wrong usage.
pub(crate) fn wrong(text: impl Into<String>) -> anyhow::Error {
    UsageError(text.into()).into()
}

/// The exit code an error ends the process with.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<UsageError>() {
        ExitCode::from(WRONG_USAGE)
    } else {
        lockstep_toolbox::exit::of(error).into()
    }
}
