//! Single files: written whole or not at all, readable by their owner only. A file that already
//! holds the content is left alone, so that watchers of it are not woken.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Makes a folder and those above it, where they are missing.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)
}

/// Writes a file below `folder`; says whether its content changed.
pub(super) fn write(folder: &Path, path: &str, content: &[u8]) -> io::Result<bool> {
    let path = folder.join(path);
    if let Ok(meta) = path.symlink_metadata()
        && meta.is_file()
        && std::fs::read(&path).is_ok_and(|held| held == content)
    {
        if meta.permissions().mode() & 0o777 != FILE_MODE {
            std::fs::set_permissions(&path, Permissions::from_mode(FILE_MODE))?;
        }
        return Ok(false);
    }
    let parent = path.parent().unwrap_or(folder);
    make_folder(parent)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = parent.join(format!(".{name}.{}.tmp", std::process::id()));
    let result = fill(&draft, content).and_then(|()| std::fs::rename(&draft, &path));
    if result.is_err() {
        // The error that matters is the first one.
        let _ = std::fs::remove_file(&draft);
    }
    result.map(|()| true)
}

fn fill(draft: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE);
    let mut file = options.open(draft)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Removes a file below `folder`, and the folders that are empty then.
pub(super) fn remove(folder: &Path, path: &str) -> io::Result<()> {
    match std::fs::remove_file(folder.join(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let parents = Path::new(path).ancestors().skip(1);
    for parent in parents.filter(|parent| !parent.as_os_str().is_empty()) {
        // Fails for folders that hold anything, which is what is wanted.
        if std::fs::remove_dir(folder.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}
