//! `lockstep get`: prints the keys of an ExternalSecret, or its values for a script. Values never reach a
//! terminal unless that is asked for.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use lockstep_local::env_file;
use lockstep_local::table::Table;
use lockstep_toolbox::exit::{EXIT_CODES, Exit, Failure};
use lockstep_toolbox::suggest::instead;
use serde_json::{Value, json};

use crate::select::select;
use crate::source::{Around, Delivered, Source, SourceFlags};

const EXAMPLES: &str = "\
Examples:
  lockstep get database --from manifests                 its keys and their sizes
  lockstep get database password -f . | pbcopy           one value, byte for byte
  lockstep get database -n shop --output env > .env      all values of a Secret of the cluster

A value is not printed to a terminal unless --reveal is given.";

/// Print the keys or the values of an ExternalSecret of a folder or of a cluster.
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
pub struct GetFlags {
    /// The ExternalSecret, as NAME or NAMESPACE/NAME.
    pub(crate) name: String,

    /// A key of it; its value is printed byte for byte.
    #[arg(conflicts_with = "output")]
    pub(crate) key: Option<String>,

    #[command(flatten)]
    pub(crate) source: SourceFlags,

    /// Form of the result; all but `keys` hold the values.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) output: Form,

    /// Print values also to a terminal.
    #[arg(long)]
    pub(crate) reveal: bool,
}

/// Form of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// A table of keys and sizes.
    #[default]
    Keys,
    /// One JSON object of texts.
    Json,
    /// A file of variables.
    Env,
}

/// Runs `lockstep get`.
pub fn get(flags: &GetFlags, around: Around) -> anyhow::Result<ExitCode> {
    let shows_values = flags.key.is_some() || flags.output != Form::Keys;
    if shows_values && around.prints_to_terminal && !flags.reveal {
        return Err(Failure::refused(
            "values are not printed to a terminal; redirect the output, or add --reveal",
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let selected = runtime.block_on(async {
        let mut source = Source::open(&flags.source, around.environment).await?;
        select(source.read().await?, std::slice::from_ref(&flags.name))
    });
    runtime.shutdown_background();
    for object in &selected? {
        print(flags, object)?;
    }
    Ok(Exit::Fine.into())
}

fn print(flags: &GetFlags, object: &Delivered) -> anyhow::Result<()> {
    let bytes = match (&flags.key, flags.output) {
        (Some(key), _) => value(object, key)?,
        (None, Form::Keys) => keys(object).into_bytes(),
        (None, Form::Json) => document(object)?.into_bytes(),
        (None, Form::Env) => {
            let data = object.data.iter();
            let data = data.map(|(key, value)| (key, value.expose()));
            env_file::variables(data, "--output json").map_err(Failure::usage)?
        }
    };
    let mut out = std::io::stdout().lock();
    // A reader that went away is no failure.
    let _ = out.write_all(&bytes).and_then(|()| out.flush());
    Ok(())
}

fn value(object: &Delivered, key: &str) -> anyhow::Result<Vec<u8>> {
    let value = object.data.get(key).ok_or_else(|| {
        let instead = instead(key, object.data.keys(), "keys");
        Failure::missing(format!(
            "externalsecret {} has no key {key:?}; {instead}",
            object.name
        ))
    })?;
    Ok(value.expose().to_vec())
}

fn keys(object: &Delivered) -> String {
    let mut table = Table::new(&["KEY", "SIZE"]);
    for (key, value) in object.data.iter() {
        table.row([key.to_owned(), format!("{} B", value.len())]);
    }
    table.print()
}

/// All values as JSON; bytes that are no text cannot be in it.
fn document(object: &Delivered) -> anyhow::Result<String> {
    let mut values: BTreeMap<&str, Value> = BTreeMap::new();
    for (key, value) in object.data.iter() {
        let text = value.expose_utf8().map_err(|_| {
            Failure::usage(format!(
                "key {key:?} holds bytes that are not text; read it alone: lockstep get {} {key}",
                object.name
            ))
        })?;
        values.insert(key, json!(text));
    }
    let text = serde_json::to_string_pretty(&values)?;
    Ok(format!("{text}\n"))
}
