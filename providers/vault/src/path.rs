//! Where a key is: the mount, and the paths of data and metadata below it, built as upstream builds
//! them. Pure; the server is not asked.

use lockstep_provider_api::prelude::*;

use crate::spec::Version;

/// Mount and KV version of a store.
#[derive(Clone, Debug)]
pub struct Mount {
    path: Option<String>,
    version: Version,
}

impl Mount {
    /// The mount of a store; `None` where keys carry it.
    pub fn new(path: Option<&str>, version: Version) -> Self {
        let path = path.map(|path| path.trim_matches('/').to_owned());
        Self {
            path: path.filter(|path| !path.is_empty()),
            version,
        }
    }

    /// Version of the engine.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The mount itself; of a key that carries it, its first part.
    pub fn of(&self, key: &str) -> String {
        match &self.path {
            Some(path) => path.clone(),
            None => first(key).to_owned(),
        }
    }

    /// The key below the mount, without the `data/` that it may carry.
    pub fn name(&self, key: &str) -> String {
        let data = self.data(key);
        let mount = self.of(key);
        let below = data.strip_prefix(&mount).unwrap_or(&data);
        let below = below.trim_start_matches('/');
        match self.version {
            Version::V2 => below.strip_prefix("data/").unwrap_or(below).to_owned(),
            Version::V1 => below.to_owned(),
        }
    }

    /// Path of the value.
    pub fn data(&self, key: &str) -> String {
        // Cleaned before the mount is put in front, so that no key leaves it.
        let key = &*clean(key);
        let path = match (&self.path, self.version) {
            (Some(mount), version) => {
                let key = key.strip_prefix(&format!("{mount}/")).unwrap_or(key);
                match version {
                    Version::V1 => format!("{mount}/{key}"),
                    Version::V2 => {
                        let key = key.strip_prefix("data/").unwrap_or(key);
                        format!("{mount}/data/{key}")
                    }
                }
            }
            (None, Version::V2) if !key.contains("/data/") => match key.split_once('/') {
                Some((mount, rest)) => format!("{mount}/data/{rest}"),
                None => format!("{key}/data"),
            },
            (None, _) => key.to_owned(),
        };
        clean(&path)
    }

    /// Path of the metadata; KV v2 only.
    pub fn metadata(&self, key: &str) -> Result<String> {
        self.action("metadata", key)
    }

    /// Path of something that is done with a secret, such as `delete` or `undelete`; KV v2 only.
    pub fn action(&self, action: &str, key: &str) -> Result<String> {
        if let Some(mount) = &self.path {
            return Ok(clean(&format!("{mount}/{action}/{}", self.name(key))));
        }
        let data = self.data(key);
        if !data.contains("/data/") {
            return Err(Error::invalid_spec(
                "provided Path isn't a valid kv v2 path",
            ));
        }
        Ok(data.replacen("/data/", &format!("/{action}/"), 1))
    }

    /// Path of a folder to list.
    pub fn folder(&self, folder: &str) -> Result<String> {
        let Some(mount) = &self.path else {
            return Err(Error::invalid_spec(
                "find needs spec.provider.vault.path: it names the mount to search",
            ));
        };
        let folder = folder.trim_matches('/');
        Ok(clean(&match self.version {
            Version::V1 => format!("{mount}/{folder}"),
            Version::V2 => format!("{mount}/metadata/{folder}"),
        }))
    }
}

fn first(key: &str) -> &str {
    let key = key.trim_start_matches('/');
    key.split('/').next().unwrap_or(key)
}

/// The path without empty parts, `.` and `..`, as Go's `path.Join` leaves it.
pub(crate) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_carry_the_mount_and_the_data_part() {
        let mount = Mount::new(Some("kv"), Version::V2);

        for key in ["a/b", "kv/a/b", "kv/data/a/b", "/a/b", "a//b/"] {
            assert_eq!(mount.data(key), "kv/data/a/b", "{key}");
            assert_eq!(mount.metadata(key).unwrap(), "kv/metadata/a/b", "{key}");
            assert_eq!(mount.name(key), "a/b", "{key}");
        }
    }

    #[test]
    fn without_a_mount_the_first_part_of_the_key_is_it() {
        let mount = Mount::new(None, Version::V2);

        assert_eq!(mount.data("kv/dir/x"), "kv/data/dir/x");
        assert_eq!(mount.data("kv/data/dir/x"), "kv/data/dir/x");
        assert_eq!(mount.metadata("kv/dir/x").unwrap(), "kv/metadata/dir/x");
        assert_eq!(mount.of("kv/dir/x"), "kv");
        assert_eq!(mount.name("kv/dir/x"), "dir/x");
    }

    #[test]
    fn the_first_version_has_plain_paths() {
        let mount = Mount::new(Some("kv"), Version::V1);

        assert_eq!(mount.data("kv/a"), "kv/a");
        assert_eq!(mount.data("data/a"), "kv/data/a");
        assert_eq!(mount.name("data/a"), "data/a");
        assert_eq!(mount.folder("").unwrap(), "kv");
    }

    #[test]
    fn no_key_leaves_the_mount() {
        let mount = Mount::new(Some("kv"), Version::V2);

        assert_eq!(mount.data("../../sys/x"), "kv/data/sys/x");
        assert_eq!(mount.data("a/../b"), "kv/data/b");
        assert_eq!(clean("/../a/./b/"), "a/b");
    }
}
