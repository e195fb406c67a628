//! Builds the control plane's programs with Go, once per version: under a lock, into a temporary
//! folder, then renamed, so that an interrupted or concurrent build never leaves half a program
//! behind.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::assets::{Program, Version, tools};
use crate::progress::{Step, say};

const NO_GO: &str = "Go is needed once, to build the programs that tests run against \
    (kube-apiserver, kube-controller-manager, etcd, Helm): install Go 1.26 or later from https://go.dev/dl/ so that `go` is on the PATH, \
    or set KUBEBUILDER_ASSETS to a folder with the first three";

/// Builds `missing` into `cache`, module by module.
pub(super) fn build(missing: &[Program], cache: &Path, version: &Version) -> Result<()> {
    check_go()?;
    fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    let _lock = lock(&cache.join("lock"))?;
    let mut modules: BTreeMap<&str, Vec<Program>> = BTreeMap::new();
    for program in missing {
        // Another process may have built it while we waited for the lock.
        if !cache.join(program.name).is_file() {
            modules.entry(program.module).or_default().push(*program);
        }
    }
    for (module, programs) in modules {
        build_module(module, &programs, cache, version)?;
    }
    Ok(())
}

fn build_module(module: &str, programs: &[Program], cache: &Path, version: &Version) -> Result<()> {
    let names: Vec<_> = programs.iter().map(|program| program.name).collect();
    let (tag, usually) = match module {
        "controlplane-etcd" => (&version.etcd, "20 s to 1 min on two cores"),
        _ => (&version.kube, "4 to 8 min on two cores, once per version"),
    };
    let mut step = Step::begin(format!("building {} {tag}", names.join(" and ")), usually);
    let temporary = tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(cache)?;
    for program in programs {
        let out = temporary.path().join(program.name);
        run_go(&go_build(module, program.package, &out, version), &mut step)?;
    }
    for program in programs {
        fs::rename(
            temporary.path().join(program.name),
            cache.join(program.name),
        )
        .with_context(|| format!("cannot put {} into {}", program.name, cache.display()))?;
    }
    step.done(&format!("built into {}", cache.display()));
    Ok(())
}

fn go_build(module: &str, package: &str, out: &Path, version: &Version) -> Vec<String> {
    let folder = tools().join(module);
    let stamp = "k8s.io/component-base/version";
    let number = version.kube.trim_start_matches('v');
    let mut parts = number.split('.');
    let (major, minor) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let link = format!(
        "-s -w -X {stamp}.gitVersion={} -X {stamp}.gitMajor={major} -X {stamp}.gitMinor={minor}",
        version.kube
    );
    let mut arguments = vec![
        "-C".to_owned(),
        folder.display().to_string(),
        "build".to_owned(),
    ];
    arguments.insert(0, "go".to_owned());
    arguments.extend([
        "-v".to_owned(),
        "-ldflags".to_owned(),
        link,
        "-o".to_owned(),
    ]);
    arguments.extend([out.display().to_string(), package.to_owned()]);
    arguments
}

pub(crate) fn run_go(arguments: &[String], step: &mut Step) -> Result<()> {
    let [program, rest @ ..] = arguments else {
        bail!("no command");
    };
    let mut child = Command::new(program)
        .args(rest)
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context(NO_GO)?;
    let mut packages = 0_usize;
    let mut last = Vec::new();
    if let Some(output) = child.stderr.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            // `-v` names each package as it is compiled; anything with a space is a message.
            if line.contains(' ') {
                last.push(line);
                let surplus = last.len().saturating_sub(20);
                last.drain(..surplus);
            } else {
                packages += 1;
            }
            step.tick(&format!("{packages} packages compiled"));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!(
            "`{}` failed with {status}:\n{}",
            arguments.join(" "),
            last.join("\n")
        );
    }
    Ok(())
}

pub(crate) fn check_go() -> Result<()> {
    let found = Command::new("go").arg("version").output();
    match found {
        Ok(output) if output.status.success() => Ok(()),
        _ => bail!(NO_GO),
    }
}

pub(crate) fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    if file.try_lock().is_err() {
        say("another process is building the same test programs; waiting for it");
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
