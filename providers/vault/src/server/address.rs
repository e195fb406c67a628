//! How a server is reached: what every request to it has in common.

use std::collections::BTreeMap;

use lockstep_provider_api::http::Identity as Certificate;

/// How a server is reached.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// Base URL.
    pub server: String,
    /// Authorities in PEM; the public ones when absent.
    pub ca: Option<Vec<u8>>,
    /// Client certificate of the connection.
    pub certificate: Option<Certificate>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// What reads do about writes that a standby has not seen.
    pub consistency: Consistency,
    /// Name under which requests are counted; `None` counts none.
    pub metric: Option<&'static str>,
}

/// What reads do about writes that a standby has not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// Nothing.
    #[default]
    Eventual,
    /// They name the last state that was seen and are repeated until the standby has it.
    Replayed,
    /// They name it, and the active node answers where the standby cannot.
    Forwarded,
}
