//! `lockstep check`: says which objects, providers, generators, flags and Helm values of an
//! installation this build serves, so that a switch can be refused before it is made. Reads manifests
//! only; prints names and counts, never values.

mod flags;
mod helm;
mod inventory;
mod objects;
mod report;
mod served;

use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use lockstep_local::{console, source};

pub use flags::CheckFlags;
use flags::Output;
use inventory::Inventory;

/// Exit code when something is not served.
const NOT_SERVED: u8 = 1;
/// Exit code for input that cannot be read or holds nothing to check; clap uses it for wrong usage.
const UNUSABLE: u8 = 2;

/// A flag of the processes in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFlag {
    /// Name with its dashes.
    pub name: String,
    /// Whether it does anything in this build.
    pub has_effect: bool,
}

/// Runs `lockstep check` against the flags this build knows.
pub fn run(flags: &CheckFlags, known: &[KnownFlag]) -> anyhow::Result<ExitCode> {
    let mut input = source::Input::default();
    for path in &flags.paths {
        if let Err(text) = read(path, &mut input) {
            console::fail(&format!("error: {text}\n"));
            return Ok(ExitCode::from(UNUSABLE));
        }
    }
    let mut inventory = Inventory::new(known);
    for object in &input.objects {
        inventory.add(&object.value);
    }
    if let Some(path) = &flags.values {
        match helm::read(path) {
            Ok(values) => inventory.add_values(&values),
            Err(text) => {
                console::fail(&format!("error: {text}\n"));
                return Ok(ExitCode::from(UNUSABLE));
            }
        }
    }
    let report = report::Report::new(inventory, input.faults);
    if report.is_empty() {
        console::fail(
            "error: nothing to check: the input holds no object of External Secrets; pipe `kubectl \
             get` into it, or name a folder of manifests\n",
        );
        return Ok(ExitCode::from(UNUSABLE));
    }
    console::result(&match flags.output {
        Output::Table => report.table(),
        Output::Json => format!("{:#}\n", report.json()),
    });
    Ok(ExitCode::from(report.exit_code()))
}

/// What these objects use and this build does not serve: a line each, with the reason and who is concerned.
pub fn not_served(objects: &[serde_json::Value]) -> Vec<String> {
    let mut inventory = Inventory::new(&[]);
    for object in objects {
        inventory.add(object);
    }
    report::Report::new(inventory, Vec::new()).not_served()
}

fn read(path: &str, input: &mut source::Input) -> Result<(), String> {
    if path != "-" {
        return input.read(Path::new(path));
    }
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    input.add("standard input", &text);
    Ok(())
}

#[cfg(test)]
mod tests;
