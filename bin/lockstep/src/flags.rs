//! Flags of the processes that run in a cluster, with the original operator's names and defaults.

pub(crate) mod controller;
pub(crate) mod unused;
pub(crate) mod webhook;
