//! One process: starts it, passes signals on, and turns its end into an exit code. Credentials of stores that
//! this program got in its own environment are not passed on.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::Context;
use lockstep_toolbox::exit::Failure;
use rustix::process::{Pid, Signal, kill_process};

use crate::variables::Variables;

/// Time a process has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(10);
/// What shells add to the number of a signal that ended a process.
const SIGNALLED: i32 = 128;

/// What is run, and with what.
pub(crate) struct Start<'a> {
    /// Program and arguments.
    pub(crate) command: &'a [OsString],
    pub(crate) variables: Variables,
    /// Variables that are taken out.
    pub(crate) withheld: &'a [String],
}

impl Start<'_> {
    fn command(&self) -> anyhow::Result<std::process::Command> {
        let program = self.command.first();
        let program = program.ok_or_else(|| Failure::usage("name a command behind --"))?;
        let mut command = std::process::Command::new(program);
        command.args(&self.command[1..]);
        for name in self.withheld {
            command.env_remove(name);
        }
        for (name, value) in &self.variables {
            command.env(name, std::ffi::OsStr::from_bytes(value.expose()));
        }
        Ok(command)
    }

    /// Becomes the process; returns only when that fails.
    pub(crate) fn replace_this(&self) -> anyhow::Error {
        match self.command() {
            Ok(mut command) => self.not_started(command.exec()),
            Err(error) => error,
        }
    }

    /// Starts it below this program.
    pub(crate) fn spawn(&self) -> anyhow::Result<Process> {
        let command = self.command()?;
        let child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| self.not_started(error))?;
        Ok(Process { child })
    }

    fn not_started(&self, error: std::io::Error) -> anyhow::Error {
        let program = self.command.first().cloned().unwrap_or_default();
        let text = format!("cannot start {}: {error}", program.to_string_lossy());
        match error.kind() {
            std::io::ErrorKind::NotFound => Failure::missing(text),
            _ => anyhow::anyhow!(text),
        }
    }
}

/// A running process.
pub(crate) struct Process {
    child: tokio::process::Child,
}

impl Process {
    /// Waits for its end.
    pub(crate) async fn ended(&mut self) -> anyhow::Result<u8> {
        let status = self.child.wait().await.context("wait for the process")?;
        Ok(code(status))
    }

    /// Sends it a signal; one that ended meanwhile needs none.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(pid) = id.and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Asks it to end, and ends it when it does not.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        self.signal(Signal::TERM);
        if tokio::time::timeout(GRACE, self.child.wait())
            .await
            .is_err()
        {
            self.child.kill().await.context("end the process")?;
        }
        Ok(())
    }
}

/// The exit code that a shell would show.
fn code(status: ExitStatus) -> u8 {
    let signalled = || status.signal().map(|signal| SIGNALLED + signal);
    let code = status.code().or_else(signalled).unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_become_the_codes_of_a_shell() {
        assert_eq!(code(ExitStatus::from_raw(0)), 0);
        assert_eq!(code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(code(ExitStatus::from_raw(15)), 143);
    }
}
