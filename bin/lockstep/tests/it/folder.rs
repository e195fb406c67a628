//! A folder of manifests and runs of `lockstep local` over it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use lockstep_testkit::PATIENCE;
use tempfile::TempDir;

pub(crate) const STORE: &str = "\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata:
  name: demo
spec:
  provider:
    fake:
      data:
        - key: user
          value: canary-bob
        - key: config
          value: '{\"host\": \"canary-host\", \"api.key\": \"canary-key\"}'
";

pub(crate) const OBJECT: &str = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: database
spec:
  refreshInterval: 15m
  secretStoreRef:
    name: demo
  data:
    - secretKey: user
      remoteRef:
        key: user
";

/// A temporary folder.
pub(crate) struct Folder(TempDir);

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        for (file, text) in files {
            folder.write(file, text);
        }
        folder
    }

    /// A folder with a store and an ExternalSecret that works.
    pub(crate) fn sound() -> Self {
        Self::with(&[
            ("manifests/store.yaml", STORE),
            ("manifests/database.yaml", OBJECT),
        ])
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The text of a file, if it is there.
    pub(crate) fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }

    /// Waits for a file.
    pub(crate) fn until_there(&self, file: &str) {
        let began = std::time::Instant::now();
        while !self.path(file).exists() {
            assert!(began.elapsed() < PATIENCE, "{file} did not appear");
            std::thread::yield_now();
        }
    }

    /// A command of the program, run in the folder.
    pub(crate) fn lockstep(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.lockstep(&["local", "manifests"]);
        command.args(arguments);
        command
    }

    /// Runs over `manifests` to the end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs with variables.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        ended(command.envs(variables.iter().copied()))
    }

    /// Starts watching `manifests`.
    pub(crate) fn watch(&self, arguments: &[&str]) -> Watching {
        let mut command = self.command(arguments);
        self.follow(command.arg("--watch"))
    }

    /// Starts a command that goes on.
    pub(crate) fn follow(&self, command: &mut Command) -> Watching {
        let errors = self.path("errors.log");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Watching {
            child,
            lines,
            errors,
            seen: Vec::new(),
        }
    }
}

/// Runs a command to its end.
pub(crate) fn ended(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A run that goes on.
pub(crate) struct Watching {
    child: Child,
    lines: Receiver<String>,
    errors: PathBuf,
    seen: Vec<String>,
}

impl Watching {
    /// Waits for a line that holds `text`.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let Ok(line) = line else {
                let errors = std::fs::read_to_string(&self.errors).unwrap_or_default();
                panic!(
                    "no line with {text:?}; seen: {:#?}; errors: {errors}",
                    self.seen
                )
            };
            self.seen.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Everything printed so far.
    pub(crate) fn seen(&self) -> String {
        self.seen.join("\n")
    }

    /// Ends the run as Ctrl-C does, and says with which code.
    pub(crate) fn stop(self) -> i32 {
        self.stop_with("-INT")
    }

    /// Sends a signal and says with which code the run ended.
    pub(crate) fn stop_with(mut self, signal: &str) -> i32 {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Permission bits of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Fails if a value of the fake store was printed.
pub(crate) fn assert_no_values(text: &str) {
    assert!(!text.contains("canary"), "a value was printed: {text}");
}
