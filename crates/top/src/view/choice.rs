//! What is shown of the rows: which table, which of them, in which order.

use crate::model::{Health, Row};

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    #[default]
    Objects,
    Stores,
}

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filter {
    #[default]
    All,
    Failing,
    Stale,
    Throttled,
}

/// In which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    Trouble,
    Cost,
    Due,
    Name,
}

impl Filter {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Failing => "failing",
            Self::Stale => "stale",
            Self::Throttled => "throttled",
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::All => Self::Failing,
            Self::Failing => Self::Stale,
            Self::Stale => Self::Throttled,
            Self::Throttled => Self::All,
        }
    }

    pub(super) fn shows(self, row: &Row) -> bool {
        match self {
            Self::All => true,
            Self::Failing => matches!(row.health, Health::Failing | Health::Throttled),
            Self::Stale => row.health == Health::Stale,
            Self::Throttled => row.health == Health::Throttled,
        }
    }
}

impl Order {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Trouble => "trouble",
            Self::Cost => "cost",
            Self::Due => "due",
            Self::Name => "name",
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::Trouble => Self::Cost,
            Self::Cost => Self::Due,
            Self::Due => Self::Name,
            Self::Name => Self::Trouble,
        }
    }
}
