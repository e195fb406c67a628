//! `--watch`: refreshes by interval, follows edits of the folder, and prints what changed. Ends on
//! Ctrl-C. A folder that cannot be read for a moment changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use anyhow::Context;
use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::store_keys;
use lockstep_runtime::shutdown::Shutdown;

use super::console;
use super::edits::Edits;
use super::flags::Output;
use super::folder::Changes;
use super::name::Name;
use super::notes::{Line, Notes};
use super::runner::{Again, delay, later};
use super::session::{self, Round, Session};

/// Something that runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Store(StoreKey),
    Object(Name),
}

/// When things run next, and how often they failed in a row.
#[derive(Default)]
pub(crate) struct Agenda {
    due: BTreeMap<Item, Timestamp>,
    failures: BTreeMap<Item, u32>,
}

pub(crate) async fn run(session: &mut Session) -> anyhow::Result<ExitCode> {
    let shutdown = Shutdown::on_signals().context("listen for signals")?;
    let folder = session.flags.dir.clone();
    let mut edits =
        Edits::of(&folder).with_context(|| format!("watch {} for edits", folder.display()))?;
    // What was edited before the watch began is seen now, what is edited later by the watch.
    reread(session);
    let mut agenda = Agenda::default();
    let changes = session.load();
    let round = tokio::select! {
        () = shutdown.requested() => return Ok(ExitCode::SUCCESS),
        round = agenda.run(session, changes) => round,
    };
    session.print(&round);
    if session.flags.output == Output::Table {
        session.say(&format!("\nwatching {}; Ctrl-C ends\n", folder.display()));
    }
    let mut notes = notes_of(session, &round);
    loop {
        let next = agenda.next();
        let changes = tokio::select! {
            () = shutdown.requested() => return Ok(ExitCode::SUCCESS),
            () = edits.next() => {
                if !reread(session) {
                    continue;
                }
                session.load()
            }
            () = wait(session, next) => agenda.due(session.runner.now()),
        };
        agenda.forget(&changes.gone);
        let round = tokio::select! {
            () = shutdown.requested() => return Ok(ExitCode::SUCCESS),
            round = agenda.run(session, changes) => round,
        };
        let now = notes_of(session, &round);
        tell(session, &round, &now.since(&notes));
        notes = now;
    }
}

/// Reads the manifests again; a folder that cannot be read leaves them as they were.
pub(crate) fn reread(session: &mut Session) -> bool {
    match session::read(&session.flags) {
        Ok(manifests) => session.manifests = manifests,
        Err(text) => {
            console::fail(&format!("error: {text}\n"));
            return false;
        }
    }
    true
}

fn notes_of(session: &Session, round: &Round) -> Notes {
    Notes::of(&round.view, &session.manifests, round.written.as_ref())
}

fn tell(session: &Session, round: &Round, lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    if session.flags.output == Output::Json {
        console::result(&format!("{}\n", session.document(round)));
        return;
    }
    let now = session.runner.now();
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    for Line { text, is_failure } in lines {
        if *is_failure || !session.flags.quiet {
            console::result(&format!("{now} {text}\n"));
        }
    }
}

pub(crate) async fn wait(session: &Session, until: Option<Timestamp>) {
    match until {
        Some(until) => session.runner.sleep_until(until).await,
        None => std::future::pending().await,
    }
}

impl Agenda {
    /// Runs what changed or is due: stores first, then the objects, those of stores that became
    /// ready or failed included.
    pub(crate) async fn run(&mut self, session: &Session, changes: Changes) -> Round {
        let before = readiness(session);
        let checked = session.runner.check_stores(changes.stores).await;
        let now = session.runner.now();
        for (key, again) in checked {
            self.note(Item::Store(key), again, now);
        }
        let after = readiness(session);
        let mut objects = changes.objects;
        objects.extend(users(session, |key| before.get(key) != after.get(key)));
        let ran = session.runner.run_objects(objects).await;
        let now = session.runner.now();
        for (name, again) in ran {
            self.note(Item::Object(name), again, now);
        }
        session.deliver()
    }

    fn note(&mut self, item: Item, again: Again, now: Timestamp) {
        let failures = self.failures.remove(&item).unwrap_or_default();
        let at = match again {
            Again::OnChange => {
                self.due.remove(&item);
                return;
            }
            Again::At(at) => at,
            Again::Backoff => {
                self.failures.insert(item.clone(), failures + 1);
                later(now, delay(failures + 1))
            }
        };
        self.due.insert(item, at);
    }

    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.due.values().min().copied()
    }

    /// What is due by now.
    pub(crate) fn due(&self, now: Timestamp) -> Changes {
        let mut changes = Changes::default();
        for (item, _) in self.due.iter().filter(|(_, at)| **at <= now) {
            match item {
                Item::Store(key) => drop(changes.stores.insert(key.clone())),
                Item::Object(name) => drop(changes.objects.insert(name.clone())),
            }
        }
        changes
    }

    pub(crate) fn forget(&mut self, gone: &BTreeSet<Name>) {
        for name in gone {
            let item = Item::Object(name.clone());
            self.due.remove(&item);
            self.failures.remove(&item);
        }
    }
}

fn readiness(session: &Session) -> BTreeMap<StoreKey, Option<bool>> {
    let state = session.folder.state();
    let stores = state.stores.iter();
    stores
        .map(|(key, tracked)| (key.clone(), tracked.record.ready()))
        .collect()
}

/// Objects that use one of the stores meant.
fn users(session: &Session, meant: impl Fn(&StoreKey) -> bool) -> Vec<Name> {
    let state = session.folder.state();
    let objects = state.external_secrets.iter();
    let users = objects.filter(|(_, tracked)| store_keys(&tracked.object).iter().any(&meant));
    users.map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn object() -> Item {
        Item::Object(Name::new("ns", "a"))
    }

    #[test]
    fn a_refresh_is_due_at_its_time_and_not_before() {
        let mut agenda = Agenda::default();
        agenda.note(object(), Again::At(at(100)), at(0));

        assert_eq!(agenda.next(), Some(at(100)));
        assert!(agenda.due(at(99)).objects.is_empty());
        assert_eq!(agenda.due(at(100)).objects.len(), 1);
    }

    #[test]
    fn failures_in_a_row_wait_longer_and_a_success_forgets_them() {
        let mut agenda = Agenda::default();
        let mut waits = Vec::new();
        for _ in 0..4 {
            agenda.note(object(), Again::Backoff, at(0));
            waits.push(agenda.next().unwrap());
        }
        assert!(waits.is_sorted() && waits[3] > at(4), "{waits:?}");

        agenda.note(object(), Again::At(at(1)), at(0));
        agenda.note(object(), Again::Backoff, at(0));

        assert!(agenda.next().unwrap() <= at(1));
    }

    #[test]
    fn what_is_gone_is_never_due() {
        let mut agenda = Agenda::default();
        agenda.note(object(), Again::Backoff, at(0));

        agenda.forget(&[Name::new("ns", "a")].into());

        assert_eq!(agenda.next(), None);
    }
}
