//! One use of local mode: reads the folder, runs what must run, writes and prints. `--once` is one
//! round of it; `--watch` goes on with the same parts.

use std::process::ExitCode;
use std::sync::Arc;

use super::console;
use super::documents;
use super::flags::{LocalFlags, Output};
use super::folder::{Changes, Folder};
use super::json;
use super::manifests::Manifests;
use super::out::{Out, Written};
use super::report;
use super::runner::Runner;
use super::view::View;

/// Everything a round works with.
pub(crate) struct Session {
    pub(crate) flags: LocalFlags,
    pub(crate) folder: Arc<Folder>,
    pub(crate) runner: Runner,
    pub(crate) manifests: Manifests,
    out: Option<Out>,
}

/// What a round ended with.
pub(crate) struct Round {
    pub(crate) view: View,
    pub(crate) written: Option<Written>,
}

/// Reads the manifests; an error means that there is nothing to work with.
pub(crate) fn read(flags: &LocalFlags) -> Result<Manifests, String> {
    let dir = &flags.dir;
    if !dir.is_dir() {
        let why = if dir.exists() {
            "is not a folder"
        } else {
            "does not exist"
        };
        return Err(format!(
            "{} {why}; name a folder of manifests",
            dir.display()
        ));
    }
    let documents = documents::read(dir, flags.out.as_deref());
    let documents = documents.map_err(|error| {
        format!(
            "{} cannot be read: {error}; check its rights",
            dir.display()
        )
    })?;
    let manifests = Manifests::of(documents, &flags.namespace);
    if manifests.files == 0 && !flags.watch {
        return Err(format!(
            "no *.yaml, *.yml or *.json file below {}; name a folder of manifests",
            dir.display()
        ));
    }
    Ok(manifests)
}

impl Session {
    pub(crate) fn new(
        flags: LocalFlags,
        folder: Arc<Folder>,
        runner: Runner,
        manifests: Manifests,
    ) -> Self {
        let out = flags
            .out
            .clone()
            .map(|folder| Out::new(folder, flags.format));
        Self {
            flags,
            folder,
            runner,
            manifests,
            out,
        }
    }

    /// Takes over the manifests as they are now.
    pub(crate) fn load(&self) -> Changes {
        self.folder.load(&self.manifests, self.runner.now())
    }

    /// Runs everything once.
    pub(crate) async fn once(&mut self) -> ExitCode {
        let changes = self.load();
        self.runner.check_stores(changes.stores).await;
        self.runner.run_objects(changes.objects).await;
        let round = self.deliver();
        self.print(&round);
        if self.is_ready(&round) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    /// Writes what was delivered.
    pub(crate) fn deliver(&self) -> Round {
        let view = View::of(&self.folder, &self.manifests.broken);
        let written = self.out.as_ref().map(|out| {
            out.sync(&view, self.manifests.is_complete())
                .unwrap_or_else(|error| {
                    let text = format!("{}: {error}", out.folder().display());
                    let failures = view.secrets.keys().map(|name| (name.clone(), text.clone()));
                    Written {
                        failures: failures.collect(),
                        ..Written::default()
                    }
                })
        });
        Round { view, written }
    }

    pub(crate) fn is_ready(&self, round: &Round) -> bool {
        let all_written = round
            .written
            .as_ref()
            .is_none_or(|written| written.failures.is_empty());
        self.manifests.is_complete() && round.view.is_ready() && all_written
    }

    /// Prints the whole result.
    pub(crate) fn print(&self, round: &Round) {
        match self.flags.output {
            Output::Json if self.flags.watch => {
                console::result(&format!("{}\n", self.document(round)));
            }
            Output::Json => console::result(&format!("{:#}\n", self.document(round))),
            Output::Table => self.print_tables(round),
        }
        let failures = report::failures(&round.view, &self.manifests, round.written.as_ref());
        if !failures.is_empty() {
            let gap = if self.flags.quiet { "" } else { "\n" };
            console::fail(&format!("{gap}{failures}"));
        }
    }

    fn print_tables(&self, round: &Round) {
        let Round { view, written } = round;
        let mut parts = vec![report::tables(view, self.runner.now())];
        if self.flags.reveal {
            parts.push(report::values(view));
        }
        if let (Some(out), Some(written)) = (&self.out, written) {
            parts.push(report::files(out, written));
        }
        parts.push(report::asides(view, &self.manifests, self.flags.verbose));
        if view.objects.is_empty() && self.manifests.is_complete() {
            parts.push(format!(
                "no ExternalSecret below {}\n",
                self.flags.dir.display()
            ));
        }
        parts.retain(|part| !part.is_empty());
        self.say(&parts.join("\n"));
    }

    /// Prints something that is left out when quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.flags.quiet {
            console::result(text);
        }
    }

    /// The result for programs.
    pub(crate) fn document(&self, round: &Round) -> serde_json::Value {
        let written = self.out.as_ref().zip(round.written.as_ref());
        let result = json::Result {
            view: &round.view,
            manifests: &self.manifests,
            written,
            is_ready: self.is_ready(round),
            reveal: self.flags.reveal,
        };
        result.document()
    }
}
