//! `cargo xtask serve NAME`: a test server of the workspace as a program, for the recorded cases and
//! for trying things by hand. It runs until it is stopped.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use lockstep_testkit::azure::{Azure, Directory};
use lockstep_testkit::gcp::{Google, Settings};
use lockstep_testkit::progress::say;

/// Runs one of the test servers until it is stopped
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which one
    #[arg(value_name = "azure|google")]
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
    /// Entra ID, the metadata services of machines and Key Vault
    Azure,
    /// Google Secret Manager and the endpoints of its identities
    Google,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match args.server {
        Server::Azure => {
            let server = Azure::start_at(address(args.http_port)?, Directory::of_tests())?;
            say(&format!("Azure at {}", server.plain_url()));
            wait()
        }
        Server::Google => {
            let settings = Settings {
                strict: false,
                numbers: false,
                ..Settings::default()
            };
            let google = Google::start_with(settings, args.http_port)?;
            say(&format!("Google at {}", google.url()));
            wait()
        }
    }
}

fn wait() -> ! {
    loop {
        std::thread::park();
    }
}

/// What the driver of the recorded cases sets, `KV_ADDR` or `PORT`, or a port on loopback.
fn address(port: u16) -> Result<SocketAddr> {
    let set = |name: &str| std::env::var(name).ok();
    let text = set("KV_ADDR").or_else(|| set("PORT").map(|port| format!("127.0.0.1:{port}")));
    let text = text.unwrap_or_else(|| format!("127.0.0.1:{port}"));
    text.parse()
        .with_context(|| format!("{text} is not an address"))
}
