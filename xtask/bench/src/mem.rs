//! `bench mem`: what one more object costs in resident memory, from the difference between many and
//! few, so that what the process costs by itself does not count. The figure is kept in the
//! repository; more than a tenth above it is an error.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use lockstep_testkit::backend::Backend;
use lockstep_testkit::place;
use lockstep_testkit::progress::say;
use serde::{Deserialize, Serialize};

use crate::cli::MemArgs;
use crate::figures::{Beside, Outcome, Report, figure};
use crate::fixture::{Fixture, Plan};
use crate::scenario::{Watches, count};
use crate::subject::{Running, Subject};

const FEW: u32 = 2_000;
const MANY: u32 = 10_000;
const LIMIT: Duration = Duration::from_mins(10);
/// The allocator gives memory back with a delay.
const SETTLE: Duration = Duration::from_secs(15);
const TOLERANCE: f64 = 1.1;
const FILE: &str = "xtask/bench/memory.json";

/// The figure that is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Recorded {
    bytes_an_object: u64,
}

pub(crate) fn run(args: &MemArgs) -> Result<()> {
    let subject = Subject::ours(args.ours.as_deref())?;
    let backend = Backend::start(Duration::ZERO)?;
    let few = Plan::new(FEW, &backend);
    let many = Plan::new(MANY, &backend);
    let fixture = Fixture::make(&few)?;
    let watches = Watches::start(&fixture)?;
    let mut running = subject.start(&fixture)?;
    watches.until_all(&mut running, FEW, LIMIT)?;
    let low = settled(&mut running)?;
    fixture.fill(&many, FEW)?;
    watches.until_all(&mut running, MANY, LIMIT)?;
    let high = settled(&mut running)?;

    let each = high.saturating_sub(low) * 1024 / u64::from(MANY - FEW);
    let recorded = if args.record {
        record(each)?;
        None
    } else {
        Some(recorded()?)
    };
    let most = recorded.map(|recorded| count(recorded.bytes_an_object) * TOLERANCE);
    let figures = vec![
        figure("memory an object", count(each), "bytes").at_most(most),
        figure("memory of 2,000 objects", count(low) / 1024.0, "MiB"),
        figure("memory of 10,000 objects", count(high) / 1024.0, "MiB"),
        figure("peak memory", running.usage()?.peak_mib(), "MiB"),
    ];
    let report = Report {
        scenarios: vec![Beside {
            ours: Some(Outcome {
                scenario: "mem",
                objects: MANY,
                operator: subject.label(),
                figures,
            }),
            other: None,
        }],
        ..Report::now()
    };
    report.print(args.output)
}

/// The least memory seen while the process had nothing to do, in KiB.
fn settled(running: &mut Running) -> Result<u64> {
    let mut least = u64::MAX;
    for _ in 0..SETTLE.as_secs() {
        std::thread::sleep(Duration::from_secs(1));
        running.operator.check()?;
        least = least.min(running.usage()?.resident_kib);
    }
    Ok(least)
}

fn path() -> PathBuf {
    place::workspace().join(FILE)
}

fn recorded() -> Result<Recorded> {
    let text = std::fs::read_to_string(path())
        .with_context(|| format!("cannot read {FILE}; make it with `bench mem --record`"))?;
    serde_json::from_str(&text).with_context(|| format!("{FILE} is not as `bench mem` writes it"))
}

fn record(bytes_an_object: u64) -> Result<()> {
    let text = serde_json::to_string_pretty(&Recorded { bytes_an_object })?;
    std::fs::write(path(), text + "\n")?;
    say(&format!("recorded in {FILE}"));
    Ok(())
}
