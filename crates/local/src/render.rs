//! `lockstep render`: the Secret one ExternalSecret would become, from manifests and a file that
//! stands in for the remote store. Uses no cluster and no network: `plan` decides everything.

mod answers;
mod caret;
mod complaint;
mod files;
mod flags;
mod input;
mod locate;
mod outcome;
mod remote;
mod show;
mod spot;

use std::process::ExitCode;

use anyhow::Context;
use lockstep_plan::{Delimiters, Randomness, Salt, Settings};

use crate::console;
use files::Files;
pub use flags::RenderFlags;

/// Exit code for wrong usage and for files that cannot be read; clap uses the same.
const UNUSABLE: u8 = 2;

/// Runs `lockstep render`.
pub fn run(flags: &RenderFlags) -> anyhow::Result<ExitCode> {
    let files = match Files::read(flags) {
        Ok(files) => files,
        Err(text) => {
            console::fail(&format!("error: {text}\n"));
            return Ok(ExitCode::from(UNUSABLE));
        }
    };
    let settings = settings(flags)?;
    let made = outcome::of(flags, &files, &settings)
        .and_then(|outcome| Ok((show::text(flags, &outcome)?, outcome.notes)));
    let (text, notes) = match made {
        Ok(made) => made,
        Err(complaints) => {
            let texts: Vec<String> = complaints.iter().map(ToString::to_string).collect();
            console::fail(&texts.join("\n"));
            return Ok(ExitCode::FAILURE);
        }
    };
    console::result(&text);
    for note in notes {
        console::fail(&format!("note: {note}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(flags: &RenderFlags) -> anyhow::Result<Settings> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).context("random bytes from the system")?;
    Ok(Settings {
        generic_targets: true,
        delimiters: Delimiters {
            left: flags.template_left_delimiter.clone(),
            right: flags.template_right_delimiter.clone(),
        },
        template_limits: flags.template.limits(),
        random: Randomness::from_fn(|bytes| {
            getrandom::fill(bytes).map_err(|error| error.to_string())
        }),
        salt: Salt::new(random),
        ..Settings::default()
    })
}
