//! The edges of the program: clocks, HTTP, scheduling, logs, metrics, health, and everything added
//! around the Kubernetes client. Knows no custom resource and reads no environment variable:
//! settings come in as structs.

pub mod backoff;
#[cfg(feature = "cluster")]
pub mod client;
pub mod clock;
pub mod connect;
pub mod dispatch;
#[cfg(feature = "cluster")]
pub mod failure;
pub mod health;
pub mod metrics;
pub mod schedule;
pub mod shutdown;
pub mod supervise;
pub mod transport;
#[cfg(feature = "cluster")]
pub mod watch;

mod sync;
