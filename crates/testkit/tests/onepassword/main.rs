//! The test server of 1Password Connect, proved by the vendor's own Python client: it performs every
//! operation that the provider relies on.

use std::process::Command;

use lockstep_testkit::onepassword::{Connect, TOKEN};
use lockstep_testkit::python;

const PACKAGES: [&str; 1] = ["onepasswordconnectsdk==2.1.0"];

#[test]
fn the_vendors_client_can_do_everything_that_we_rely_on() {
    let python = python::ready("onepassword-client", &PACKAGES).unwrap();
    let connect = Connect::start().unwrap();
    let vault = connect.vault("team");
    connect.vault("twice");
    connect.vault("twice");
    connect.item(
        &vault,
        "db",
        "LOGIN",
        &[("username", "bob"), ("password", "pässwörd ✓")],
    );
    connect.item(&vault, "same", "LOGIN", &[]);
    connect.item(&vault, "same", "LOGIN", &[]);
    let document = connect.item(&vault, "doc", "DOCUMENT", &[]);
    connect.file(&document, "a.bin", &[0, 255, 128, 16]);
    connect.file(&document, "b.txt", b"text");

    let output = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/onepassword/client.py"
        ))
        .env("URL", connect.url())
        .env("TOKEN", TOKEN)
        .env("VAULT", vault)
        .env("NO_PROXY", "*")
        .output()
        .unwrap();

    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.lines().last(), Some("all done"), "{said}");
}
