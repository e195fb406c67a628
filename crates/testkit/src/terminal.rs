//! A terminal as people have it: a shell in the project's folder with kubectl, helm and the operator
//! on its path and a kubeconfig. Runs lines as documents and runbooks write them, pipes included.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::place;
use crate::program::Program;

/// A shell for one cluster, with a home of its own.
pub struct Terminal {
    home: tempfile::TempDir,
    kubeconfig: PathBuf,
}

impl Terminal {
    /// A terminal for the cluster of a kubeconfig; `operator` is what `lockstep` runs.
    pub fn on(kubeconfig: &Path, operator: &Path) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let programs = home.path().join("bin");
        std::fs::create_dir(&programs)?;
        for program in [Program::Kubectl, Program::Helm] {
            symlink(program.ready()?, programs.join(program.name()))?;
        }
        symlink(operator, programs.join("lockstep"))?;
        Ok(Self {
            home,
            kubeconfig: kubeconfig.to_owned(),
        })
    }

    /// What a line prints; an error with everything it printed when it fails.
    pub fn run(&self, line: &str) -> Result<String> {
        // The shell puts our programs before those of the machine.
        let script = format!("PATH=\"$PROGRAMS:$PATH\"\n{line}");
        let output = Command::new("bash")
            .args(["-o", "pipefail", "-c", &script])
            .current_dir(place::workspace())
            .env("PROGRAMS", self.home.path().join("bin"))
            .env("HOME", self.home.path())
            .env("KUBECONFIG", &self.kubeconfig)
            .output()
            .context("cannot start bash")?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        if !output.status.success() {
            bail!("`{line}` ended with {}:\n{printed}{said}", output.status);
        }
        Ok(printed)
    }
}
