//! The cluster of the pictures: a real API server, the operator, and a few objects of which two are
//! broken. Commands run against it as a user runs them.

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{PATIENCE, poll};

use super::terminal::{self, Line};

const CLUSTER: &str = include_str!("cluster.yaml");
const CHANGE: &str = "xtask/src/picture/change.yaml";
const OBJECTS: [&str; 4] = ["database", "queue", "reports", "search"];

const COLUMNS: u16 = 132;
const ROWS: u16 = 11;
/// A screen that was drawn completely stays quiet this long.
const QUIET: Duration = Duration::from_secs(1);

pub(super) struct Demo {
    plane: ControlPlane,
    program: PathBuf,
    _operator: Operator,
}

impl Demo {
    /// Starts it and waits until every object has a report.
    pub(super) fn start(program: &Path) -> Result<Self> {
        let plane = ControlPlane::start(None)?;
        plane.install_crds()?;
        plane.apply(CLUSTER)?;
        let log = plane.dir().join("operator.log");
        let operator = Operator::start(program, &plane.operator_kubeconfig(), &[], &log)?;
        let api = plane.admin()?;
        for name in OBJECTS {
            reported(&api, name)?;
        }
        Ok(Self {
            plane,
            program: program.to_owned(),
            _operator: operator,
        })
    }

    pub(super) fn explain(&self) -> Result<Vec<Line>> {
        let mut lines = self.printed("lockstep explain es reports -n team-a")?;
        lines.push(Line::default());
        lines.extend(self.printed("lockstep explain es search -n team-a")?);
        Ok(lines)
    }

    pub(super) fn plan(&self) -> Result<Vec<Line>> {
        let mut lines = self.printed(&format!("lockstep plan -f {CHANGE}"))?;
        if let Some(first) = lines.first_mut() {
            *first = terminal::typed("lockstep plan -f change.yaml");
        }
        Ok(lines)
    }

    /// A command and what it prints in colour.
    fn printed(&self, line: &str) -> Result<Vec<Line>> {
        let words = line.split(' ').skip(1);
        let output = Command::new(&self.program)
            .args(words)
            .args(["--color", "always"])
            .env("KUBECONFIG", self.plane.admin_kubeconfig())
            .current_dir(lockstep_testkit::place::workspace())
            .output()
            .with_context(|| format!("run {line}"))?;
        // A finding ends a command with 1, and that is what is to be seen.
        if !matches!(output.status.code(), Some(0 | 1)) || output.stdout.is_empty() {
            bail!("{line}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8(output.stdout)?.replace('\n', "\r\n");
        let mut lines = vec![terminal::typed(line)];
        lines.extend(terminal::shown(text.as_bytes(), 80, COLUMNS));
        Ok(lines)
    }

    /// The screen of `lockstep top`.
    pub(super) fn top(&self) -> Result<Vec<Line>> {
        let program = self.program.display();
        let line = format!("stty rows {ROWS} cols {COLUMNS} && exec {program} top -A");
        let mut child = Command::new("script")
            .args(["--quiet", "--flush", "--command", &line, "/dev/null"])
            .env("KUBECONFIG", self.plane.admin_kubeconfig())
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("run script(1), which gives the program a terminal")?;
        let mut keys = child.stdin.take().context("keys")?;
        let mut screen = child.stdout.take().context("a screen")?;
        let (sender, parts) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut some = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut some) {
                if sender.send(some[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut output = parts.recv_timeout(PATIENCE).context("nothing was drawn")?;
        while let Ok(part) = parts.recv_timeout(QUIET) {
            output.extend(part);
        }
        keys.write_all(b"q")?;
        child.wait()?;
        drop(parts);
        reader
            .join()
            .map_err(|_| anyhow!("the reader of the screen failed"))?;
        let mut lines = vec![terminal::typed("lockstep top -A")];
        lines.extend(terminal::shown(&output, ROWS, COLUMNS));
        Ok(lines)
    }
}

fn reported(api: &Api, name: &str) -> Result<()> {
    let path = format!("/apis/external-secrets.io/v1/namespaces/team-a/externalsecrets/{name}");
    let seen = poll::until(PATIENCE, || match api.get(&path) {
        Ok(object) if object["status"]["conditions"][0]["status"].is_string() => {
            ControlFlow::Break(())
        }
        Ok(object) => ControlFlow::Continue(object.to_string()),
        Err(error) => ControlFlow::Continue(format!("{error:#}")),
    });
    seen.map_err(|last| anyhow!("{name} got no report: {last}"))
}
