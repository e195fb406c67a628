//! Go's `text/template` with sprig and the functions of External Secrets, exactly as Go, safely.
//!
//! A [`Template`] is parsed once and executed on a [`Value`] with an [`Env`] that holds the time,
//! the source of randomness and the [`Limits`]. Strings are bytes and need not be UTF-8.
//!
//! # Safety contract
//!
//! * A template sees its data, the time in the [`Env`] and random bytes. No function reads an
//!   environment variable, a file, the network or a clock; zones of time are compiled in.
//! * An execution is bounded in steps, bytes of output, bytes of values and depth of calls. Beyond
//!   a limit it ends with an error of [`ErrorKind::Limit`] that names the template and the limit.
//!   Executions that share a [`Budget`] are bounded together, in time as well.
//! * No source and no data, however hostile, makes it panic, hang or exhaust the stack.
//! * No error holds a value that came from data, and no output is left of an execution that failed.
//!
//! ```
//! use lockstep_template::{Env, Limits, Options, Random, RandomError, StrMap, Template, Value};
//!
//! struct NoRandom;
//! impl Random for NoRandom {
//!     fn fill(&self, _: &mut [u8]) -> Result<(), RandomError> {
//!         Err(RandomError("none here".into()))
//!     }
//! }
//!
//! let template = Template::parse("dsn", "{{ .user }}@{{ .host | upper }}", &Options::default())?;
//! let data = Value::from(StrMap::from_iter([("user", "alice"), ("host", "db")]));
//! let env = Env { now: jiff::Timestamp::UNIX_EPOCH, random: &NoRandom, limits: Limits::default() };
//!
//! assert_eq!(template.execute(&data, &env)?, b"alice@DB");
//! # Ok::<(), lockstep_template::Error>(())
//! ```
#![warn(missing_docs)]

mod ast;
mod budget;
mod cast;
mod compare;
mod context;
#[cfg(feature = "crypto")]
mod crypto;
#[cfg_attr(not(feature = "crypto"), allow(dead_code, reason = "needed for keys"))]
mod der;
mod env;
mod error;
mod exec;
mod failure;
mod funcs;
#[cfg(feature = "crypto")]
pub mod keys;
mod lex;
mod limits;
mod methods;
mod parse;
#[cfg_attr(not(feature = "crypto"), allow(dead_code, reason = "needed for keys"))]
mod pem;
mod print;
mod semver;
mod strconv;
mod template;
mod time;
mod unicode;
mod url;
#[cfg_attr(not(feature = "crypto"), allow(dead_code, reason = "needed for keys"))]
mod value;
#[cfg_attr(not(feature = "crypto"), allow(dead_code, reason = "needed for keys"))]
mod x509;
mod yaml;

pub use budget::Budget;
pub use env::{Env, Random, RandomError};
pub use error::{Error, ErrorKind};
pub use funcs::names as function_names;
pub use limits::{Exceeded, Limits};
pub use template::{MissingKey, Options, Template};
pub use value::{Elem, List, Map, MapKind, Opaque, Str, StrMap, Value};
