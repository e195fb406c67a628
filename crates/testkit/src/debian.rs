//! Debian's packages in the cache, for servers that no other registry has: downloaded by apt, which
//! checks their signatures, and unpacked once under a lock. Needs no root and changes no installed package.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::place;
use crate::progress::Step;

/// The folder that a package and what it needs are unpacked into; `None` without Debian's tools. `variable`
/// is what names another program, for the message of a failure.
pub(crate) fn unpacked(package: &str, variable: &str) -> Result<Option<PathBuf>> {
    let has = |tool: &str| Path::new("/usr/bin").join(tool).is_file();
    if !has("apt-get") || !has("dpkg-deb") {
        return Ok(None);
    }
    let folder = place::cache()?.join(package);
    let (root, marker) = (folder.join("root"), folder.join("complete"));
    if marker.is_file() {
        return Ok(Some(root));
    }
    fs::create_dir_all(&folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.lock().context("cannot lock the cache")?;
    // Another process may have unpacked it while we waited.
    if !marker.is_file() {
        let step = Step::begin(format!("downloading {package}"), "10 s");
        download(package, &folder, &root).with_context(|| {
            format!("cannot get {package}; install it, or set {variable} to the program")
        })?;
        File::create(&marker)?;
        step.done(&format!("{} ready", root.display()));
    }
    Ok(Some(root))
}

fn download(package: &str, folder: &Path, root: &Path) -> Result<()> {
    // A half-made folder of an interrupted run is started over.
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    let packages = folder.join("packages");
    fs::create_dir_all(&packages)?;
    let mut list = Command::new("apt-get");
    list.args(["install", "--print-uris", "--yes", "-qq"]);
    let listed = run(list.args(["--no-install-recommends", package]))?;
    let names = names(&listed);
    run(Command::new("apt-get")
        .current_dir(&packages)
        .args(["download", "-qq"])
        .args(&names))?;
    for file in fs::read_dir(&packages)? {
        run(Command::new("dpkg-deb")
            .arg("--extract")
            .args([&file?.path(), root]))?;
    }
    Ok(())
}

/// The packages in apt's list of what this machine lacks: `'address' name_version_arch.deb size sum`.
fn names(listed: &str) -> Vec<String> {
    let files = listed.lines().filter_map(|line| line.split(' ').nth(1));
    let names = files.filter_map(|file| file.split_once('_'));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Where the loader finds the unpacked libraries.
pub(crate) fn libraries(root: &Path) -> OsString {
    let places = ["usr/lib", "lib"].into_iter().flat_map(|place| {
        let entries = fs::read_dir(root.join(place)).into_iter().flatten();
        entries.flatten().map(|entry| entry.path())
    });
    let folders = places.filter(|path| path.to_string_lossy().ends_with("-linux-gnu"));
    std::env::join_paths(folders).unwrap_or_default()
}

fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().display().to_string();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} failed: {}", said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_taken_from_apts_list() {
        let listed = "'http://x/l.deb' libltdl7_2.4.7-7_amd64.deb 1 MD5Sum:a\n\
                      'http://x/s.deb' slapd_2.5.13+dfsg-5_amd64.deb 2 MD5Sum:b\n";

        assert_eq!(names(listed), ["libltdl7", "slapd"]);
    }
}
