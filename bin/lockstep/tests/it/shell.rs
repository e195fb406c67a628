//! Completions, man pages, and the name of a kubectl plugin.

use std::os::unix::fs::symlink;
use std::process::Command;

fn printed(words: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(words)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{words:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn every_shell_gets_completions_of_commands_and_flags() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);

        assert!(script.contains("render"), "{shell}");
        assert!(script.contains("controller-class"), "{shell}");
    }
}

#[test]
fn every_command_gets_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");

    printed(&["man", pages.to_str().unwrap()]);

    let page = std::fs::read_to_string(pages.join("lockstep-check.1")).unwrap();
    assert!(page.contains(".TH"), "{page}");
    assert!(page.contains("Exit codes"), "{page}");
    assert!(pages.join("lockstep.1").exists());
}

#[test]
fn a_plugin_of_kubectl_works_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("kubectl-lockstep");
    symlink(env!("CARGO_BIN_EXE_lockstep"), &plugin).unwrap();

    let alone = Command::new(&plugin).output().unwrap();
    let check = Command::new(&plugin).args(["check", "--help"]).output();
    let check = String::from_utf8(check.unwrap().stdout).unwrap();

    assert_eq!(alone.status.code(), Some(2));
    assert!(check.contains("Usage: kubectl lockstep check"), "{check}");
}
