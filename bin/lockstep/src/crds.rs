//! `lockstep crds`: prints the generated CustomResourceDefinitions. They are the committed files of
//! `deploy/crds`, compressed by the build script, so what is printed is what was reviewed.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::usage::wrong;

const BUNDLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/crds.lz4"));

/// Flags of `lockstep crds`.
#[derive(Debug, Args)]
pub(crate) struct CrdsFlags {
    /// Print only these kinds, by kind, plural or short name; may be repeated.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// List the kinds instead of printing them.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(flags: &CrdsFlags) -> anyhow::Result<ExitCode> {
    let bundle = lz4_flex::decompress_size_prepended(BUNDLE);
    let bundle = String::from_utf8(bundle.context("the CRDs in this program are damaged")?)?;
    let documents: Vec<Document> = bundle.split("\n---\n").filter_map(Document::read).collect();
    let wanted = select(&documents, &flags.kind)?;

    match print(&wanted, flags.list) {
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        printed => {
            printed?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn print(documents: &[&Document<'_>], names_only: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (position, document) in documents.iter().enumerate() {
        if names_only {
            writeln!(out, "{}\t{}", document.kind, document.name)?;
            continue;
        }
        if position > 0 {
            writeln!(out, "---")?;
        }
        writeln!(out, "{}", document.yaml)?;
    }
    out.flush()
}

/// One CRD of the bundle with the names it answers to.
struct Document<'a> {
    yaml: &'a str,
    kind: String,
    name: String,
    short_names: Vec<String>,
}

impl<'a> Document<'a> {
    fn read(yaml: &'a str) -> Option<Self> {
        let yaml = yaml.trim_start_matches("---\n").trim_end();
        let crd: serde_json::Value = serde_saphyr::from_str(yaml).ok()?;
        let names = crd.pointer("/spec/names")?;
        let short_names = names
            .get("shortNames")
            .and_then(serde_json::Value::as_array);
        let short_names = short_names
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_str);
        Some(Self {
            yaml,
            kind: names.get("kind")?.as_str()?.to_owned(),
            name: crd.pointer("/metadata/name")?.as_str()?.to_owned(),
            short_names: short_names.map(str::to_owned).collect(),
        })
    }

    fn answers_to(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let plural = self.name.split('.').next().unwrap_or_default();
        word == self.kind.to_lowercase()
            || word == plural
            || word == self.name
            || self.short_names.contains(&word)
    }
}

fn select<'a>(
    documents: &'a [Document<'a>],
    kinds: &[String],
) -> anyhow::Result<Vec<&'a Document<'a>>> {
    for kind in kinds {
        if !documents.iter().any(|document| document.answers_to(kind)) {
            let known: Vec<&str> = documents
                .iter()
                .map(|document| document.kind.as_str())
                .collect();
            let known = known.join(", ");
            return Err(wrong(format!(
                "no CRD of kind {kind:?}; known kinds: {known}"
            )));
        }
    }
    let wanted = |document: &&Document<'_>| {
        kinds.is_empty() || kinds.iter().any(|kind| document.answers_to(kind))
    };
    Ok(documents.iter().filter(wanted).collect())
}
