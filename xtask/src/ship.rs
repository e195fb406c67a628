//! `cargo xtask image` and `cargo xtask release`: hand over to the package `xtask-ship`.

use anyhow::Result;

use crate::shell;

/// Makes the container image: an OCI layout and an archive of it, without a container engine
///
/// See `cargo xtask image --help`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct ImageArgs {
    /// Options of the image
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Makes everything that a release holds: program, image, chart and its index, CRDs, changelog, SBOM, checksums
///
/// See `cargo xtask release --help`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct ReleaseArgs {
    /// Options of the release
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn image(args: &ImageArgs) -> Result<()> {
    ship("image", &args.rest)
}

pub(crate) fn release(args: &ReleaseArgs) -> Result<()> {
    ship("release", &args.rest)
}

fn ship(command: &str, rest: &[String]) -> Result<()> {
    let package = ["run", "--quiet", "--package", "xtask-ship", "--", command];
    shell::run(shell::cargo().args(package).args(rest))
}
