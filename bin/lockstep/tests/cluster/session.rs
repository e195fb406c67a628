//! A command of the binary under test on a terminal of its own, with keys that a test presses. `script` of
//! util-linux makes the terminal.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Ctrl-C, as a keyboard sends it.
pub(crate) const CTRL_C: &str = "\u{3}";
/// Ctrl-D at the start of a line: the end of the input.
pub(crate) const CTRL_D: &str = "\u{4}";

/// A running command.
pub(crate) struct Session {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    /// Everything that was drawn so far, and how much of it was waited for.
    seen: Vec<u8>,
    read: usize,
}

impl Session {
    /// Starts the binary with these words in a folder.
    pub(crate) fn start(words: &[&str], folder: &Path, environment: &[(String, String)]) -> Self {
        let words = words.iter().map(|word| format!("'{word}'"));
        let words = words.collect::<Vec<_>>().join(" ");
        let program = env!("CARGO_BIN_EXE_lockstep");
        let line = format!("stty rows 30 cols 140 && exec {program} {words}");
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--flush", "--command", &line])
            .arg("/dev/null")
            .current_dir(folder)
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            keys: child.stdin.take().unwrap(),
            screen: child.stdout.take().unwrap(),
            child,
            seen: Vec::new(),
            read: 0,
        }
    }

    /// Reads what is drawn until a word comes behind the one that was last waited for.
    pub(crate) fn read_until(&mut self, word: &str) {
        let mut some = [0; 4096];
        loop {
            let drawn = &self.seen[self.read..];
            let found = drawn
                .windows(word.len())
                .position(|part| part == word.as_bytes());
            if let Some(at) = found {
                self.read += at + word.len();
                return;
            }
            let read = self.screen.read(&mut some).unwrap();
            let drawn = String::from_utf8_lossy(drawn);
            assert_ne!(read, 0, "the screen ended before {word:?}: {drawn}");
            self.seen.extend_from_slice(&some[..read]);
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end of the command; its exit code and all that was drawn.
    pub(crate) fn end(mut self) -> (i32, String) {
        self.screen.read_to_end(&mut self.seen).unwrap();
        let status = self.child.wait().unwrap();
        let drawn = String::from_utf8_lossy(&self.seen).into_owned();
        (status.code().unwrap_or(-1), drawn)
    }
}
