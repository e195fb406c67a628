//! The edges of the program: clocks, HTTP, scheduling, logs, metrics, health, and everything added
//! around the Kubernetes client. Knows no custom resource and reads no environment variable:
//! settings come in as structs.
//!
//! | Want | Use |
//! |---|---|
//! | services of the provider contract | [`clock::SystemTime`], [`transport::HttpTransports`], [`metrics::Metrics`], [`objects::ClusterObjects`] |
//! | a client of the API server | [`client::connect`] |
//! | news about a kind | [`watch::watch`] |
//! | runs of objects | [`dispatch::Dispatcher`], over [`schedule::Schedule`], [`backoff`], [`supervise`] |
//! | reads and writes | [`api_object::ApiObject`], [`apply::Writer`], [`api_error::ApiError`] |
//! | events | [`events::Events`] |
//! | one leader | [`lease::Candidate`] |
//! | endpoints | [`serve::Server`] with [`serve::health`] and [`serve::metrics`] |
//! | logs, stopping | [`log::init`], [`shutdown::Shutdown`] |
//!
//! The order of a stop, within two seconds of the signal: [`shutdown::Shutdown`] is requested,
//! dispatchers start nothing more and let runs end for their grace time, then [`events::Events`]
//! are flushed.
//!
//! Without the feature `cluster` everything that talks to an API server is left out.

pub mod api_error;
pub mod background;
pub mod blocking;
pub mod clock;
pub mod connect;
pub mod dispatch;
pub mod health;
pub mod lifeline;
pub mod log;
pub mod metrics;
pub mod serve;
pub mod shutdown;
pub mod supervise;
pub mod transport;

pub use lockstep_scheduling::{backoff, schedule, slots};

#[cfg(feature = "cluster")]
pub mod api_object;
#[cfg(feature = "cluster")]
pub mod apply;
#[cfg(feature = "cluster")]
pub mod authorize;
#[cfg(feature = "cluster")]
pub mod client;
#[cfg(feature = "cluster")]
pub mod events;
#[cfg(feature = "cluster")]
pub mod lease;
#[cfg(feature = "cluster")]
pub mod objects;
#[cfg(feature = "cluster")]
pub mod watch;
