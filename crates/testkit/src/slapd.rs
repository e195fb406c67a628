//! A directory in a test: OpenLDAP's server with a few users, without TLS. Debian's packages are
//! unpacked into the cache; nothing is installed into the machine.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::controlplane::guard::Guard;
use crate::{debian, place, port};

/// Root of all entries.
pub const BASE: &str = "dc=example,dc=org";
/// Name of the directory's administrator.
pub const ADMIN: &str = "cn=admin,dc=example,dc=org";
/// Password of the administrator.
pub const ADMIN_PASSWORD: &str = "admin";

/// A server program: the one that `SLAPD` names, or that of Debian's packages.
#[derive(Clone, Debug)]
struct Program {
    path: PathBuf,
    /// Folder that the packages were unpacked into; `/` for an installed program.
    root: PathBuf,
}

/// Makes sure that the program is there. `false` on a machine that has neither the program nor
/// Debian's package tools.
pub fn ready() -> Result<bool> {
    Ok(program()?.is_some())
}

fn program() -> Result<Option<Program>> {
    let root = PathBuf::from("/");
    if let Some(path) = place::set("SLAPD") {
        return Ok(Some(Program { path, root }));
    }
    let installed = PathBuf::from("/usr/sbin/slapd");
    if installed.is_file() {
        let path = installed;
        return Ok(Some(Program { path, root }));
    }
    let Some(root) = debian::unpacked("slapd", "SLAPD")? else {
        return Ok(None);
    };
    let path = root.join("usr/sbin/slapd");
    Ok(Some(Program { path, root }))
}

/// A running server.
pub struct Slapd {
    url: String,
    _folder: tempfile::TempDir,
    _guard: Guard,
}

impl Slapd {
    /// Starts a server with these users and passwords below [`BASE`]; `None` where there is no
    /// program to be had.
    pub fn start(users: &[(&str, &str)]) -> Result<Option<Self>> {
        let Some(program) = program()? else {
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("slapd.conf");
        fs::create_dir(folder.path().join("db"))?;
        fs::write(&config, configuration(&program.root, folder.path()))?;
        let entries = folder.path().join("entries.ldif");
        fs::write(&entries, ldif(users))?;
        // The tool to act as must be the first option.
        let mut add = program.command(&["-T", "add"], &config);
        add.arg("-l").arg(&entries);
        let added = add.output().context("cannot start slapd")?;
        let said = String::from_utf8_lossy(&added.stderr);
        anyhow::ensure!(added.status.success(), "slapd takes no entries: {said}");
        let address = port::free()?;
        let url = format!("ldap://{address}");
        // A level of debugging, be it none, keeps it in the foreground.
        let command = program.command(&["-d", "0", "-h", &url], &config);
        let mut guard = Guard::new(None)?;
        guard.spawn("slapd", command, &folder.path().join("log"))?;
        guard.until_answers(|| TcpStream::connect(address).is_ok())?;
        Ok(Some(Self {
            url,
            _folder: folder,
            _guard: guard,
        }))
    }

    /// Address for clients.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Program {
    fn command(&self, options: &[&str], config: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.args(options).arg("-f").arg(config);
        if self.root != Path::new("/") {
            command.env("LD_LIBRARY_PATH", debian::libraries(&self.root));
        }
        command
    }
}

fn configuration(root: &Path, folder: &Path) -> String {
    let (root, folder) = (root.display(), folder.display());
    let root = root.to_string();
    let root = root.trim_end_matches('/');
    let schemas = ["core", "cosine", "inetorgperson"];
    let schemas = schemas.map(|name| format!("include {root}/etc/ldap/schema/{name}.schema\n"));
    format!(
        "{}modulepath {root}/usr/lib/ldap\nmoduleload back_mdb\npidfile {folder}/pid\n\
         database mdb\ndirectory {folder}/db\nsuffix \"{BASE}\"\nrootdn \"{ADMIN}\"\n\
         rootpw {ADMIN_PASSWORD}\n",
        schemas.concat()
    )
}

fn ldif(users: &[(&str, &str)]) -> String {
    let base = format!(
        "dn: {BASE}\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n"
    );
    let users = users.iter().map(|(user, password)| {
        format!(
            "\ndn: uid={user},{BASE}\nobjectClass: inetOrgPerson\nuid: {user}\ncn: {user}\n\
             sn: {user}\nuserPassword: {password}\n"
        )
    });
    base + &users.collect::<String>()
}
