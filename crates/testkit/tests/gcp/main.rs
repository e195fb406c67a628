//! The test server of Google, proved by the vendor's own Python client: every operation that the
//! provider relies on is performed by it, with every way to get a token.

use std::process::Command;

use lockstep_testkit::gcp::{Google, Keys, Settings};
use lockstep_testkit::python;

const PACKAGES: [&str; 2] = ["google-cloud-secret-manager==2.31.0", "grpcio==1.85.1"];

#[test]
fn the_vendors_client_can_do_everything_that_we_rely_on() {
    let python = python::ready("google-client", &PACKAGES).unwrap();
    let settings = Settings {
        page: 3,
        ..Settings::default()
    };
    let google = Google::start_with(settings, 0).unwrap();
    let key = google.key("robot@p.iam.gserviceaccount.com");
    // The account's own key signs the token that is exchanged; the server believes it for that too.
    google.trust(Keys::of_test_account());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.json");
    std::fs::write(&file, key).unwrap();

    let output = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gcp/client.py"))
        .env("URL", google.url())
        .env("KEY", &file)
        .env("GCE_METADATA_HOST", google.url().replace("http://", ""))
        .env("NO_PROXY", "*")
        .output()
        .unwrap();

    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.lines().last(), Some("all done"), "{said}");
}
