//! Recorded cases of providers that have their host names built in: control plane, runner and
//! operator run in a network and mount namespace of their own, where those names lead to loopback,
//! 169.254.169.254 is an address of `lo`, and nothing else can be reached. Linux only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use lockstep_testkit::azure::Directory;
use lockstep_testkit::controlplane::{Assets, ControlPlane};
use serde_json::json;

use super::{Run, follow, hosts, python};
use crate::shell;
use crate::test::tally::Tally;

/// Areas of the clouds, whose backends bring a DNS server of their own.
const CLOUDS: &[&str] = &["azure-keyvault", "gcp-secretmanager"];

/// Set where the names are redirected; the backends refuse to run without it.
const MARK: &str = "REDIRECTED";

/// Gives the namespace its addresses and names, and hands over.
const ENTER: &str = r#"set -e
ip link set lo up
ip address add 169.254.169.254/32 dev lo
echo "nameserver 127.0.0.53" > "$1/resolv.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/hosts" /etc/hosts
shift
exec "$@""#;

/// Variables that would lead elsewhere, or give an identity that no case expects.
const FOREIGN: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "AZURE_CLIENT_ID",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "IDENTITY_ENDPOINT",
    "IDENTITY_HEADER",
    "MSI_ENDPOINT",
    "MSI_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GCE_METADATA_HOST",
];

/// Whether an area needs names that lead elsewhere.
pub(super) fn is_redirected(area: &str) -> bool {
    is_cloud(area) || hosts::are_named_in(area)
}

/// Whether an area's backend speaks for a cloud.
pub(super) fn is_cloud(area: &str) -> bool {
    CLOUDS.contains(&area)
}

/// Whether this process runs where names lead elsewhere.
pub(super) fn is_inside() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs areas in namespaces of their own: the clouds in one, the others in another, because both
/// bring an authority that the operator must trust.
pub(super) fn run(operator: &Path, areas: &[String], filter: Option<&str>) -> Result<Tally> {
    let (clouds, scripted): (Vec<_>, Vec<_>) = areas.iter().partition(|area| is_cloud(area));
    let mut tally = Tally::default();
    if !clouds.is_empty() {
        // Nothing can be fetched inside.
        python::with_clouds()?;
        tally += apart(operator, &clouds, filter, hosts::LOCAL)?;
    }
    if !scripted.is_empty() {
        python::ready()?;
        tally += apart(operator, &scripted, filter, &hosts::file()?)?;
    }
    Ok(tally)
}

fn apart(operator: &Path, areas: &[&String], filter: Option<&str>, names: &str) -> Result<Tally> {
    Assets::ready()?;
    let folder = shell::target_dir().join("redirected");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("hosts"), names)?;
    let mut command = Command::new("unshare");
    command
        .args([
            "--net",
            "--mount",
            "--map-root-user",
            "sh",
            "-c",
            ENTER,
            "enter",
        ])
        .arg(&folder)
        .arg(own_program())
        .arg("cases")
        .arg("--operator")
        .arg(operator)
        .args(areas.iter().flat_map(|area| ["--area", area]))
        .args(filter.iter().flat_map(|filter| ["--filter", filter]))
        .env(MARK, "1")
        .env(hosts::ADDRESS_VARIABLE, hosts::ADDRESS);
    for name in FOREIGN {
        command.env_remove(name);
    }
    follow(&mut command)
}

/// Runs areas here, where names lead elsewhere already.
pub(super) fn inside(operator: &Path, areas: Vec<String>, filter: Option<&str>) -> Result<Tally> {
    let plane = ControlPlane::start(None)?;
    let python = if areas.iter().any(|area| is_cloud(area)) {
        python::with_clouds()?
    } else {
        python::ready()?
    };
    let run = Run {
        python: &python,
        operator,
        cluster: &plane,
        filter,
        areas,
    };
    run.go()
}

/// Tells the backends which servers stand behind them: ours, unless the environment names another.
pub(super) fn servers(command: &mut Command) -> Result<()> {
    let own = own_program();
    if std::env::var_os("GCP_SM_SERVER").is_none() {
        command
            .env("GCP_SM_SERVER", format!("{} serve google", own.display()))
            .env("GCP_SM_REST", "1");
    }
    if std::env::var_os("AZURE_KV_SERVER").is_none() {
        let azure = format!("{} serve azure", own.display());
        command
            .env("ENTRA_SERVER", &azure)
            .env("AZURE_KV_SERVER", &azure)
            .env("ENTRA_IDENTITY", identity()?);
    }
    Ok(())
}

/// This program. A build that the tests made may have replaced the file since it started, so the
/// system's answer may name a file that is gone.
fn own_program() -> PathBuf {
    shell::target_dir().join("debug/xtask")
}

/// Writes the applications of the test directory where the backend of Azure reads them.
fn identity() -> Result<PathBuf> {
    let directory = Directory::of_tests();
    let known = json!({
        "tenant": directory.tenant,
        "clientId": directory.client,
        "clientSecret": directory.secret,
        "certificate": directory.certificate,
        "otherClientId": directory.other,
    });
    let path = shell::target_dir().join("redirected/identity.json");
    std::fs::write(&path, known.to_string()).context("cannot write the test identity")?;
    Ok(path)
}
