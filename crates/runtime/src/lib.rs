//! The edges of the program: clocks, HTTP, scheduling, logs, metrics, health, and everything added
//! around the Kubernetes client. Knows no custom resource and reads no environment variable:
//! settings come in as structs.

pub mod backoff;
pub mod clock;
pub mod connect;
pub mod dispatch;
pub mod health;
pub mod log;
pub mod metrics;
pub mod schedule;
pub mod serve;
pub mod shutdown;
pub mod status;
pub mod supervise;
pub mod transport;

mod sync;

#[cfg(feature = "cluster")]
pub mod apply;
#[cfg(feature = "cluster")]
pub mod authorize;
#[cfg(feature = "cluster")]
pub mod client;
#[cfg(feature = "cluster")]
pub mod events;
#[cfg(feature = "cluster")]
pub mod failure;
#[cfg(feature = "cluster")]
pub mod lease;
#[cfg(feature = "cluster")]
pub mod objects;
#[cfg(feature = "cluster")]
pub mod target;
#[cfg(feature = "cluster")]
pub mod watch;
