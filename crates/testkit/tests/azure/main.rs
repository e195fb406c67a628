//! The test servers of Azure, proved by the vendor's own Python clients: every operation that the
//! provider relies on is performed by them, over TLS and with every way to sign in.

use std::process::Command;

use lockstep_testkit::azure::{Azure, CERTIFICATE, CLIENT, HEADER, SECRET, STRANGER, TENANT};
use lockstep_testkit::python;

const PACKAGES: [&str; 4] = [
    "azure-identity==1.27.0",
    "azure-keyvault-secrets==4.12.0",
    "azure-keyvault-keys==4.11.0",
    "azure-keyvault-certificates==4.12.0",
];

#[test]
fn the_vendors_clients_can_do_everything_that_we_rely_on() {
    let python = python::ready("azure-clients", &PACKAGES).unwrap();
    let azure = Azure::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (own, stranger) = (
        folder.path().join("own.pem"),
        folder.path().join("other.pem"),
    );
    std::fs::write(&own, CERTIFICATE).unwrap();
    std::fs::write(&stranger, STRANGER).unwrap();

    let output = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/azure/clients.py"
        ))
        .env("VAULT", azure.url())
        .env("METADATA", azure.plain_url())
        .env("REQUESTS_CA_BUNDLE", azure.ca())
        .env("TENANT", TENANT)
        .env("CLIENT", CLIENT)
        .env("SECRET", SECRET)
        .env("HEADER", HEADER)
        .env("OWN", &own)
        .env("STRANGER", &stranger)
        .env("NO_PROXY", "*")
        .output()
        .unwrap();

    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.lines().last(), Some("all done"), "{said}");
}
