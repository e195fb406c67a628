//! Table tests of the decisions about ExternalSecrets, one file a beat.

mod assembling;
mod deciding;
mod planning;
mod reporting;
