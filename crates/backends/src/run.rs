//! One command line from its flags to its exit code: reads the manifest, opens the store, and hands
//! each secret to the module of the verb.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use jiff::Timestamp;
use lockstep_toolbox::console;
use lockstep_toolbox::exit::{Exit, Failure};
use lockstep_toolbox::output::{OutputFlags, Screen};

use crate::confirm::{self, Answer};
use crate::execute::{each, interrupt};
use crate::flags::{
    ApplyFlags, BackendsFlags, NameFlags, RemovalFlags, RestoreFlags, StatusFlags, VerbFlags,
};
use crate::manifest::{self, Entry};
use crate::observe::{Backend, patiently};
use crate::progress::Progress;
use crate::remove::{self, Verb};
use crate::report::{Complete, Outcome, Report, Row, Subject};
use crate::sources::{self, Desired};
use crate::status::{self, Asked};
use crate::store::{self, Opened};
use crate::{Environment, Terminal, apply, restore};

/// Runs `lockstep backends`.
pub fn run(flags: BackendsFlags, environment: Environment) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let ended = runtime.block_on(verb(flags, environment));
    // Connections that are still open must not hold the process.
    runtime.shutdown_background();
    ended.map(ExitCode::from)
}

async fn verb(flags: BackendsFlags, environment: Environment) -> anyhow::Result<Exit> {
    match flags.verb {
        VerbFlags::Status(flags) => run_status(flags, environment).await,
        VerbFlags::Apply(flags) => run_apply(flags, environment).await,
        VerbFlags::Restore(flags) => run_restore(flags, environment).await,
        VerbFlags::Delete(flags) => {
            let days = flags.recovery_days;
            run_removal(flags.removal, Verb::Delete, days, environment).await
        }
        VerbFlags::Purge(flags) => run_removal(flags.removal, Verb::Purge, None, environment).await,
    }
}

/// What is needed to print.
struct Printer {
    output: OutputFlags,
    screen: Screen,
    terminal: Terminal,
    subject: Subject,
    at_once: usize,
}

impl Printer {
    fn new(
        verb: &'static str,
        flags: &crate::flags::StoreFlags,
        environment: (Screen, Terminal),
        opened: &Opened,
    ) -> anyhow::Result<Self> {
        let backend = opened.backend.life()?.backend().name;
        Ok(Self {
            output: flags.output,
            screen: environment.0,
            terminal: environment.1,
            subject: Subject {
                verb,
                store: opened.shown.clone(),
                backend,
            },
            at_once: usize::from(flags.concurrency),
        })
    }

    fn progress(&self, total: usize) -> Progress {
        Progress::new(self.subject.verb, total, self.terminal.errors)
    }

    /// Prints rows and says how the command ends.
    fn finish(&self, rows: &[Row]) -> Exit {
        let report = Report {
            subject: &self.subject,
            rows,
        };
        console::result(&if self.output.is_json() {
            format!("{:#}\n", report.json())
        } else {
            report.text(self.output.paint(self.screen))
        });
        report.exit()
    }

    /// Leaves a report behind.
    fn leave(&self, rows: &[Row], path: &Path, complete: Complete) -> anyhow::Result<()> {
        let report = Report {
            subject: &self.subject,
            rows,
        };
        let document = report.document(Timestamp::now(), complete);
        std::fs::write(path, document)
            .with_context(|| format!("the report {} cannot be written", path.display()))
    }
}

async fn run_status(flags: StatusFlags, environment: Environment) -> anyhow::Result<Exit> {
    let entries = read_manifests(&flags.names.files)?;
    let desired = resolve(entries, &environment)?;
    let shown = (environment.screen, environment.terminal);
    let opened = store::open(&flags.store, environment).await?;
    let printer = Printer::new("status", &flags.store, shown, &opened)?;
    let backend = &opened.backend;
    let mut asked: Vec<Asked> = desired
        .into_iter()
        .map(|desired| Asked::Entry(Box::new(desired)))
        .collect();
    asked.extend(flags.names.names.into_iter().map(Asked::Name));
    if asked.is_empty() {
        asked = listed(backend, &flags.prefix).await?;
    }
    let mut progress = printer.progress(asked.len());
    let all = each(
        asked,
        printer.at_once,
        &mut progress,
        interrupt(),
        |one| async move { status::one(backend, &one).await },
    )
    .await;
    if all.iter().any(Option::is_none) {
        anyhow::bail!("interrupted; repeat the command");
    }
    let all: Vec<_> = all.into_iter().flatten().collect();
    console::result(&if printer.output.is_json() {
        format!("{:#}\n", status::json(&all, &printer.subject))
    } else {
        status::text(&all, &printer.subject, printer.output.paint(printer.screen))
    });
    Ok(status::exit(&all))
}

