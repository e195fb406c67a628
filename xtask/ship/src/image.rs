//! `cargo xtask image`: the operator's container image, made without an engine. It holds the static program, the certificates
//! of public authorities and a user without rights; the same sources give the same digest.

mod certificates;
mod elf;
mod layout;
mod tar;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::compile::{self, Arch};
use crate::shell;
use layout::Labels;
pub(crate) use layout::digest;
use tar::Tar;

/// The user that the image runs as; the chart sets another one, also without rights.
pub(crate) const USER: u32 = 65_532;

/// Makes the container image: an OCI layout and an archive of it, without a container engine
///
/// Builds a static program with musl (Rust's musl target and musl-tools are needed) and puts it into an image on nothing, with the
/// certificates of public authorities. Prints the digest. Push it with any tool that reads an OCI layout, for example
/// `skopeo copy oci:target/image/amd64 docker://REPOSITORY:v2.9.0`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The processor it is for
    #[arg(long, value_enum, default_value = "amd64")]
    arch: Arch,
    /// The profile of cargo to build with
    #[arg(long, default_value = "release")]
    profile: String,
    /// Pack this static program instead of building one
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    binary: Option<PathBuf>,
    /// Where the layout and the archive go
    #[arg(long, value_name = "FOLDER", default_value = "target/image")]
    out: PathBuf,
}

/// An image that was made.
pub(crate) struct Image {
    /// Digest of the manifest.
    pub(crate) digest: String,
    /// The layout as one file.
    pub(crate) archive: PathBuf,
    /// The program in it.
    pub(crate) binary: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let out = place::workspace().join(&args.out);
    let image = make(args.arch, args.binary.as_deref(), &args.profile, &out)?;
    say(&format!("image {}", image.digest));
    say(&format!("layout {}", out.join(args.arch.name()).display()));
    say(&format!("archive {}", image.archive.display()));
    Ok(())
}

/// Builds the program unless it is given, and packs it.
pub(crate) fn make(arch: Arch, binary: Option<&Path>, profile: &str, out: &Path) -> Result<Image> {
    let binary = match binary {
        Some(binary) => binary.to_owned(),
        None => compile::program(arch, profile)?,
    };
    let program = fs::read(&binary).with_context(|| format!("cannot read {}", binary.display()))?;
    elf::check(&program, arch).with_context(|| binary.display().to_string())?;
    let (commit, time) = shell::commit()?;
    let labels = Labels {
        version: format!("v{}", env!("CARGO_PKG_VERSION")),
        commit,
        time,
    };
    let folder = out.join(arch.name());
    let digest = layout::write(&folder, &layer(&program), arch, &labels)?;
    let archive = out.join(format!(
        "lockstep-{}-{}.oci.tar",
        labels.version,
        arch.name()
    ));
    fs::write(&archive, archived(&folder)?)?;
    Ok(Image {
        digest,
        archive,
        binary,
    })
}

/// The one layer: everything that is in the image.
fn layer(program: &[u8]) -> Vec<u8> {
    let user = format!("nonroot:x:{USER}:{USER}:nonroot:/:/lockstep\n");
    let group = format!("nonroot:x:{USER}:\n");
    let mut tar = Tar::default();
    tar.folder("etc/");
    tar.file("etc/group", group.as_bytes(), 0o644);
    tar.file("etc/passwd", user.as_bytes(), 0o644);
    tar.folder("etc/ssl/");
    tar.folder("etc/ssl/certs/");
    let authorities = certificates::bundle();
    tar.file(
        "etc/ssl/certs/ca-certificates.crt",
        authorities.as_bytes(),
        0o644,
    );
    tar.file("lockstep", program, 0o755);
    tar.finish()
}

/// A layout as one file, in the order of its names.
fn archived(folder: &Path) -> Result<Vec<u8>> {
    let mut tar = Tar::default();
    tar.folder("blobs/");
    tar.folder("blobs/sha256/");
    let mut blobs = fs::read_dir(folder.join("blobs/sha256"))?
        .map(|blob| Ok(blob?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    blobs.sort();
    for name in blobs {
        let path = format!("blobs/sha256/{name}");
        tar.file(&path, &fs::read(folder.join(&path))?, 0o644);
    }
    for name in ["index.json", "oci-layout"] {
        tar.file(name, &fs::read(folder.join(name))?, 0o644);
    }
    Ok(tar.finish())
}
