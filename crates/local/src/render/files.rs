//! The files a render works with, read once: names as messages show them, and their lines for
//! excerpts. Standard input may stand in for one of them.

use std::io::Read;
use std::path::Path;

use super::flags::RenderFlags;

/// All files of one render.
pub(crate) struct Files {
    /// The manifest of the ExternalSecret, then those of template sources.
    pub(crate) manifests: Vec<File>,
    /// What stands in for the store.
    pub(crate) remote: File,
}

/// One file.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Files {
    /// Reads what the flags name; an error means wrong usage.
    pub(crate) fn read(flags: &RenderFlags) -> Result<Self, String> {
        let inputs = [&flags.file, &flags.remote]
            .into_iter()
            .chain(&flags.template_from);
        if inputs.filter(|path| is_standard_input(path)).count() > 1 {
            return Err("standard input can stand in for one file only; name the other".to_owned());
        }
        let mut manifests = vec![File::read(&flags.file)?];
        for path in &flags.template_from {
            manifests.push(File::read(path)?);
        }
        Ok(Self {
            manifests,
            remote: File::read(&flags.remote)?,
        })
    }

    /// The file of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&File> {
        self.manifests.iter().find(|file| file.name == name)
    }
}

impl File {
    fn read(path: &Path) -> Result<Self, String> {
        let (name, read) = if is_standard_input(path) {
            let mut text = String::new();
            let read = std::io::stdin().lock().read_to_string(&mut text);
            ("stdin".to_owned(), read.map(|_| text))
        } else {
            (path.display().to_string(), std::fs::read_to_string(path))
        };
        match read {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(format!(
                "{name} cannot be read: {error}; name a file of UTF-8 text, or - for standard input"
            )),
        }
    }

    /// A line, counted from one.
    pub(crate) fn line(&self, number: usize) -> Option<&str> {
        self.text.lines().nth(number.checked_sub(1)?)
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
