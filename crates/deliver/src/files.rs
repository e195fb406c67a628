//! Values as files: one a key below the name of its ExternalSecret, in a folder of a memory file system that
//! is removed with the process. A folder on a disk is refused: deleted files can be read back there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use lockstep_toolbox::exit::Failure;
use tempfile::TempDir;

use crate::source::Delivered;

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";
/// Number of tmpfs in `statfs(2)`.
const TMPFS: u64 = 0x0102_1994;
/// Number of ramfs in `statfs(2)`.
const RAMFS: u64 = 0x8584_58f6;

/// A folder of files that ends with this value.
pub(crate) struct Files {
    folder: TempDir,
}

impl Files {
    /// Makes an empty folder below `base`, which must be in memory.
    pub(crate) fn new(base: Option<&Path>) -> anyhow::Result<Self> {
        let base = base.unwrap_or(Path::new(MEMORY));
        refuse_disk(base)?;
        let folder = tempfile::Builder::new()
            .prefix("lockstep-")
            .tempdir_in(base);
        let folder = folder.with_context(|| format!("make a folder below {}", base.display()))?;
        Ok(Self { folder })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Brings the files up to date. Each is replaced as a whole, so that a reader sees the old value
    /// or the new one.
    pub(crate) fn write(&self, objects: &[Delivered]) -> anyhow::Result<()> {
        let mut kept = Vec::new();
        for object in objects {
            let folder = self.path().join(&object.name);
            if !folder.is_dir() {
                let made = fs::DirBuilder::new().mode(0o700).create(&folder);
                made.with_context(|| format!("make {}", folder.display()))?;
            }
            for (key, value) in object.data.iter() {
                let file = folder.join(key);
                replace(&file, value.expose())
                    .with_context(|| format!("write {}", file.display()))?;
                kept.push(file);
            }
        }
        self.prune(&kept)
    }

    /// Removes files of keys that are gone.
    fn prune(&self, kept: &[PathBuf]) -> anyhow::Result<()> {
        for folder in fs::read_dir(self.path())? {
            for file in fs::read_dir(folder?.path())? {
                let file = file?.path();
                if !kept.contains(&file) {
                    fs::remove_file(&file)?;
                }
            }
        }
        Ok(())
    }
}

fn replace(file: &Path, value: &[u8]) -> std::io::Result<()> {
    if fs::read(file).is_ok_and(|old| old == value) {
        return Ok(());
    }
    // Keys of Secrets never begin with two dots.
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let new = file.with_file_name(format!("..{name}"));
    let mut written = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o400)
        .open(&new)?;
    written.write_all(value)?;
    fs::rename(&new, file)
}

fn refuse_disk(base: &Path) -> anyhow::Result<()> {
    let at = base.display();
    let system = rustix::fs::statfs(base).map_err(|error| {
        Failure::usage(format!(
            "--files needs a folder in memory, and {at} cannot be used: {error}; name one with --files-in DIR"
        ))
    })?;
    let kind = u64::try_from(system.f_type).unwrap_or_default();
    if kind == TMPFS || kind == RAMFS {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "{at} is on a disk, where deleted values can be read back; name a folder of a tmpfs with --files-in DIR"
    )))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use lockstep_provider_api::SecretValue;
    use lockstep_toolbox::exit::{Exit, of};

    use super::*;

    fn object(data: &[(&str, &str)]) -> Vec<Delivered> {
        let data = data.iter();
        vec![Delivered {
            namespace: "a".to_owned(),
            name: "database".to_owned(),
            data: data
                .map(|(key, value)| ((*key).to_owned(), SecretValue::from(*value)))
                .collect(),
        }]
    }

    #[test]
    fn files_follow_the_values_and_end_with_the_folder() {
        let files = Files::new(None).unwrap();
        let (folder, at) = (files.path().to_owned(), |key: &str| {
            files.path().join("database").join(key)
        });

        files
            .write(&object(&[("user", "bob"), ("old", "x")]))
            .unwrap();
        assert_eq!(fs::read(at("user")).unwrap(), b"bob");
        let mode = fs::metadata(at("user")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o400);

        files.write(&object(&[("user", "alice")])).unwrap();
        assert_eq!(fs::read(at("user")).unwrap(), b"alice");
        assert!(!at("old").exists());

        drop(files);
        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_on_a_disk_is_refused() {
        let Err(error) = Files::new(Some(Path::new("/proc"))) else {
            panic!("/proc holds no files of ours");
        };

        assert_eq!(of(&error), Exit::Refused);
    }
}
