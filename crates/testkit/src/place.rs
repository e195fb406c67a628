//! Where things are: the checkout this crate was built from and the user's cache for what is built
//! once. The only file that knows the environment variables that move the cache.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root folder of the workspace.
pub fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
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
