//! The suite every provider runs, and the services its tests need.

mod executor;
mod objects;
mod services;
mod time;
mod transport;

pub use executor::block_on;
pub use objects::MemoryObjects;
pub use services::{CallLog, NAMESPACE, TestServices, services};
pub use time::ManualTime;
pub use transport::{Fault, Wire, response, scripted};
