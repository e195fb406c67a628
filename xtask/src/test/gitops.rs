//! The tests with Flux's controllers: everything they need is built first, then they run in a network
//! namespace of their own, where pods can have addresses.

use std::process::Command;

use anyhow::Result;
use lockstep_testkit::argo::Argo;
use lockstep_testkit::controlplane::Assets;
use lockstep_testkit::flux::Flux;
use lockstep_testkit::program::Program;

use super::Args;
use super::rust;
use super::tally::Tally;
use crate::shell;

/// Gives the namespace its addresses, those of pods and of the clouds' metadata services included,
/// leads the names of the cloud to loopback, and hands over.
const ENTER: &str = r#"set -e
ip link set lo up
ip address add 10.77.0.1/24 dev lo
ip address add 169.254.169.254/32 dev lo
printf '127.0.0.1 localhost kv-platform.vault.azure.net login.microsoftonline.com\n' > "$1"
mount --bind "$1" /etc/hosts
shift
exec "$@""#;

const TEST: [&str; 5] = ["test", "--package", "lockstep", "--test", "gitops"];

pub(super) fn run(args: &Args) -> Result<Tally> {
    prepare()?;
    rust::cargo_test(args, &mut command(&[]))
}

/// Builds everything that the tests need.
pub(crate) fn prepare() -> Result<()> {
    Assets::ready()?;
    Program::Helm.ready()?;
    Program::Kubectl.ready()?;
    Flux::prepare()?;
    Argo::prepare()?;
    shell::run(shell::cargo().args(TEST).arg("--no-run"))
}

/// Runs the tests whose names contain one of these; all without any.
pub(crate) fn command(filter: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command
        .current_dir(lockstep_testkit::place::workspace())
        .args(["--net", "--mount", "--map-root-user"])
        .args(["sh", "-c", ENTER, "enter"])
        .arg(shell::target_dir().join("gitops-hosts"))
        .arg(shell::cargo().get_program())
        .args(TEST)
        .args(["--offline", "--", "--test-threads=1", "--nocapture"])
        .args(filter);
    command
}
