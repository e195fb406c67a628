//! The grammar of keys: a name, a path relative to the store's folder, or an absolute path.

/// Folder and name of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecretAddress {
    pub(crate) folder: String,
    pub(crate) name: String,
}

impl SecretAddress {
    /// Where a key leads from the store's folder.
    pub(crate) fn of(store_folder: &str, key: &str) -> Self {
        let (folder, name) = match key.rsplit_once('/') {
            None => (store_folder.to_owned(), key),
            Some((folder, name)) if key.starts_with('/') => (folder.to_owned(), name),
            Some((folder, name)) => (joined(store_folder, folder), name),
        };
        Self {
            folder,
            name: name.to_owned(),
        }
    }
}

/// Two paths as one, cleaned of empty, `.` and `..` steps.
fn joined(base: &str, relative: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    let absolute = base.starts_with('/');
    for step in base.split('/').chain(relative.split('/')) {
        match step {
            "" | "." => {}
            ".." => match steps.last() {
                Some(&last) if last != ".." => {
                    steps.pop();
                }
                _ if absolute => {}
                _ => steps.push(".."),
            },
            step => steps.push(step),
        }
    }
    let path = steps.join("/");
    if absolute { format!("/{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str) -> (String, String) {
        let address = SecretAddress::of("/base", key);
        (address.folder, address.name)
    }

    #[test]
    fn keys_are_names_relative_or_absolute_paths() {
        let pair = |folder: &str, name: &str| (folder.to_owned(), name.to_owned());

        assert_eq!(of("K"), pair("/base", "K"));
        assert_eq!(of("/x/y/K"), pair("/x/y", "K"));
        assert_eq!(of("sub/K"), pair("/base/sub", "K"));
        assert_eq!(of("../other/K"), pair("/other", "K"));
    }

    #[test]
    fn a_key_in_the_root_has_an_empty_folder() {
        assert_eq!(of("/K"), (String::new(), "K".to_owned()));
    }
}
