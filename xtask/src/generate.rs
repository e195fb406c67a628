//! `cargo xtask generate`: writes every generated file of the repository. The registry of providers
//! is made from the folder names in `providers/`, here; the CRDs need a compiled registry and are
//! left to the package `xtask-generate`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::shell;

const CRDS: &str = "deploy/crds";
const CHART: &str = "deploy/charts/external-secrets/templates/crds";
const INDEX: &str = "docs/providers/README.md";
const BEGIN: &str = "generated: begin";
const END: &str = "generated: end";

/// Writes all generated files: the registry of providers in crates/provider-registry, the CRDs in
/// deploy/crds and in the chart's templates, the table in docs/providers/README.md
///
/// They are committed. `cargo xtask check` fails when one is stale.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<()> {
    for file in registry(place::workspace())? {
        if file.is_stale() {
            say(&format!("writing {}", file.path));
            fs::write(place::workspace().join(file.path), file.wanted)?;
        }
    }
    shell::run(generator().args([CRDS, CHART, INDEX]))
}

/// An error when a generated file is not as [`run`] would write it.
pub(crate) fn check() -> Result<()> {
    for file in registry(place::workspace())? {
        if file.is_stale() {
            bail!("stale: {}; run `cargo xtask generate`", file.path);
        }
    }
    shell::run(generator().args(["--check", CRDS, CHART, INDEX]))
}

fn generator() -> std::process::Command {
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--package", "xtask-generate", "--"]);
    command
}

/// A file with generated blocks, as it is and as it should be.
struct Generated {
    path: &'static str,
    present: String,
    wanted: String,
}

impl Generated {
    fn is_stale(&self) -> bool {
        self.present != self.wanted
    }
}

/// The generated files of the registry.
fn registry(root: &Path) -> Result<Vec<Generated>> {
    let providers = providers(root)?;
    let lines = |one: &dyn Fn(&Provider) -> String| providers.iter().map(one).collect::<String>();
    let rows = lines(&|p| {
        let (name, krate, kind) = (&p.name, p.name.replace('-', "_"), &p.kind);
        format!(
            "    #[cfg(feature = \"{name}\")]\n    Entry::of::<lockstep_provider_{krate}::{kind}>(),\n"
        )
    });
    let dependencies = lines(&|p| {
        let name = &p.name;
        format!(
            "lockstep-provider-{name} = {{ path = \"../../providers/{name}\", optional = true }}\n"
        )
    });
    let quoted: Vec<_> = providers.iter().map(|p| format!("{:?}", p.name)).collect();
    let features = lines(&|p| format!("{0} = [\"dep:lockstep-provider-{0}\"]\n", p.name));
    let features = format!("all = [{}]\n{features}", quoted.join(", "));
    Ok(vec![
        filled(root, "crates/provider-registry/src/table.rs", &[&rows])?,
        filled(
            root,
            "crates/provider-registry/Cargo.toml",
            &[&dependencies, &features],
        )?,
    ])
}

/// A provider's folder and the type in its `lib.rs` that implements the contract.
struct Provider {
    name: String,
    kind: String,
}

fn providers(root: &Path) -> Result<Vec<Provider>> {
    let folder = root.join("providers");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).context("providers/")? {
        let path = entry?.path();
        let library = path.join("src/lib.rs");
        if !path.join("Cargo.toml").is_file() {
            continue;
        }
        let text = fs::read_to_string(&library)
            .with_context(|| format!("cannot read {}", library.display()))?;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let kind = implementor(&text)
            .with_context(|| format!("providers/{name}/src/lib.rs implements no Provider"))?;
        found.push(Provider { name, kind });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// `X` of the line `impl Provider for X {`.
fn implementor(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.starts_with("impl ") && line.contains("Provider for "))?;
    let (_, rest) = line.split_once("Provider for ")?;
    Some(rest.split([' ', '{']).next()?.to_owned())
}

fn filled(root: &Path, path: &'static str, blocks: &[&str]) -> Result<Generated> {
    let present =
        fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
    let wanted = fill(&present, blocks).with_context(|| path.to_owned())?;
    Ok(Generated {
        path,
        present,
        wanted,
    })
}

/// Replaces what stands between the markers, block by block.
fn fill(text: &str, blocks: &[&str]) -> Result<String> {
    let mut blocks = blocks.iter();
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.contains(END) {
            inside = false;
        }
        if !inside {
            out.push_str(line);
            out.push('\n');
        }
        if line.contains(BEGIN) {
            out.push_str(blocks.next().context("one block too many")?);
            inside = true;
        }
    }
    if inside || blocks.next().is_some() {
        bail!("the markers `{BEGIN}` and `{END}` are not in place");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_replaced_between_their_markers() {
        let text = "a\n# generated: begin\nold\n# generated: end\nb\n";

        let out = fill(text, &["new\n"]).unwrap();

        assert_eq!(out, "a\n# generated: begin\nnew\n# generated: end\nb\n");
    }

    #[test]
    fn missing_markers_are_an_error() {
        assert!(fill("a\n", &["new\n"]).is_err());
        assert!(fill("# generated: begin\n", &["new\n"]).is_err());
    }

    #[test]
    fn the_provider_type_is_read_from_its_implementation() {
        let text = "//! x\nimpl Provider for Fake {\n";

        assert_eq!(implementor(text).as_deref(), Some("Fake"));
        assert_eq!(implementor("fn main() {}"), None);
    }
}
