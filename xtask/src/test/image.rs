//! The test that runs the container image: the image is built first, without optimisation, and `LOCKSTEP_IMAGE` names it for the test.

use anyhow::Result;
use lockstep_testkit::controlplane::Assets;
use lockstep_testkit::place;

use super::Args;
use super::rust;
use super::tally::Tally;
use crate::shell;

const OUT: &str = "target/image-under-test";

pub(super) fn run(args: &Args) -> Result<Tally> {
    Assets::ready()?;
    let image = ["run", "--quiet", "--package", "xtask-ship", "--", "image"];
    let options = ["--profile", "dev", "--out", OUT];
    shell::run(shell::cargo().args(image).args(options))?;
    let mut test = shell::cargo();
    test.args(["test", "--package", "xtask-ship", "--test", "image"]);
    test.env("LOCKSTEP_IMAGE", place::workspace().join(OUT).join("amd64"));
    rust::cargo_test(args, &mut test)
}
