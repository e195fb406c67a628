//! `lockstep plan`: what applying manifests would create, change and delete, each with its cause. This file
//! collects facts and prints; what they mean is decided in the files beside it.

mod apply;
mod cause;
mod flags;
mod input;
mod report;
mod row;
mod text;
mod work;

use std::process::ExitCode;

use anyhow::{Context, Result};
use lockstep_toolbox::cluster::block_on;
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::Screen;
use lockstep_toolbox::redact::Redactor;

use crate::Edges;
use crate::engine::Engine;
use crate::lists;
use crate::objects::Objects;
use crate::present::Present;
use crate::scene::Scene;

pub use flags::PlanFlags;
use report::Report;

/// Runs `lockstep plan`.
pub fn run(flags: &PlanFlags, edges: Edges, screen: Screen) -> Result<ExitCode> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).context("random bytes from the system")?;
    let report = block_on(planned(flags, edges, &Redactor::new(salt)))?;
    console::result(&if flags.output.is_json() {
        format!("{:#}\n", report.json())
    } else {
        text::print(&report, flags.output.paint(screen))
    });
    Ok(report.exit(flags.exit_code).into())
}

async fn planned(flags: &PlanFlags, edges: Edges, redactor: &Redactor) -> Result<Report> {
    let (present, namespace) = present(flags, &edges).await?;
    let given = input::read(&flags.filename, &namespace)?;
    if given.is_empty() && flags.prune.is_none() {
        return Err(Failure::usage(
            "nothing to plan: the input holds no object of External Secrets; pipe what Flux, Argo CD \
             or Helm renders into `lockstep plan -f -`, or name a folder of manifests",
        ));
    }
    let (given, applied) = apply::lay_over(given, &present.objects);
    let engine = Engine::new(Scene::new(given, present), edges, &flags.operator)?;
    let facts = work::collect(&engine, applied, flags).await?;
    Ok(Report::new(facts, redactor))
}

/// What is there, and the namespace of manifests that name none.
async fn present(flags: &PlanFlags, edges: &Edges) -> Result<(Present, String)> {
    if let Some(folder) = &flags.against {
        let namespace = flags.cluster.namespace.clone();
        let namespace = namespace.unwrap_or_else(|| "default".to_owned());
        let objects = input::folder(folder, &namespace)?;
        let present = Present {
            objects,
            client: None,
        };
        return Ok((present, namespace));
    }
    let cluster = flags.cluster.connect(&edges.proxy).await?;
    let objects: Objects = lists::load(&cluster.client, None).await?;
    let present = Present {
        objects,
        client: Some(cluster.client),
    };
    Ok((present, cluster.namespace))
}

#[cfg(test)]
mod tests;
