//! Names of secret keys: how foreign names are converted and which names are refused. Shared by
//! providers that convert while listing and by the planner.

/// How characters that a Secret key may not have are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// By an underscore.
    #[default]
    Default,
    /// By their code point, `_U1f600_`.
    Unicode,
}
