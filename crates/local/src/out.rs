//! Writes delivered Secrets below a folder and takes back what earlier runs wrote and is no longer
//! wanted. A file that is not in the ledger belongs to somebody else: it is neither overwritten nor
//! removed.

pub mod env;
mod file;
mod ledger;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use k8s_openapi::api::core::v1::Secret;

use super::name::Name;
use super::view::View;
use ledger::Ledger;

/// How a Secret is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One manifest a Secret: NAMESPACE/NAME.yaml.
    #[default]
    Yaml,
    /// One file of variables a Secret: NAMESPACE/NAME.env.
    Env,
    /// One file a key: NAMESPACE/NAME/KEY.
    Files,
}

/// Where and how Secrets are written.
pub(crate) struct Out {
    folder: PathBuf,
    format: Format,
}

/// What a round of writing did.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Files that hold the delivered Secrets, relative to the folder.
    pub(crate) files: Vec<String>,
    /// Those of them whose content changed.
    pub(crate) changed: BTreeSet<String>,
    /// Files that were taken back.
    pub(crate) removed: Vec<String>,
    /// Secrets that could not be written, and why.
    pub(crate) failures: Vec<(Name, String)>,
}

/// Files of one Secret by path relative to the folder.
type Files = BTreeMap<String, Vec<u8>>;

impl Out {
    pub(crate) fn new(folder: PathBuf, format: Format) -> Self {
        Self { folder, format }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Brings the files up to date. Whole Secrets are taken back only when every manifest could be
    /// read and none of them claims the Secret.
    pub(crate) fn sync(&self, view: &View, is_complete: bool) -> std::io::Result<Written> {
        file::make_folder(&self.folder)?;
        let mut ledger = Ledger::read(&self.folder)?;
        let mut written = Written::default();
        let rendered = self.render(view, &ledger, &mut written);
        // First the ledger, then the files: a file without an entry could never be replaced.
        for (name, files) in &rendered {
            ledger.claim(name, files.keys());
        }
        ledger.write(&self.folder)?;
        let mut settled = BTreeSet::new();
        for (name, files) in &rendered {
            match self.write(files, &mut written) {
                Ok(()) => drop(settled.insert(name.clone())),
                Err(error) => written.failures.push((name.clone(), error.to_string())),
            }
        }
        let wanted: BTreeSet<&String> = rendered.values().flat_map(BTreeMap::keys).collect();
        for (path, owner) in ledger.entries() {
            let dropped = is_complete && !view.claimed.contains(&owner);
            if (settled.contains(&owner) && !wanted.contains(&path)) || dropped {
                file::remove(&self.folder, &path)?;
                ledger.forget(&path);
                written.removed.push(path);
            }
        }
        ledger.write(&self.folder)?;
        Ok(written)
    }

    fn render(&self, view: &View, ledger: &Ledger, written: &mut Written) -> BTreeMap<Name, Files> {
        let mut rendered = BTreeMap::new();
        for (name, secret) in &view.secrets {
            let files = self.files(name, secret).and_then(|files| {
                let foreign = files.keys().find(|path| self.is_foreign(path, ledger));
                match foreign {
                    None => Ok(files),
                    Some(path) => Err(format!(
                        "{} exists and was not written by lockstep; move it away or choose \
                         another --out",
                        self.folder.join(path).display()
                    )),
                }
            });
            match files {
                Ok(files) => drop(rendered.insert(name.clone(), files)),
                Err(text) => written.failures.push((name.clone(), text)),
            }
        }
        rendered
    }

    fn is_foreign(&self, path: &str, ledger: &Ledger) -> bool {
        !ledger.has(path) && self.folder.join(path).symlink_metadata().is_ok()
    }

    fn files(&self, name: &Name, secret: &Secret) -> Result<Files, String> {
        let stem = format!("{}/{}", name.namespace, name.name);
        let data = secret.data.iter().flatten();
        Ok(match self.format {
            Format::Yaml => [(format!("{stem}.yaml"), yaml::manifest(secret)?)].into(),
            Format::Env => [(
                format!("{stem}.env"),
                env::variables(bytes_of(secret), "--format files")?,
            )]
            .into(),
            Format::Files => data
                .map(|(key, value)| (format!("{stem}/{key}"), value.0.clone()))
                .collect(),
        })
    }

    fn write(&self, files: &Files, written: &mut Written) -> std::io::Result<()> {
        for (path, content) in files {
            if file::write(&self.folder, path, content)? {
                written.changed.insert(path.clone());
            }
            written.files.push(path.clone());
        }
        Ok(())
    }
}

/// Keys and values of a Secret.
pub(crate) fn bytes_of(secret: &Secret) -> impl Iterator<Item = (&str, &[u8])> {
    let data = secret.data.iter().flatten();
    data.map(|(key, value)| (key.as_str(), value.0.as_slice()))
}

#[cfg(test)]
mod tests;
