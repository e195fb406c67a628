//! `cargo xtask release`: one folder with everything that a release holds. It builds and collects; publishing is somebody else's.

mod changelog;
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lockstep_testkit::helm::Helm;
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::compile::Arch;
use crate::image;

/// Makes everything that a release holds: program, image, chart and its index, CRDs, changelog, SBOM, checksums
///
/// The version is the workspace's, and the chart must have the same.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors to build for
    #[arg(long, value_enum, value_delimiter = ',', default_value = "amd64")]
    arch: Vec<Arch>,
    /// The profile of cargo to build with
    #[arg(long, default_value = "release")]
    profile: String,
    /// Pack this static program instead of building one; for one processor
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    binary: Option<PathBuf>,
    /// Where everything goes; the folder is emptied first
    #[arg(long, value_name = "FOLDER", default_value = "target/release-files")]
    out: PathBuf,
}

const SUMS: &str = "SHA256SUMS";

pub(crate) fn run(args: &Args) -> Result<()> {
    let out = place::workspace().join(&args.out);
    if args.binary.is_some() && args.arch.len() != 1 {
        bail!("--binary is for one processor; name it with --arch");
    }
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    let images = tempfile::tempdir()?;
    let mut digests = Vec::new();
    for arch in &args.arch {
        let made = image::make(*arch, args.binary.as_deref(), &args.profile, images.path())?;
        let name = arch.name();
        fs::copy(
            &made.binary,
            out.join(format!("lockstep-{version}-linux-{name}")),
        )?;
        let archive = made
            .archive
            .file_name()
            .context("the archive has no name")?;
        fs::copy(&made.archive, out.join(archive))?;
        digests.push(format!("linux/{name} {}\n", made.digest));
    }
    fs::write(out.join("image-digests.txt"), digests.concat())?;
    chart(&out)?;
    fs::copy(
        place::workspace().join("deploy/crds/bundle.yaml"),
        out.join("crds.yaml"),
    )?;
    let fragments = place::workspace().join("changelog.d");
    fs::write(
        out.join("CHANGELOG.md"),
        changelog::joined(&fragments, &version)?,
    )?;
    let bill = sbom::of_workspace(place::workspace(), &version)?;
    fs::write(out.join(format!("lockstep-{version}.cdx.json")), bill)?;
    fs::write(out.join(SUMS), sums(&out)?)?;
    for line in fs::read_to_string(out.join(SUMS))?.lines() {
        say(line);
    }
    say(&format!("in {}", out.display()));
    Ok(())
}

/// The chart's package and the index of a repository that holds it.
fn chart(out: &Path) -> Result<()> {
    let helm = Helm::ready()?;
    let (chart, folder) = (Helm::chart(), out.display().to_string());
    let text = fs::read_to_string(chart.join("Chart.yaml"))?;
    let wanted = format!("version: {}", env!("CARGO_PKG_VERSION"));
    if !text.lines().any(|line| line == wanted) {
        bail!("the chart's version is not the workspace's: Chart.yaml has no line `{wanted}`");
    }
    let chart = chart.display().to_string();
    helm.run(&["package", &chart, "--destination", &folder])?;
    helm.run(&["repo", "index", &folder])?;
    Ok(())
}

/// A line for each file, as `sha256sum --check` reads them.
fn sums(folder: &Path) -> Result<String> {
    let mut names = fs::read_dir(folder)?
        .map(|file| Ok(file?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    names.retain(|name| name != SUMS);
    names.sort();
    let mut out = String::new();
    for name in names {
        let digest = image::digest(&fs::read(folder.join(&name))?);
        out.extend([digest.as_str(), "  ", &name, "\n"]);
    }
    Ok(out)
}
