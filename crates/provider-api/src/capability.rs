//! What a store can do. A plain struct of facts; the conformance suite holds every provider to it
//! in both directions.

use std::fmt;

/// Operations and limits of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag is one independent fact"
)]
pub struct Capabilities {
    /// `get` and `get_map` work.
    pub read: bool,
    /// `push` works.
    pub write: bool,
    /// `delete` works.
    pub delete: bool,
    /// `exists` works.
    pub exists: bool,
    /// `find` takes a name pattern.
    pub find_by_name: bool,
    /// `find` takes tags.
    pub find_by_tags: bool,
    /// `find` takes a path.
    pub find_by_path: bool,
    /// `version` selects one.
    pub versions: bool,
    /// `metadataPolicy: Fetch` is honoured.
    pub metadata: bool,
    /// Largest number of references one `get_many` call answers in one request; 1 means no batch.
    pub batch: usize,
    /// Largest value in bytes the backend takes, where it has a limit.
    pub max_value_size: Option<usize>,
    /// The word `status.capabilities` shows, where upstream shows another than the operations say.
    pub published: Option<Access>,
}

impl Capabilities {
    /// Nothing at all; start here and switch on what is true.
    pub const NONE: Self = Self {
        read: false,
        write: false,
        delete: false,
        exists: false,
        find_by_name: false,
        find_by_tags: false,
        find_by_path: false,
        versions: false,
        metadata: false,
        batch: 1,
        max_value_size: None,
        published: None,
    };

    /// The word `status.capabilities` shows.
    pub const fn access(&self) -> Access {
        match (self.published, self.read, self.write) {
            (Some(published), _, _) => published,
            (None, true, true) => Access::ReadWrite,
            (None, false, true) => Access::WriteOnly,
            (None, _, _) => Access::ReadOnly,
        }
    }
}

/// Coarse capability as users see it on a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Values can be read.
    ReadOnly,
    /// Values can be written.
    WriteOnly,
    /// Both.
    ReadWrite,
}

impl Access {
    /// Upstream's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "ReadOnly",
            Self::WriteOnly => "WriteOnly",
            Self::ReadWrite => "ReadWrite",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
