//! Files that belong to the operator's own identity, such as a projected token of its
//! ServiceAccount. Only who holds [`Ambient`] can read one; paths come from the operator's
//! settings, or from a manifest where the provider checks them and where their content goes.

use std::fs::File;
use std::io::Read as _;

use crate::context::{Ambient, Ctx};
use crate::error::{Error, ErrorKind, Result};
use crate::value::SecretValue;

/// Largest file that is read: tokens and key files have a few kilobytes.
const MAX_SIZE: u64 = 1 << 20;

impl Ambient {
    /// The content of a file. It is small and local, so that reading it blocks nobody.
    pub fn read(self, path: &str) -> Result<SecretValue> {
        let refused = |why: String| {
            let text = format!("unable to read token file {path}: {why}");
            Error::new(ErrorKind::InvalidSpec, text)
        };
        let file = File::open(path).map_err(|error| refused(error.to_string()))?;
        let mut content = Vec::new();
        let read = file.take(MAX_SIZE + 1).read_to_end(&mut content);
        read.map_err(|error| refused(error.to_string()))?;
        if content.len() as u64 > MAX_SIZE {
            return Err(refused(format!("it has more than {MAX_SIZE} bytes")));
        }
        Ok(SecretValue::new(content))
    }
}

impl Ctx {
    /// The content of the file that a setting of the whole operator names, such as certificate
    /// authorities. `None` where it is not set.
    pub fn file_variable(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.variable(name).filter(|path| !path.is_empty());
        let Some(path) = path else {
            return Ok(None);
        };
        let content = std::fs::read(&path).map_err(|error| {
            let text = format!("unable to read the file that {name} names, {path}: {error}");
            Error::new(ErrorKind::InvalidSpec, text)
        })?;
        Ok(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::conformance::services;
    use crate::context::{Ambient, Ctx, Scope, StoreName};

    fn ambient() -> Ambient {
        let mut services = Arc::into_inner(services().shared()).unwrap();
        services.ambient = true;
        let store = StoreName {
            namespace: None,
            name: "s".to_owned(),
        };
        let ctx = Ctx::new(Arc::new(services), store, Scope::Cluster { caller: None });
        ctx.ambient().unwrap()
    }

    #[test]
    fn a_file_is_read_and_a_missing_one_is_named() {
        let read = ambient().read("Cargo.toml").unwrap();
        let missing = ambient().read("/nonexistent/token").unwrap_err();

        assert!(
            read.expose_utf8()
                .unwrap()
                .contains("lockstep-provider-api")
        );
        let text = missing.to_string();
        assert!(text.starts_with("unable to read token file /nonexistent/token: "));
        assert!(!missing.consequence().absent);
    }

    #[test]
    fn a_file_without_end_is_refused() {
        let endless = ambient().read("/dev/zero").unwrap_err();

        assert!(endless.to_string().contains("more than 1048576 bytes"));
    }
}
