//! The whole run: one control plane, the healthy tenants, then rounds. In a short run several entries
//! share a round; when such a round fails, each of its entries runs again alone, so that the one to
//! blame is named.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::progress::{say, seconds};

use crate::backend::Backend;
use crate::catalogue;
use crate::cli::Cli;
use crate::entry::Entry;
use crate::expand::Words;
use crate::follow::Follow;
use crate::round::{Field, Length};
use crate::subject::Subject;
use crate::table::{Report, Row, print_list};
use crate::tenants;
use crate::verdict::Limits;

/// Entries of a round in a short run.
const TOGETHER: usize = 10;

pub(crate) fn run(cli: &Cli) -> Result<ExitCode> {
    let entries = catalogue::selected(&cli.only)?;
    if cli.list {
        print_list(&entries)?;
        return Ok(ExitCode::SUCCESS);
    }
    let program = Subject::program(cli.operator.as_deref())?;
    let temporary = tempfile::Builder::new()
        .prefix("lockstep-hostile-")
        .tempdir()?;
    let logs = cli
        .logs
        .clone()
        .unwrap_or_else(|| temporary.path().to_owned());
    std::fs::create_dir_all(&logs)?;
    say("starting a control plane");
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let api = plane.admin()?;
    let backend = Backend::start()?;
    tenants::create(&api, &backend)?;
    let field = Field {
        follow: Follow::start(&plane)?,
        subject: Subject {
            program,
            flags: cli.operator_flag.clone(),
            kubeconfig: plane.operator_kubeconfig(),
            kill_at: cli.kill_at << 10,
        },
        words: words(&plane)?,
        api,
        backend,
        cluster: &plane,
        logs,
        length: if cli.short {
            Length::Short
        } else {
            Length::Full
        },
        lease: !cli.no_lease,
    };
    let limits = Limits {
        late: Duration::from_secs_f64(cli.late),
        memory_kib: cli.memory << 10,
    };
    let report = Report {
        operator: field.subject.program.display().to_string(),
        rows: rounds(&field, &entries, &limits)?,
    };
    report.print(cli.output)
}

/// Words that every entry may use.
fn words(cluster: &Cluster) -> Result<Words> {
    let access = Access::read(&cluster.admin_kubeconfig())?;
    let words = [
        ("SHARED", tenants::SHARED.to_owned()),
        ("CA", STANDARD.encode(access.ca)),
        ("APISERVER", access.server),
    ];
    let words = words.into_iter();
    Ok(words
        .map(|(name, value)| (name.to_owned(), value))
        .collect())
}

fn rounds(field: &Field<'_>, entries: &[Entry], limits: &Limits) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut number = 0;
    let mut one = |entries: &[&Entry]| -> Result<Row> {
        number += 1;
        let began = Instant::now();
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
        say(&format!("round {number}: {}", names.join(", ")));
        let outcome = field.round(number, entries)?;
        let row = Row::new(&names.join(", "), &outcome, limits);
        let time = seconds(began.elapsed());
        say(&format!("  {} after {time}", row.verdict()));
        Ok(row)
    };
    for group in groups(entries, field.length) {
        let together = one(&group)?;
        if let [entry] = group.as_slice() {
            rows.push(together.of(&entry.area));
            continue;
        }
        if together.passed() {
            rows.extend(group.iter().map(|entry| together.named(entry)));
            continue;
        }
        let alone: Vec<Row> = group
            .iter()
            .map(|entry| Ok(one(&[entry])?.of(&entry.area)))
            .collect::<Result<_>>()?;
        // Nobody is to blame alone, so it takes all of them: that is a failure too.
        let shared = alone.iter().all(Row::passed);
        rows.extend(alone);
        rows.extend(shared.then_some(together));
    }
    Ok(rows)
}

/// Entries that share a round: with the same flags, and not those that must be alone.
fn groups(entries: &[Entry], length: Length) -> Vec<Vec<&Entry>> {
    let together = if length == Length::Short { TOGETHER } else { 1 };
    let mut groups: Vec<Vec<&Entry>> = Vec::new();
    for entry in entries {
        let fits = |group: &&mut Vec<&Entry>| {
            group.len() < together
                && group.iter().all(|other| {
                    !other.header.alone
                        && !entry.header.alone
                        && other.header.flags == entry.header.flags
                })
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    groups
}
