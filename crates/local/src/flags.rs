//! Flags of `lockstep local`, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::out::Format;

const EXAMPLES: &str = "\
Examples:
  lockstep local manifests                       what would be delivered, keys and sizes only
  lockstep local manifests --out secrets         write Secrets as manifests
  lockstep local . --out run --format env        one .env file a Secret
  lockstep local . --out run --format files      one file a key, as a mounted Secret looks
  lockstep local . --out run --watch             keep them fresh, follow edits of the folder
  lockstep local . --output json -q | jq .       for scripts

Credentials of stores come from Secret manifests in the folder or from the environment:
  LOCKSTEP_SECRET_<NAMESPACE>_<NAME>_<KEY>       a key of a Secret
  LOCKSTEP_TOKEN_<NAMESPACE>_<NAME>              a token of a ServiceAccount
in upper case, everything but letters and digits as an underscore.

Exit codes:
  0  everything is ready (with --watch: it was stopped)
  1  a manifest has a fault, an object is not ready, or a file could not be written
  2  wrong usage, or the folder cannot be read";

/// Resolve the ExternalSecrets of a folder of manifests, without a cluster.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each switch is one flag of the command line"
)]
pub struct LocalFlags {
    /// Folder with *.yaml, *.yml and *.json manifests, searched with all folders below it.
    pub(crate) dir: PathBuf,

    /// Run once and exit; this is the default.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) once: bool,

    /// Keep refreshing by refreshInterval and follow edits of the folder, until Ctrl-C.
    #[arg(long)]
    pub(crate) watch: bool,

    /// Write Secrets below this folder; without it nothing is written.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// How Secrets are written.
    #[arg(long, value_enum, default_value_t, requires = "out")]
    pub(crate) format: Format,

    /// Namespace of objects that do not name one.
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = namespace)]
    pub(crate) namespace: String,

    /// Controller class; stores of other classes are ignored.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) controller_class: String,

    /// Show values too, on standard output.
    #[arg(long, conflicts_with_all = ["watch", "quiet"])]
    pub(crate) reveal: bool,

    /// Form of the result on standard output.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: Output,

    /// Print failures only.
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Also list the documents that were skipped.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl LocalFlags {
    /// What a command sets that only reads the folder.
    pub(crate) fn reading(dir: PathBuf, namespace: &str) -> Self {
        Self {
            dir,
            once: false,
            watch: false,
            out: None,
            format: Format::default(),
            namespace: namespace.to_owned(),
            controller_class: "default".to_owned(),
            reveal: false,
            output: Output::default(),
            quiet: true,
            verbose: false,
        }
    }
}

/// Form of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Tables for people.
    #[default]
    Table,
    /// One JSON document; with --watch one a line at every change.
    Json,
}

fn namespace(text: &str) -> Result<String, String> {
    if super::name::is_namespace_name(text) {
        Ok(text.to_owned())
    } else {
        Err("use lower case letters, digits and dashes".to_owned())
    }
}
