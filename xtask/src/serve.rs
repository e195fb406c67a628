//! `cargo xtask serve NAME`: a test server of the workspace as a program, for the recorded cases and
//! for trying things by hand. It runs until it is stopped.

use anyhow::Result;
use lockstep_testkit::gcp::{Google, Settings};
use lockstep_testkit::progress::say;

/// Runs one of the test servers until it is stopped
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which one
    #[arg(value_name = "google")]
    server: Server,
    /// Port of its REST API [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    http_port: u16,
    /// Port of a gRPC API; there is none, and the port stays free
    #[arg(long, default_value_t = 0, hide = true)]
    grpc_port: u16,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Server {
    /// Google Secret Manager and the endpoints of its identities
    Google,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let Server::Google = args.server;
    let settings = Settings {
        strict: false,
        numbers: false,
        ..Settings::default()
    };
    let google = Google::start_with(settings, args.http_port)?;
    say(&format!("Google at {}", google.url()));
    loop {
        std::thread::park();
    }
}
