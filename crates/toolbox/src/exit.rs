//! Exit codes of every command, in one place. A command returns one; an error that ends a command
//! early carries one, so that scripts can tell a finding from a missing object and from wrong usage.

use std::fmt;
use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: everything is as it should be.
    Fine,
    /// 1: the command found something wrong, or failed.
    Findings,
    /// 2: the command line is wrong, or its input cannot be read; clap uses it too.
    Usage,
    /// 3: what was asked for is not there, or not all of it.
    Missing,
    /// 4: the command could do it, but refuses to.
    Refused,
}

/// The exit codes as the help of commands shows them.
pub const EXIT_CODES: &str = "\
Exit codes: 0 fine, 1 findings or failure, 2 wrong usage, 3 not found or not all available, 4 refused";

impl Exit {
    /// The number.
    pub fn number(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Missing => 3,
            Self::Refused => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

/// An error that ends a command with an exit code of its own. Any other error ends it with 1.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    text: String,
}

impl Failure {
    /// How the command ends.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Wrong usage.
    pub fn usage(text: impl Into<String>) -> anyhow::Error {
        Self::with(Exit::Usage, text)
    }

    /// Something that is not there.
    pub fn missing(text: impl Into<String>) -> anyhow::Error {
        Self::with(Exit::Missing, text)
    }

    /// Something the command will not do.
    pub fn refused(text: impl Into<String>) -> anyhow::Error {
        Self::with(Exit::Refused, text)
    }

    fn with(exit: Exit, text: impl Into<String>) -> anyhow::Error {
        let text = text.into();
        Self { exit, text }.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

/// How a command ends that an error ended.
pub fn of(error: &anyhow::Error) -> Exit {
    let failure = error.chain().find_map(|cause| cause.downcast_ref());
    failure.map_or(Exit::Findings, Failure::exit)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_failure_keeps_its_code_below_added_context() {
        let failed = Err::<(), _>(Failure::missing("no such object")).context("explain");

        assert_eq!(failed.as_ref().map_err(of), Err(Exit::Missing));
    }

    #[test]
    fn any_other_error_is_a_finding() {
        assert_eq!(of(&anyhow::anyhow!("x")), Exit::Findings);
    }
}
