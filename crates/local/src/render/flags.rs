//! Flags of `lockstep render`, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::template_flags::TemplateFlags;

const HELP: &str = "\
The remote file stands in for every store the ExternalSecret names. It is a map of remote keys:

  db/password: hunter2            # a text
  db/config:                      # a map is a JSON object: remoteRef.property and dataFrom.extract
    host: db.internal             #   read its members
    port: 5432

or, where versions, tags, metadata or bytes matter, a list (the last of a key is the current one):

  - {key: db/password, version: v1, value: old}
  - {key: db/password, version: v2, value: hunter2, tags: {team: web}, metadata: {owner: ops}}
  - {key: keystore, base64: /u36zg==}

dataFrom.find looks through all keys by name.regexp, path (a prefix) and tags. Generators are run
when their manifest is in one of the files.

Examples:
  lockstep render -f es.yaml --remote remote.yaml              the Secret, its values masked
  lockstep render -f es.yaml --remote remote.yaml --reveal     with its values
  lockstep render -f es.yaml --remote remote.yaml --template-from cm.yaml
  kubectl get es db -o yaml | lockstep render -f - --remote remote.yaml
  lockstep render -f es.yaml --remote remote.yaml --reveal -o env > .env

Exit codes:
  0  rendered, or nothing would be written (a note on standard error says why)
  1  a manifest has a fault, a remote key is missing, a template failed
  2  wrong usage, or a file cannot be read";

/// Print the Secret an ExternalSecret would become, without a cluster and without a store.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RenderFlags {
    /// Manifest of the ExternalSecret; `-` is standard input.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// What the store holds, as YAML or JSON; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) remote: PathBuf,

    /// Manifests of ConfigMaps and Secrets that templateFrom names; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) template_from: Vec<PathBuf>,

    /// Name of the ExternalSecret, where the file holds several.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Namespace of objects that name none.
    #[arg(short, long, value_name = "NAME", default_value = "default")]
    pub(crate) namespace: String,

    /// Show values.
    #[arg(long)]
    pub(crate) reveal: bool,

    /// Form of the result.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: Output,

    /// What begins an action in templates.
    #[arg(long, value_name = "TEXT", default_value = "{{")]
    pub(crate) template_left_delimiter: String,

    /// What ends an action in templates.
    #[arg(long, value_name = "TEXT", default_value = "}}")]
    pub(crate) template_right_delimiter: String,

    #[command(flatten)]
    pub(crate) template: TemplateFlags,
}

/// Form of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A manifest; with --reveal a comment beside each value shows it decoded.
    #[default]
    Yaml,
    /// A manifest as JSON.
    Json,
    /// One variable a key, for sh and dotenv readers.
    Env,
}
