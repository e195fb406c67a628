//! Keystone and Barbican in the cache, with databases that are set up once and copied for each start, and
//! the files that configure both. Nothing is installed into the machine's Python.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{ADMIN, PASSWORD, REGION};
use crate::progress::Step;
use crate::python;

/// The versions the tests were written for.
const PACKAGES: [&str; 2] = ["keystone==30.0.0", "barbican==23.0.0"];

/// What servers are started from.
pub(super) struct Prepared {
    /// The interpreter that has both installed.
    pub(super) python: PathBuf,
    /// Databases and keys of both.
    pub(super) databases: PathBuf,
    /// The file that describes Barbican's application.
    pub(super) paste: PathBuf,
}

/// Installs both and sets their databases up, where that has not been done.
pub(super) fn prepared() -> Result<Prepared> {
    let python = python::ready("openstack", &PACKAGES)?;
    let home = python.parent().and_then(Path::parent);
    let home = home.context("the interpreter has no environment")?;
    let databases = home.join("databases");
    let marker = home.join("databases.complete");
    if !marker.is_file() {
        let lock = File::create(home.join("databases.lock"))?;
        lock.lock().context("cannot lock the cache")?;
        // Another process may have set them up while we waited.
        if !marker.is_file() {
            let step = Step::begin("setting up Keystone and Barbican".to_owned(), "20 s");
            set_up(&python, &databases)?;
            File::create(&marker)?;
            step.done(&format!("{} ready", databases.display()));
        }
    }
    let paste = home.join("etc/barbican/barbican-api-paste.ini");
    Ok(Prepared {
        python,
        databases,
        paste,
    })
}

fn set_up(python: &Path, folder: &Path) -> Result<()> {
    // Half-made databases of an interrupted run are started over.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("fernet"))?;
    // Nobody listens at these ports; each start writes the files again.
    configure(folder, 1, 1)?;
    let name = |option: &str| -> Result<String> {
        let said = Command::new("id").arg(option).output()?.stdout;
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    };
    let (user, group) = (name("-un")?, name("-gn")?);
    let owner = ["--keystone-user", &user, "--keystone-group", &group];
    let run = |program: &str, arguments: &[&str]| -> Result<()> {
        let mut command = Command::new(python.with_file_name(program));
        lead(command.args(arguments), folder);
        let output = command.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last: Vec<&str> = said.lines().rev().take(5).collect();
            bail!("{program} {arguments:?} failed: {}", last.join(" | "));
        }
        Ok(())
    };
    let config = format!("--config-file={}/keystone.conf", folder.display());
    let keystone = |arguments: &[&str]| {
        let all = [&[config.as_str()][..], arguments].concat();
        run("keystone-manage", &all)
    };
    keystone(&["db_sync"])?;
    keystone(&[&["fernet_setup"][..], &owner].concat())?;
    let password = format!("--bootstrap-password={PASSWORD}");
    let region = format!("--bootstrap-region-id={REGION}");
    keystone(&["bootstrap", &password, &region])?;
    run("barbican-manage", &["db", "upgrade"])
}

/// Copies a folder with everything in it.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Writes the files that configure both for these ports.
pub(super) fn configure(folder: &Path, keystone: u16, barbican: u16) -> Result<()> {
    let home = folder.display();
    let text = format!(
        "[database]\nconnection = sqlite:///{home}/keystone.db\n[fernet_tokens]\n\
         key_repository = {home}/fernet\n[credential]\nkey_repository = {home}/fernet\n"
    );
    fs::write(folder.join("keystone.conf"), text)?;
    let identity = format!("http://127.0.0.1:{keystone}/v3");
    let text = format!(
        "[DEFAULT]\nhost_href = http://127.0.0.1:{barbican}\ntransport_url = fake:/\n\
         [database]\nconnection = sqlite:///{home}/barbican.db\n\
         [keystone_authtoken]\nwww_authenticate_uri = {identity}\nauth_url = {identity}\n\
         auth_type = password\nusername = {ADMIN}\npassword = {PASSWORD}\n\
         project_name = {ADMIN}\nuser_domain_name = Default\nproject_domain_name = Default\n\
         interface = public\ntoken_cache_time = -1\n\
         [secretstore]\nenabled_secretstore_plugins = store_crypto\n\
         [crypto]\nenabled_crypto_plugins = simple_crypto\n\
         [simple_crypto_plugin]\nkek = YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=\n"
    );
    // Barbican looks for its file below the home folder alone.
    fs::create_dir_all(folder.join(".barbican"))?;
    fs::write(folder.join(".barbican/barbican.conf"), text)?;
    Ok(())
}

/// Leads a program to the files in a folder.
pub(super) fn lead(command: &mut Command, folder: &Path) {
    command
        .env("HOME", folder)
        .env("OS_KEYSTONE_CONFIG_FILES", folder.join("keystone.conf"))
        .env("OS_KEYSTONE_CONFIG_DIR", folder);
}
