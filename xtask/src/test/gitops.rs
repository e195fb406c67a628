//! The tests with Flux's controllers: everything they need is built first, then they run in a network
//! namespace of their own, where pods can have addresses.

use anyhow::Result;
use lockstep_testkit::argo::Argo;
use lockstep_testkit::controlplane::Assets;
use lockstep_testkit::flux::Flux;
use lockstep_testkit::program::Program;

use super::Args;
use super::rust;
use super::tally::Tally;
use crate::shell;

/// Gives the namespace its addresses, those of pods included, and hands over.
const ENTER: &str = "ip link set lo up && ip address add 10.77.0.1/24 dev lo && exec \"$@\"";

pub(super) fn run(args: &Args) -> Result<Tally> {
    Assets::ready()?;
    Program::Helm.ready()?;
    Program::Kubectl.ready()?;
    Flux::prepare()?;
    Argo::prepare()?;
    let test = ["test", "--package", "lockstep", "--test", "gitops"];
    shell::run(shell::cargo().args(test).arg("--no-run"))?;
    let mut command = std::process::Command::new("unshare");
    command
        .current_dir(lockstep_testkit::place::workspace())
        .args(["--net", "--map-root-user", "sh", "-c", ENTER, "enter"])
        .arg(shell::cargo().get_program())
        .args(test)
        .args(["--offline", "--", "--test-threads=1", "--nocapture"]);
    rust::cargo_test(args, &mut command)
}
