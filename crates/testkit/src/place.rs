//! Where things are: the checkout this crate was built from and the user's cache for what is built
//! once. The only file that knows the environment variables that move the cache.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};

/// The root folder of the workspace: the one whose lock file governs the package that cargo runs.
pub fn workspace() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // Cargo says at run time where the package is; a checkout may have moved since it was built.
        let package = set("CARGO_MANIFEST_DIR");
        let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = package
            .ancestors()
            .find(|folder| folder.join("Cargo.lock").is_file());
        root.unwrap_or(&package).to_owned()
    })
}

/// The folder for things that are built or downloaded once: `LOCKSTEP_CACHE`, or `lockstep` in the
/// user's cache.
pub fn cache() -> Result<PathBuf> {
    if let Some(own) = set("LOCKSTEP_CACHE") {
        return Ok(own);
    }
    if let Some(user) = set("XDG_CACHE_HOME") {
        return Ok(user.join("lockstep"));
    }
    let home = set("HOME")
        .context("no folder for built test servers: set LOCKSTEP_CACHE, XDG_CACHE_HOME or HOME")?;
    Ok(home.join(".cache/lockstep"))
}

/// A non-empty environment variable as a path.
pub(crate) fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
