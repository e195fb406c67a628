//! A command of the binary under test that talks to a cluster, and what it left.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.out);
        parsed
            .map_err(|_| format!("{}\n{}", self.out, self.err))
            .unwrap()
    }

    /// Fails if a value is anywhere in the output, plain or in base64.
    pub(crate) fn shows_no(&self, canary: &str) {
        use base64::Engine;
        let encoded = base64::engine::general_purpose::STANDARD.encode(canary);
        for output in [&self.out, &self.err] {
            assert!(!output.contains(canary), "{output}");
            assert!(!output.contains(&encoded), "{output}");
        }
    }
}

/// Runs a command on a cluster with this input.
pub(crate) fn run(kubeconfig: &Path, words: &[&str], input: &str) -> Ran {
    run_in(kubeconfig, words, input, &[])
}

/// Runs a command on a cluster with this input and more variables.
pub(crate) fn run_in(
    kubeconfig: &Path,
    words: &[&str],
    input: &str,
    environment: &[(String, String)],
) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(words).arg("--kubeconfig").arg(kubeconfig);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
