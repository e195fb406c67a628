//! `lockstep top`: a terminal view of stores and objects: what fails, is stale or throttled, costs most and is
//! due next. Objects become `facts` while they are decoded; rows are made in `model`, keys are understood in
//! `view`, both pure; `draw` draws, `session` owns the terminal, `watches` brings news and `cluster` sends
//! requests. Writes one annotation, and only when asked to.

mod cluster;
mod draw;
mod facts;
mod flags;
mod model;
mod reduced;
mod seen;
mod session;
mod table;
mod view;
mod watches;

use std::process::ExitCode;

use jiff::Timestamp;
use lockstep_runtime::connect::Proxy;
use lockstep_toolbox::cluster::block_on;
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::output::Screen;

pub use flags::TopFlags;
use model::Model;

/// Runs `lockstep top`.
pub fn run(flags: &TopFlags, proxy: &Proxy, screen: Screen) -> anyhow::Result<ExitCode> {
    let paint = flags.output.paint(screen);
    let watches = screen.is_terminal && !flags.once && !flags.output.is_json();
    block_on(async {
        let connected = flags.cluster.connect(proxy).await?;
        let cluster = cluster::Source::new(connected, flags.all_namespaces);
        let seen = cluster.load().await?;
        if watches {
            cluster.check_watch().await?;
            session::run(cluster, seen, paint).await?;
            return Ok(Exit::Fine.into());
        }
        let model = Model::of(&seen, Timestamp::now());
        let exit = if model.is_healthy() {
            Exit::Fine
        } else {
            Exit::Findings
        };
        if flags.output.is_json() {
            console::result(&format!("{:#}\n", model.json()));
        } else {
            console::result(&table::text(&model, paint, Timestamp::now()));
        }
        Ok(exit.into())
    })
}
