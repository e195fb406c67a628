//! `cargo xtask test`: every set-up the tests need, then every test, then the recorded cases, then
//! hostile tenants in a short form, then one line that says how it went. One control plane serves the whole run; tests find it through
//! the environment.

pub(crate) mod gitops;
mod image;
mod rust;
pub(crate) mod tally;

use std::time::Instant;

use anyhow::Result;
use lockstep_testkit::controlplane::{Assets, ControlPlane};
use lockstep_testkit::program::Program;
use lockstep_testkit::progress::{say, seconds};
use lockstep_testkit::{bao, goiardi, moto, openstack, slapd};

use crate::{cases, hostile};
use tally::Tally;

/// Sets up the test servers and runs every test: unit, doc and integration tests, then the recorded
/// cases
///
/// Needs Rust, and Go and Python for what runs on a cluster; everything else is built or fetched
/// into your user cache. The first run builds a Kubernetes API server (about five minutes on two
/// cores). The last line is `N passed, M failed`.
#[derive(clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Args {
    /// Only tests and cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Leave out what needs an API server or Helm: test targets named `cluster…` and `helm…`, and
    /// the recorded cases
    #[arg(long)]
    skip_cluster: bool,
    /// Run only the tests with Flux's controllers: heavy builds at first, then some minutes
    #[arg(long, conflicts_with_all = ["skip_cluster", "filter"])]
    gitops: bool,
    /// Build the container image and run only the test that runs it: Linux, as root, with musl-tools
    #[arg(long, conflicts_with_all = ["skip_cluster", "filter", "gitops"])]
    image: bool,
    /// Show every test, not only those that fail
    #[arg(long, short)]
    verbose: bool,
}

impl Args {
    /// Every test, as the gate runs them.
    pub(crate) fn all() -> Self {
        Self {
            filter: None,
            skip_cluster: false,
            gitops: false,
            image: false,
            verbose: false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Tally> {
    let began = Instant::now();
    let tally = if args.gitops {
        gitops::run(args)?
    } else if args.image {
        image::run(args)?
    } else if args.skip_cluster {
        rust::run(args, None)?
    } else {
        with_cluster(args)?
    };
    say(&format!("\nall tests took {}", seconds(began.elapsed())));
    Ok(tally)
}

fn with_cluster(args: &Args) -> Result<Tally> {
    // What may be missing on this machine comes first, before minutes of compiling.
    let python = cases::python::ready()?;
    moto::ready()?;
    bao::ready()?;
    slapd::ready()?;
    goiardi::ready()?;
    if let Err(error) = openstack::ready() {
        say(&format!(
            "tests on Keystone and Barbican are left out: {error:#}"
        ));
    }
    Assets::ready()?;
    for program in [Program::Helm, Program::Kubectl, Program::PromCheck] {
        program.ready()?;
    }
    if let Err(error) = rust::build() {
        say(&format!("error: {error:#}"));
        return Ok(Tally::failure("the build"));
    }
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let tests = rust::run(args, Some(&plane))?;
    let filter = args.filter.as_deref();
    let tally = tests + cases::current(&python, &rust::operator(), &plane, filter)?;
    if filter.is_some_and(|filter| !"hostile".contains(filter)) {
        return Ok(tally);
    }
    Ok(tally + hostile::short(&rust::operator())?)
}
