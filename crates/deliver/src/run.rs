//! `lockstep run -- COMMAND`: its flags, and the choice between becoming the command and staying beside it.
//! Without files and `--watch` there is nothing left to do after the start, so the command takes the place
//! of this process.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lockstep_toolbox::exit::{EXIT_CODES, Failure};
use rustix::process::Signal;

use crate::files::Files;
use crate::select::select;
use crate::source::{Around, Source, SourceFlags};
use crate::supervise::Feed;
use crate::variables::Mapping;

/// Variable that names the folder of `--files`.
pub(crate) const FILES_VARIABLE: &str = "LOCKSTEP_FILES";

const EXAMPLES: &str = "\
Examples:
  lockstep run --from manifests -- ./server              every key of every ExternalSecret as a variable
  lockstep run database -n shop -- psql                  one ExternalSecret of the cluster
  lockstep run -f . --env PGPASSWORD=database/password -- psql
  lockstep run -f . --files -- sh -c 'cat $LOCKSTEP_FILES/database/password'
  lockstep run -f . --files --watch --on-change HUP -- nginx -g 'daemon off;'

Credentials of stores come from the folder or from LOCKSTEP_SECRET_… and LOCKSTEP_TOKEN_… variables, as for
`lockstep local`; the command does not get these variables. From a cluster the Secrets are read that the
operator keeps, with your own rights.

The exit code is that of the command, or 128 and the signal that ended it. When it cannot be started:";

/// Run a command with the values of ExternalSecrets, as variables or as files in memory.
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
pub struct RunFlags {
    /// ExternalSecrets, as NAME or NAMESPACE/NAME; without any, all of the folder or namespace.
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) source: SourceFlags,

    /// Set one variable from one key; without it every key becomes a variable.
    #[arg(long, value_name = "VARIABLE=NAME/KEY")]
    pub(crate) env: Vec<Mapping>,

    /// Put this before the name of every variable.
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with = "env")]
    pub(crate) prefix: String,

    /// Write NAME/KEY files to a folder in memory instead, named by the variable LOCKSTEP_FILES.
    #[arg(long, conflicts_with_all = ["env", "prefix"])]
    pub(crate) files: bool,

    /// Make that folder below this one, which must be in memory [default: /dev/shm].
    #[arg(long, value_name = "DIR", requires = "files")]
    pub(crate) files_in: Option<PathBuf>,

    /// Keep the values fresh while the command runs.
    #[arg(long)]
    pub(crate) watch: bool,

    /// What to do when a value changed: `restart` the command, or send it a signal such as HUP (with --files).
    #[arg(long, value_name = "ACTION", default_value = "restart", requires = "watch", value_parser = on_change)]
    pub(crate) on_change: OnChange,

    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What follows from a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnChange {
    Restart,
    Signal(Signal),
}

fn on_change(text: &str) -> Result<OnChange, String> {
    let word = text.to_ascii_uppercase();
    match word.strip_prefix("SIG").unwrap_or(&word) {
        "RESTART" => Ok(OnChange::Restart),
        "HUP" => Ok(OnChange::Signal(Signal::HUP)),
        "USR1" => Ok(OnChange::Signal(Signal::USR1)),
        "USR2" => Ok(OnChange::Signal(Signal::USR2)),
        "TERM" => Ok(OnChange::Signal(Signal::TERM)),
        "INT" => Ok(OnChange::Signal(Signal::INT)),
        _ => Err("use restart, HUP, USR1, USR2, TERM or INT".to_owned()),
    }
}

/// Runs `lockstep run`.
pub fn run(flags: &RunFlags, around: Around) -> anyhow::Result<ExitCode> {
    if !flags.files && matches!(flags.on_change, OnChange::Signal(_)) {
        return Err(Failure::usage(
            "--on-change with a signal needs --files: the variables of a running process cannot be changed",
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let withheld = around.environment.credentials.keys().cloned().collect();
    let ended = runtime.block_on(async {
        let mut source = Source::open(&flags.source, around.environment).await?;
        let objects = select(source.read().await?, &flags.names)?;
        let files = if flags.files {
            Some(Files::new(flags.files_in.as_deref())?)
        } else {
            None
        };
        let feed = Feed {
            flags,
            withheld,
            files,
            objects,
        };
        if feed.files.is_none() && !flags.watch {
            return Err(feed.start()?.replace_this());
        }
        feed.run(source, around.has_terminal).await
    });
    // Connections that are still open must not hold the process.
    runtime.shutdown_background();
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_named_with_or_without_their_prefix() {
        assert_eq!(on_change("restart"), Ok(OnChange::Restart));
        assert_eq!(on_change("SIGHUP"), Ok(OnChange::Signal(Signal::HUP)));
        assert_eq!(on_change("usr1"), Ok(OnChange::Signal(Signal::USR1)));
        assert!(on_change("KILL").is_err());
    }
}
