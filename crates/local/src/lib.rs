//! `lockstep local` and `lockstep render`: the operator's own reconcile over a folder of manifests,
//! without a cluster. This file wires the parts together; each part decides in the file of its name.
//! Reads no environment variables: the binary passes them in [`Environment`].

pub mod closest;
pub mod console;
mod credentials;
mod documents;
mod edits;
mod flags;
mod folder;
mod folder_world;
mod hints;
mod json;
mod lines;
mod managed;
mod manifests;
mod name;
mod notes;
mod objects;
mod out;
mod problem;
pub mod render;
mod report;
pub mod resolve;
mod runner;
mod schemas;
mod session;
pub mod source;
pub mod store_file;
mod strict;
pub mod table;
mod template_flags;
mod view;
mod watch;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use lockstep_plan::{Randomness, RefreshNote, Salt, Settings};
use lockstep_provider_api::context::{CallOutcome, CallRecorder, Objects};
use lockstep_provider_api::{SecretValue, Services, Shared, Variables};
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::connect::Proxy;
use lockstep_runtime::transport::{self, HttpTransports};

use credentials::Credentials;
pub use flags::LocalFlags;
use folder::Folder;
use objects::FolderObjects;
pub use out::env as env_file;
use runner::Runner;
use session::Session;
pub use template_flags::TemplateFlags;

/// What the binary reads from its environment for local mode.
pub struct Environment {
    /// Credentials of stores, by variable name.
    pub credentials: BTreeMap<String, SecretValue>,
    /// Proxies for connections to stores.
    pub proxy: Proxy,
    /// Addresses of backends.
    pub variables: Variables,
}

/// Exit code for wrong usage and for a folder that cannot be read; clap uses the same.
const UNUSABLE: u8 = 2;

/// Runs `lockstep local`.
pub fn run(flags: LocalFlags, environment: Environment) -> anyhow::Result<ExitCode> {
    let manifests = match session::read(&flags) {
        Ok(manifests) => manifests,
        Err(text) => {
            console::fail(&format!("error: {text}\n"));
            return Ok(ExitCode::from(UNUSABLE));
        }
    };
    let folder = Arc::new(Folder::default());
    let runner = Runner::new(
        Arc::clone(&folder),
        services(&folder, environment),
        settings(&flags)?,
    );
    let watches = flags.watch;
    let mut session = Session::new(flags, folder, runner, manifests);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let code = runtime.block_on(async {
        if watches {
            watch::run(&mut session).await
        } else {
            Ok(session.once().await)
        }
    });
    // Connections that are still open must not hold the process.
    runtime.shutdown_background();
    code
}

fn services(folder: &Arc<Folder>, mut environment: Environment) -> Arc<Services> {
    let credentials = Credentials::new(std::mem::take(&mut environment.credentials));
    let objects = FolderObjects::new(Arc::clone(folder), credentials);
    services_over(Arc::new(objects), environment)
}

/// What a command connects to stores with whose credentials are these objects.
pub fn services_over(objects: Arc<dyn Objects>, environment: Environment) -> Arc<Services> {
    let settings = transport::Settings {
        proxy: environment.proxy,
        ..transport::Settings::default()
    };
    Arc::new(Services {
        objects,
        transports: Arc::new(HttpTransports::new(settings)),
        time: Arc::new(SystemTime),
        calls: Arc::new(Uncounted),
        ambient: true,
        variables: environment.variables,
        shared: Shared::default(),
    })
}

/// Nobody scrapes a command.
struct Uncounted;

impl CallRecorder for Uncounted {
    fn record(&self, _: &'static str, _: &'static str, _: CallOutcome) {}
}

fn settings(flags: &LocalFlags) -> anyhow::Result<Settings> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).context("random bytes from the system")?;
    Ok(Settings {
        class: flags.controller_class.clone(),
        // All manifests are read before anything runs.
        store_patience: Duration::ZERO,
        // The status costs nothing here, and LAST SYNC is read from it.
        refresh_note: RefreshNote::EveryRefresh,
        random: Randomness::from_fn(|bytes| {
            getrandom::fill(bytes).map_err(|error| error.to_string())
        }),
        salt: Salt::new(random),
        ..Settings::default()
    })
}
