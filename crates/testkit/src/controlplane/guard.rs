//! A process group that cannot outlive us. A small shell leads the group and reads from a pipe that
//! only this process holds; when the pipe closes, be it by drop, Ctrl-C or SIGKILL, the shell ends
//! the whole group.

use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, anyhow};

use crate::{PATIENCE, poll};

const LEADER: &str = r#"read -r _; [ -z "$1" ] || rm -rf -- "$1"; kill -KILL 0"#;

/// The group and its leader.
pub(crate) struct Guard {
    leader: Child,
    pipe: Option<ChildStdin>,
    members: Vec<(&'static str, Child)>,
}

impl Guard {
    /// Starts the leader; `remove` is a folder that goes with the group.
    pub(crate) fn new(remove: Option<&Path>) -> Result<Self> {
        let mut leader = Command::new("sh")
            .args(["-c", LEADER, "guard"])
            .arg(remove.map(Path::as_os_str).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("cannot start sh")?;
        let pipe = leader.stdin.take();
        Ok(Self {
            leader,
            pipe,
            members: Vec::new(),
        })
    }

    /// Starts a member of the group with its output in `log`.
    pub(crate) fn spawn(
        &mut self,
        name: &'static str,
        mut command: Command,
        log: &Path,
    ) -> Result<()> {
        let out = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let group = i32::try_from(self.leader.id()).context("process id out of range")?;
        let child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .process_group(group)
            .spawn()
            .with_context(|| {
                format!("cannot start {name} ({})", command.get_program().display())
            })?;
        self.members.push((name, child));
        Ok(())
    }

    /// Ends a member at once, as a crash would.
    pub(crate) fn kill(&mut self, name: &str) -> Result<()> {
        let place = self.members.iter().position(|(member, _)| *member == name);
        let place = place.with_context(|| format!("{name} does not run"))?;
        let (_, mut child) = self.members.remove(place);
        child
            .kill()
            .with_context(|| format!("cannot kill {name}"))?;
        child.wait()?;
        Ok(())
    }

    /// Waits until a member answers; fails when one has ended, or none answered in time.
    pub(crate) fn until_answers(&mut self, mut answers: impl FnMut() -> bool) -> Result<()> {
        let waited = poll::until(PATIENCE, || match (answers(), self.ended()) {
            (true, _) => ControlFlow::Break(Ok(())),
            (false, Some((name, status))) => {
                ControlFlow::Break(Err(anyhow!("{name} ended with {status}")))
            }
            (false, None) => ControlFlow::Continue(()),
        });
        waited.unwrap_or_else(|()| {
            let names: Vec<_> = self.members.iter().map(|(name, _)| *name).collect();
            Err(anyhow!(
                "{} did not answer within {PATIENCE:?}",
                names.join(", ")
            ))
        })
    }

    /// The first member that has ended.
    pub(crate) fn ended(&mut self) -> Option<(&'static str, std::process::ExitStatus)> {
        self.members.iter_mut().find_map(|(name, child)| {
            let status = child.try_wait().ok().flatten()?;
            Some((*name, status))
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.pipe.take());
        for (_, child) in &mut self.members {
            // Already ended is fine; all that counts is that none is left.
            drop(child.kill());
            drop(child.wait());
        }
        drop(self.leader.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_end_with_the_guard_and_the_folder_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let remove = folder.path().join("data");
        std::fs::create_dir(&remove).unwrap();
        let mut guard = Guard::new(Some(&remove)).unwrap();
        let mut sleeper = Command::new("sleep");
        sleeper.arg("1000");
        guard
            .spawn("sleep", sleeper, &folder.path().join("log"))
            .unwrap();
        let process = format!("/proc/{}", guard.members[0].1.id());
        assert!(guard.ended().is_none());

        drop(guard);

        assert!(!Path::new(&process).exists());
        assert!(!remove.exists());
    }
}
