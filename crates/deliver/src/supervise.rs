//! Keeps one process fed: passes signals on, and with `--watch` restarts or signals the process when a value
//! it gets has changed. A read that fails leaves the process and its values as they are.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context;
use lockstep_toolbox::console;
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::files::Files;
use crate::process::{Process, Start};
use crate::run::{FILES_VARIABLE, OnChange, RunFlags};
use crate::select::select;
use crate::source::{Delivered, Source, Supply};
use crate::variables::{Variables, variables};

/// A command and everything it is given.
pub(crate) struct Feed<'a> {
    pub(crate) flags: &'a RunFlags,
    pub(crate) withheld: Vec<String>,
    pub(crate) files: Option<Files>,
    /// What the process was given last.
    pub(crate) objects: Vec<Delivered>,
}

impl Feed<'_> {
    /// What the process is started with now.
    pub(crate) fn start(&self) -> anyhow::Result<Start<'_>> {
        let mut given = Variables::new();
        if let Some(files) = &self.files {
            files.write(&self.objects)?;
            let path: OsString = files.path().into();
            let path = path.into_encoded_bytes();
            given.insert(FILES_VARIABLE.to_owned(), path.into());
        } else {
            given = variables(&self.objects, &self.flags.env, &self.flags.prefix)?;
        }
        Ok(Start {
            command: &self.flags.command,
            variables: given,
            withheld: &self.withheld,
        })
    }

    /// Runs the process until it ends.
    pub(crate) async fn run(
        mut self,
        mut source: Source,
        has_terminal: bool,
    ) -> anyhow::Result<ExitCode> {
        let mut signals = signals(has_terminal)?;
        let mut process = self.start()?.spawn()?;
        let watches = self.flags.watch;
        loop {
            let supply = tokio::select! {
                code = process.ended() => return Ok(ExitCode::from(code?)),
                Some(signal) = signals.recv() => {
                    process.signal(signal);
                    continue;
                }
                supply = source.changed(), if watches => supply,
            };
            if self.take(supply) {
                process = self.tell(process).await?;
            }
        }
    }

    /// Takes new values over; tells whether they differ from those the process has.
    fn take(&mut self, supply: anyhow::Result<Supply>) -> bool {
        let selected = supply.and_then(|supply| select(supply, &self.flags.names));
        match selected {
            Ok(objects) => {
                let changed = objects != self.objects;
                self.objects = objects;
                changed
            }
            Err(error) => {
                console::fail(&format!(
                    "warning: {error:#}; the process keeps its values\n"
                ));
                false
            }
        }
    }

    /// Gives the process its new values.
    async fn tell(&self, process: Process) -> anyhow::Result<Process> {
        match self.flags.on_change {
            OnChange::Signal(signal) => {
                // Writes the files.
                self.start()?;
                process.signal(signal);
                Ok(process)
            }
            OnChange::Restart => {
                console::fail("values changed; the process is restarted\n");
                process.stop().await?;
                self.start()?.spawn()
            }
        }
    }
}

/// Signals that are passed on. Ctrl-C on a terminal reaches the process by itself.
fn signals(has_terminal: bool) -> anyhow::Result<mpsc::Receiver<Signal>> {
    let (sender, receiver) = mpsc::channel(8);
    let passed = [
        (SignalKind::terminate(), Signal::TERM),
        (SignalKind::hangup(), Signal::HUP),
        (SignalKind::quit(), Signal::QUIT),
        (SignalKind::user_defined1(), Signal::USR1),
        (SignalKind::user_defined2(), Signal::USR2),
        (SignalKind::interrupt(), Signal::INT),
    ];
    for (kind, passed) in passed {
        let mut stream = signal(kind).context("listen for signals")?;
        let sender = sender.clone();
        let is_doubled = has_terminal && passed == Signal::INT;
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if !is_doubled && sender.send(passed).await.is_err() {
                    return;
                }
            }
        });
    }
    Ok(receiver)
}
