//! `cargo xtask new-provider NAME`: a copy of `xtask/template-provider` under another name. The
//! template is a crate of the workspace, so it compiles and passes the suite at any time.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::{generate, shell};

const TEMPLATE: &str = "xtask/template-provider";

/// Creates providers/NAME: a small REST provider that compiles and passes the conformance suite
///
/// Fill in spec.rs, auth.rs, api.rs, store.rs and error.rs, then run `cargo xtask check NAME`. No
/// file outside the folder has to be edited by hand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the folder and of the cargo feature, in lower case: `acme`, `acme-cloud`
    name: String,
    /// The key under `spec.provider` in manifests [default: the name without hyphens]
    #[arg(long)]
    key: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = place::workspace();
    let names = Names::new(&args.name, args.key.as_deref())?;
    let folder = root.join("providers").join(&names.folder);
    if folder.exists() {
        bail!("providers/{} exists already", names.folder);
    }
    copy(&root.join(TEMPLATE), &folder, &names)?;
    say(&format!("created providers/{}", names.folder));
    generate::run(&generate::Args {})?;
    // Other names break lines elsewhere.
    let package = format!("lockstep-provider-{}", names.folder);
    shell::run(shell::cargo().args(["fmt", "--package", &package]))?;
    say(&format!(
        "next: read providers/{0}/src from spec.rs to store.rs and make it speak to the real backend,\n\
         then `cargo xtask check {0}`",
        names.folder
    ));
    Ok(())
}

/// One name in its four spellings.
struct Names {
    folder: String,
    krate: String,
    kind: String,
    key: String,
}

impl Names {
    fn new(name: &str, key: Option<&str>) -> Result<Self> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || name.ends_with('-') || !name.chars().all(legal) {
            bail!(
                "{name:?} is not a valid provider name; use lower-case letters, digits and hyphens"
            );
        }
        let parts = name.split('-').map(|part| {
            let (first, rest) = part.split_at(part.len().min(1));
            first.to_uppercase() + rest
        });
        Ok(Self {
            folder: name.to_owned(),
            krate: name.replace('-', "_"),
            kind: parts.collect(),
            key: key.map_or_else(|| name.replace('-', ""), str::to_owned),
        })
    }

    /// The template's text under this name.
    fn apply(&self, text: &str) -> String {
        let spellings = [
            (
                "lockstep_provider_acme",
                format!("lockstep_provider_{}", self.krate),
            ),
            (
                "lockstep-provider-acme",
                format!("lockstep-provider-{}", self.folder),
            ),
            ("acme_keeps", format!("{}_keeps", self.krate)),
            ("Acme", self.kind.clone()),
            ("acme", self.key.clone()),
        ];
        let mut out = String::new();
        let mut rest = text;
        // One pass, so that a new name that contains the old one is not replaced again.
        while let Some(first) = rest.chars().next() {
            if let Some((old, new)) = spellings.iter().find(|(old, _)| rest.starts_with(old)) {
                out.push_str(new);
                rest = &rest[old.len()..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        out
    }
}

fn copy(from: &Path, to: &Path, names: &Names) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, names)?;
        } else {
            fs::write(target, names.apply(&fs::read_to_string(entry.path())?))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_every_spelling() {
        let names = Names::new("acme-cloud", None).unwrap();

        let text = names.apply("lockstep-provider-acme lockstep_provider_acme Acme spec.acme");

        let want = "lockstep-provider-acme-cloud lockstep_provider_acme_cloud AcmeCloud";
        assert_eq!(text, format!("{want} spec.acmecloud"));
    }

    #[test]
    fn names_that_no_crate_can_have_are_refused() {
        for name in ["", "Acme", "9lives", "a_b", "end-"] {
            assert!(Names::new(name, None).is_err(), "{name:?}");
        }
    }

    #[test]
    fn the_template_is_copied_whole() {
        let folder = tempfile::tempdir().unwrap();
        let names = Names::new("other", Some("otherKey")).unwrap();

        copy(&place::workspace().join(TEMPLATE), folder.path(), &names).unwrap();

        let library = fs::read_to_string(folder.path().join("src/lib.rs")).unwrap();
        assert!(library.contains("impl Provider for Other"));
        assert!(library.contains("const NAME: &'static str = \"otherKey\""));
        assert!(folder.path().join("tests/conformance.rs").is_file());
    }
}