async fn listed(backend: &Backend, prefix: &str) -> anyhow::Result<Vec<Asked>> {
    let life = backend.life()?;
    let mut names = patiently(|| life.list(prefix)).await?;
    names.sort();
    Ok(names.into_iter().map(Asked::Name).collect())
}

async fn run_apply(flags: ApplyFlags, environment: Environment) -> anyhow::Result<Exit> {
    let mut entries = read_manifests(&flags.files)?;
    only(&mut entries, &flags.names)?;
    let desired = resolve(entries, &environment)?;
    let shown = (environment.screen, environment.terminal);
    let opened = store::open(&flags.store, environment).await?;
    let printer = Printer::new("apply", &flags.store, shown, &opened)?;
    let settings = apply::Settings {
        restore: (!flags.no_restore).into(),
        adopt: flags.adopt.into(),
        plan: flags.plan.into(),
    };
    let names: Vec<String> = desired.iter().map(|one| one.name.clone()).collect();
    let backend = &opened.backend;
    let mut progress = printer.progress(desired.len());
    let rows = each(
        desired,
        printer.at_once,
        &mut progress,
        interrupt(),
        |one| async move { apply::one(backend, &one, settings).await },
    )
    .await;
    let rows = complete(&names, rows);
    if let Some(path) = &flags.report {
        printer.leave(&rows, path, Complete::of(&rows))?;
    }
    Ok(printer.finish(&rows))
}

async fn run_restore(flags: RestoreFlags, environment: Environment) -> anyhow::Result<Exit> {
    let names = names(&flags.names)?;
    let shown = (environment.screen, environment.terminal);
    let opened = store::open(&flags.store, environment).await?;
    let printer = Printer::new("restore", &flags.store, shown, &opened)?;
    let plan = flags.plan.into();
    let backend = &opened.backend;
    let mut progress = printer.progress(names.len());
    let rows = each(
        &names,
        printer.at_once,
        &mut progress,
        interrupt(),
        |name| restore::one(backend, name, plan),
    )
    .await;
    let rows = complete(&names, rows);
    if let Some(path) = &flags.report {
        printer.leave(&rows, path, Complete::of(&rows))?;
    }
    Ok(printer.finish(&rows))
}

async fn run_removal(
    flags: RemovalFlags,
    verb: Verb,
    days: Option<u32>,
    environment: Environment,
) -> anyhow::Result<Exit> {
    let names = names(&flags.names)?;
    if let [slip, ..] = confirm::unknown(&names, &flags.confirm).as_slice() {
        return Err(Failure::usage(format!(
            "--confirm has {slip:?}, which is not among the secrets that are named"
        )));
    }
    let word = match verb {
        Verb::Delete => "delete",
        Verb::Purge => "purge",
    };
    let shown = (environment.screen, environment.terminal);
    let opened = store::open(&flags.store, environment).await?;
    let printer = Printer::new(word, &flags.store, shown, &opened)?;
    check_days(days, &opened.backend)?;
    let settings = remove::Settings {
        verb,
        unmanaged: flags.unmanaged.into(),
        days,
    };
    let backend = &opened.backend;
    let mut progress = printer.progress(names.len());
    let planned = each(
        &names,
        printer.at_once,
        &mut progress,
        interrupt(),
        |name| remove::plan(backend, name, settings),
    )
    .await;
    let rows = planned
        .iter()
        .map(|one| one.as_ref().map(|one| one.row.clone()));
    let rows = complete(&names, rows.collect());
    let planned: Vec<_> = planned.into_iter().flatten().collect();
    let due = |row: &Row| row.outcome == Outcome::Planned;
    let interrupted = planned.len() < names.len();
    if flags.plan || interrupted || !rows.iter().any(due) {
        return Ok(printer.finish(&rows));
    }
    let warning = remove::warning(&planned, verb, Timestamp::now());
    console::fail(&warning);
    let targets: Vec<&str> = rows
        .iter()
        .filter(|row| due(row))
        .map(|row| row.name.as_str())
        .collect();
    agree(word, &targets, &flags.confirm, printer.terminal).await?;
    let path = flags.report.clone().unwrap_or_else(|| report_path(word));
    // Left before anything is done, so that a run that is killed leaves it too.
    printer.leave(&rows, &path, Complete::No)?;
    let mut progress = printer.progress(names.len());
    let done = each(
        &names,
        printer.at_once,
        &mut progress,
        interrupt(),
        |name| remove::one(backend, name, settings),
    )
    .await;
    let rows = complete(&names, done);
    printer.leave(&rows, &path, Complete::of(&rows))?;
    let exit = printer.finish(&rows);
    console::fail(&format!("report: {}\n", path.display()));
    Ok(exit)
}

