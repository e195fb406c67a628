//! `bench weight`: what the program weighs: size of its release build, time of that build, and memory after
//! its start, for groups of providers that are added one after the other. The last is the default build.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::process::{Usage, ended_children_cpu};
use lockstep_testkit::{PATIENCE, poll};

use crate::cli::WeightArgs;
use crate::figures::{Beside, Figure, Outcome, Report, figure};
use crate::subject::build;

/// The most that the default build may have.
const MOST_MEGABYTES: f64 = 40.0;
const MOST_MEBIBYTES: f64 = 25.0;

/// Providers that come with a group.
struct Group {
    name: &'static str,
    providers: &'static [&'static str],
}

/// Each has what the ones before have. Whatever is not named comes with the default build, which follows.
const GROUPS: [Group; 5] = [
    Group {
        name: "no provider",
        providers: &[],
    },
    Group {
        name: "and AWS",
        providers: &["aws"],
    },
    Group {
        name: "and Azure, Google, Vault, Kubernetes",
        providers: &[
            "azurekv",
            "crd",
            "fake",
            "gcpsm",
            "kubernetes",
            "onepassword",
            "openbao",
            "vault",
            "webhook",
        ],
    },
    Group {
        name: "and those over gRPC",
        providers: &[
            "cloudrusm",
            "nebiusmysterybox",
            "yandexcertificatemanager",
            "yandexlockbox",
        ],
    },
    Group {
        name: "and passbolt",
        providers: &["passbolt"],
    },
];

pub(crate) fn run(args: &WeightArgs) -> Result<()> {
    let mut report = Report::now();
    let plane = ControlPlane::start_bare()?;
    plane.install_crds()?;
    let mut features = vec!["cluster".to_owned()];
    let groups = GROUPS.iter().filter(|_| !args.default_only);
    for group in groups {
        let named = group.providers.iter();
        features.extend(named.map(|name| format!("lockstep-provider-registry/{name}")));
        let selected = ["--no-default-features", "--features", &features.join(",")];
        let figures = weigh(&plane, &selected)?;
        report.scenarios.push(row(group.name, figures));
    }
    let figures = weigh(&plane, &[])?.into_iter();
    let figures = figures.map(|one| match one.unit {
        "MB" => one.at_most(MOST_MEGABYTES),
        "MiB" => one.at_most(MOST_MEBIBYTES),
        _ => one,
    });
    report
        .scenarios
        .push(row("the default build", figures.collect()));
    report.print(args.output)
}

fn row(name: &str, figures: Vec<Figure>) -> Beside {
    Beside {
        ours: Some(Outcome {
            scenario: "weight",
            objects: 0,
            operator: name.to_owned(),
            figures,
        }),
        other: None,
    }
}

/// Builds the program with these features and starts it.
fn weigh(plane: &ControlPlane, features: &[&str]) -> Result<Vec<Figure>> {
    let (began, spent) = (Instant::now(), ended_children_cpu()?);
    let program = build(features)?;
    let took = began.elapsed();
    let spent = ended_children_cpu()?.saturating_sub(spent);
    let bytes = fs::metadata(&program)?.len();
    let started = started(plane, &program)?;
    Ok(vec![
        figure("size", megabytes(bytes), "MB"),
        figure("memory after the start", started.resident_mib(), "MiB"),
        figure(
            "build after the group before",
            took.as_secs_f64().round(),
            "s",
        ),
        figure("CPU of that build", spent.as_secs_f64().round(), "s"),
    ])
}

/// What the operator uses once every watch has listed.
fn started(plane: &ControlPlane, program: &Path) -> Result<Usage> {
    let log = tempfile::NamedTempFile::new()?;
    let kubeconfig = plane.operator_kubeconfig();
    let mut operator = Operator::start(program, &kubeconfig, &[], log.path())?;
    operator.healthy()?;
    let health = operator.health();
    let is_ready = || matches!(health.probe("/readyz", PATIENCE), Ok((200, _)));
    let ready = poll::until_holds(PATIENCE, is_ready);
    operator.check()?;
    ready.with_context(|| format!("the operator is not ready after {PATIENCE:?}"))?;
    Usage::of(operator.id()).context("the operator ended")
}

#[expect(
    clippy::cast_precision_loss,
    reason = "programs are far below 2^52 bytes"
)]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
