//! `lockstep plan`: what applying manifests would create, change and delete, each with its cause. This file
//! collects facts and prints; what they mean is decided in the files beside it.

mod apply;
mod cause;
mod flags;
mod held;
mod input;
mod namespaces;
mod report;
mod row;
mod text;
mod work;

use std::process::ExitCode;

use anyhow::{Context, Result};
use kube::Client;
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
    input::must_exist(&flags.filename)?;
    let (cluster, namespace) = place(flags, &edges).await?;
    // Before the first request, so that a fault shows without a cluster too.
    let mut given = input::read(&flags.filename, &namespace)?;
    if given.is_empty() && flags.prune.is_none() {
        return Err(Failure::usage(
            "nothing to plan: the input holds no object of External Secrets; pipe what Flux, Argo CD \
             or Helm renders into `lockstep plan -f -`, or name a folder of manifests",
        ));
    }
    let present = present(flags, cluster, &namespace).await?;
    let homeless = namespaces::take_homeless(&mut given, &present);
    let (given, applied) = apply::lay_over(given, &present.objects);
    let engine = Engine::new(Scene::new(given, present), edges, &flags.operator)?;
    let mut facts = work::collect(&engine, applied, flags).await?;
    facts.refused.extend(homeless);
    Ok(Report::new(facts, redactor))
}

/// The cluster, unless a folder stands for it, and the namespace of manifests that name none.
async fn place(flags: &PlanFlags, edges: &Edges) -> Result<(Option<Client>, String)> {
    if flags.against.is_some() {
        let namespace = flags.cluster.namespace.clone();
        return Ok((None, namespace.unwrap_or_else(|| "default".to_owned())));
    }
    let cluster = flags.cluster.connect(&edges.proxy).await;
    let cluster =
        cluster.context("plan compares with a cluster, or with a folder that --against names")?;
    Ok((Some(cluster.client), cluster.namespace))
}

/// What is there.
async fn present(flags: &PlanFlags, client: Option<Client>, namespace: &str) -> Result<Present> {
    let objects = match (&client, &flags.against) {
        (Some(client), _) => lists::load(client, None).await?,
        (None, Some(folder)) => input::folder(folder, namespace)?,
        (None, None) => Objects::default(),
    };
    Ok(Present { objects, client })
}

#[cfg(test)]
mod tests;