fn check_days(days: Option<u32>, backend: &Backend) -> anyhow::Result<()> {
    let described = backend.life()?.backend();
    match (days, described.window) {
        (Some(_), None) => Err(Failure::usage(format!(
            "--recovery-days has no meaning for {}",
            described.name
        ))),
        (Some(days), Some((least, most))) if !(least..=most).contains(&days) => {
            Err(Failure::usage(format!(
                "--recovery-days must be {least} to {most} for {}",
                described.name
            )))
        }
        _ => Ok(()),
    }
}

/// Consent to end these secrets.
async fn agree(
    word: &str,
    targets: &[&str],
    confirmed: &[String],
    terminal: Terminal,
) -> anyhow::Result<()> {
    if confirmed.is_empty() && terminal.input {
        let count = targets.len();
        console::fail(&format!("Type yes to {word} {count}: "));
        return match confirm::answer(interrupt()).await {
            Answer::Yes => Ok(()),
            Answer::Other => Err(Failure::refused("nothing was done: the answer was not yes")),
            Answer::Interrupted => anyhow::bail!("nothing was done: interrupted"),
        };
    }
    confirm::check(targets, confirmed).map_err(|missing| {
        Failure::refused(format!(
            "nothing was done: {missing}; add --confirm {}",
            targets.join(" ")
        ))
    })
}

fn report_path(word: &str) -> PathBuf {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    PathBuf::from(format!("backends-{word}-{now}.json"))
}

/// Rows of all names; those that were not started say so.
fn complete(names: &[String], rows: Vec<Option<Row>>) -> Vec<Row> {
    let rows = names.iter().zip(rows);
    rows.map(|(name, row)| row.unwrap_or_else(|| Row::not_started(name)))
        .collect()
}

fn read_manifests(files: &[PathBuf]) -> anyhow::Result<Vec<Entry>> {
    manifest::read(files).map_err(|faults| Failure::usage(faults.join("\n")))
}

fn resolve(entries: Vec<Entry>, environment: &Environment) -> anyhow::Result<Vec<Desired>> {
    let resolved = sources::resolve(entries, &environment.variable);
    resolved.map_err(|faults| Failure::usage(faults.join("\n")))
}

/// Keeps the named entries; all where none is named.
fn only(entries: &mut Vec<Entry>, names: &[String]) -> anyhow::Result<()> {
    for name in names {
        if !entries.iter().any(|entry| entry.name == *name) {
            let known = entries.iter().map(|entry| entry.name.as_str());
            let help = lockstep_toolbox::suggest::instead(name, known, "entries");
            return Err(Failure::usage(format!(
                "the manifest has no entry {name:?}; {help}"
            )));
        }
    }
    if !names.is_empty() {
        entries.retain(|entry| names.contains(&entry.name));
    }
    Ok(())
}

/// Names of the command line and of manifests, each once.
fn names(flags: &NameFlags) -> anyhow::Result<Vec<String>> {
    let entries = read_manifests(&flags.files)?;
    let mut names = flags.names.clone();
    names.extend(entries.into_iter().map(|entry| entry.name));
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if names.is_empty() {
        return Err(Failure::usage("name secrets, or a manifest with -f"));
    }
    Ok(names)
}
