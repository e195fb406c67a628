//! Reads manifests, and refuses what an API server would refuse before anything is planned.

use std::io::Read;
use std::path::Path;

use anyhow::Result;
use lockstep_local::source::Input;
use lockstep_toolbox::exit::Failure;

use crate::objects::Objects;

/// Refuses a misspelt place before a cluster is asked for anything.
pub(super) fn must_exist(places: &[String]) -> Result<()> {
    let missing = places
        .iter()
        .find(|place| *place != "-" && !Path::new(place).exists());
    match missing {
        Some(place) => Err(Failure::usage(format!(
            "{place} does not exist; name a folder or file of manifests, or - for standard input"
        ))),
        None => Ok(()),
    }
}

/// The manifests of these places; `-` is standard input.
pub(super) fn read(places: &[String], namespace: &str) -> Result<Objects> {
    let mut input = Input::strict(namespace);
    for place in places {
        let read = if place == "-" {
            standard_input(&mut input)
        } else {
            input.read(Path::new(place))
        };
        read.map_err(Failure::usage)?;
    }
    objects(input)
}

/// The objects of a folder that stands for a cluster.
pub(super) fn folder(folder: &Path, namespace: &str) -> Result<Objects> {
    if !folder.is_dir() {
        let text = format!("{} is not a folder; name one", folder.display());
        return Err(Failure::usage(text));
    }
    let mut input = Input::strict(namespace);
    input.read(folder).map_err(Failure::usage)?;
    objects(input)
}

/// The objects of an input without faults.
pub(super) fn objects(input: Input) -> Result<Objects> {
    let mut faults = input.faults;
    let mut objects = Objects::default();
    for object in input.objects {
        if let Err(text) = objects.add(object.value) {
            faults.push(format!("{}: {text}", object.place));
        }
    }
    if faults.is_empty() {
        return Ok(objects);
    }
    let (count, plural) = (faults.len(), if faults.len() == 1 { "" } else { "s" });
    let text = format!(
        "{count} fault{plural} in the manifests; nothing was planned:\n{}",
        faults.join("\n")
    );
    Err(Failure::usage(text))
}

fn standard_input(input: &mut Input) -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    input.add("standard input", &text);
    Ok(())
}
