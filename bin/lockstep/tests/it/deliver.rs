//! `lockstep get` and `lockstep run` over a folder: what reaches the reader or the process, and that nothing
//! stays behind.

use std::path::Path;

use crate::folder::{Folder, OBJECT, Ran, STORE, ended};

fn run(folder: &Folder, flags: &[&str], script: &str) -> Ran {
    let mut arguments = vec!["run", "--from", "manifests"];
    arguments.extend(flags);
    arguments.extend(["--", "sh", "-c", script]);
    ended(&mut folder.lockstep(&arguments))
}

#[test]
fn the_process_gets_values_as_variables_and_its_exit_code_is_passed_on() {
    let ran = run(&Folder::sound(), &[], "echo \"$user\"; exit 7");

    assert_eq!((ran.code, &*ran.out), (7, "canary-bob\n"), "{}", ran.err);
    assert_eq!(ran.err, "");
}

#[test]
fn one_variable_is_set_from_one_key() {
    let ran = run(
        &Folder::sound(),
        &["--env", "WHO=database/user"],
        "echo \"$WHO/$user\"",
    );

    assert_eq!(ran.out, "canary-bob/\n", "{}", ran.err);
}

#[test]
fn credentials_of_stores_are_not_passed_on() {
    let folder = Folder::sound();
    let mut command = folder.lockstep(&["run", "-f", "manifests", "--", "env"]);

    let ran = ended(command.env("LOCKSTEP_SECRET_DEFAULT_KEYS_TOKEN", "canary-token"));

    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("user=canary-bob"));
    assert!(!ran.out.contains("canary-token"));
}

#[test]
fn files_are_in_memory_and_end_with_the_process() {
    let ran = run(
        &Folder::sound(),
        &["--files"],
        "cat $LOCKSTEP_FILES/database/user; echo \" in $LOCKSTEP_FILES user=$user\"",
    );

    let (value, rest) = ran.out.trim().split_once(" in ").unwrap();
    let (path, variable) = rest.split_once(' ').unwrap();
    assert_eq!((value, variable), ("canary-bob", "user="), "{}", ran.err);
    assert!(path.starts_with("/dev/shm/lockstep-"), "{path}");
    assert!(!Path::new(path).exists());
}

#[test]
fn a_folder_on_a_disk_is_refused_for_files() {
    let ran = run(
        &Folder::sound(),
        &["--files", "--files-in", "/proc"],
        "true",
    );

    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("--files-in"), "{}", ran.err);
}

#[test]
fn signals_reach_the_process() {
    let folder = Folder::sound();
    let script = "trap 'exit 9' TERM; echo ready; while :; do read -r line || :; done";
    let mut command = folder.lockstep(&["run", "-f", "manifests", "--files", "--", "sh", "-c"]);
    let mut running = folder.follow(command.arg(script).stdin(std::process::Stdio::null()));
    running.until("ready");

    assert_eq!(running.stop_with("-TERM"), 9);
}

#[test]
fn a_changed_value_restarts_the_process() {
    let folder = Folder::sound();
    let script = "echo got \"$user\"; exec cat";
    let watched = [
        "run",
        "-f",
        "manifests",
        "--watch",
        "--",
        "sh",
        "-c",
        script,
    ];
    let mut command = folder.lockstep(&watched);
    let mut running = folder.follow(command.stdin(std::process::Stdio::piped()));
    running.until("got canary-bob");

    folder.write(
        "manifests/store.yaml",
        &STORE.replace("canary-bob", "canary-eve"),
    );

    running.until("got canary-eve");
}

#[test]
fn a_process_does_not_start_with_half_of_its_values() {
    let folder = Folder::sound();
    folder.write(
        "manifests/broken.yaml",
        &OBJECT
            .replace("name: database", "name: broken")
            .replace("key: user", "key: nobody"),
    );

    let ran = run(&folder, &[], "echo started");
    assert_eq!((ran.code, &*ran.out), (3, ""));
    assert!(ran.err.contains("default/broken"), "{}", ran.err);
    let ran = run(&folder, &["database"], "echo started");
    assert_eq!((ran.code, &*ran.out), (0, "started\n"));
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let folder = Folder::sound();

    let ran = ended(&mut folder.lockstep(&["run", "-f", "manifests", "--", "no-such-command"]));

    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("no-such-command"), "{}", ran.err);
    assert!(!ran.err.contains("canary"));
}

#[test]
fn get_prints_keys_and_sizes_or_one_value() {
    let folder = Folder::sound();
    let get = |arguments: &[&str]| {
        let mut all = vec!["get", "database"];
        all.extend(arguments);
        all.extend(["--from", "manifests"]);
        ended(&mut folder.lockstep(&all))
    };

    assert_eq!(get(&[]).out, "KEY    SIZE\nuser   10 B\n");
    assert_eq!(get(&["user"]).out, "canary-bob");
    assert_eq!(get(&["--output", "env"]).out, "user=canary-bob\n");
    assert_eq!(
        get(&["--output", "json"]).out,
        "{\n  \"user\": \"canary-bob\"\n}\n"
    );
    let missing = get(&["usr"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing.err.contains("did you mean user?"),
        "{}",
        missing.err
    );
}
