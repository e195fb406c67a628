//! The changelog of a release: the fragments of `changelog.d`, joined in the order of their names.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Says what fragments are; it is none.
const README: &str = "README.md";

/// One page with an entry for each fragment. An empty fragment is an error.
pub(super) fn joined(folder: &Path, version: &str) -> Result<String> {
    let files = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = files
        .map(|file| Ok(file?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    paths.retain(|path| !path.ends_with(README));
    paths.sort();
    let mut out = format!("# {version}\n");
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let text = text.trim();
        if text.is_empty() {
            bail!("{} is empty", path.display());
        }
        out.push_str("\n* ");
        out.push_str(&text.replace('\n', "\n  "));
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_joined_by_name_without_the_readme() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b.md", "Second.\nMore.\n"),
            ("a.md", "First.\n"),
            (README, "How."),
        ] {
            fs::write(dir.path().join(name), text).unwrap();
        }

        let text = joined(dir.path(), "v1").unwrap();

        assert_eq!(text, "# v1\n\n* First.\n\n* Second.\n  More.\n");
        fs::write(dir.path().join("c.md"), "\n").unwrap();
        assert!(joined(dir.path(), "v1").is_err());
    }
}
