//! What a function may use beside its arguments: the environment given to the execution, and the
//! meter that keeps it within limits.

use std::sync::Arc;

use lockstep_golang::regexp::Regexp;

use crate::env::Env;
use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, Meter};
use crate::value::{Str, Value};

/// The state shared by all function calls of one execution.
pub(crate) struct Context<'a> {
    pub(crate) env: &'a Env<'a>,
    pub(crate) meter: Meter,
    /// Patterns compiled so far, a few of them.
    pub(crate) regexps: Vec<(Str, Arc<Regexp>)>,
}

/// How many compiled patterns are kept.
const KEPT_REGEXPS: usize = 16;

impl<'a> Context<'a> {
    pub(crate) fn new(env: &'a Env<'a>, meter: Meter) -> Self {
        Self {
            env,
            meter,
            regexps: Vec::new(),
        }
    }

    /// A new string value, counted against the memory limit.
    pub(crate) fn string(&mut self, bytes: impl Into<Str>) -> Outcome<Value> {
        let text = bytes.into();
        self.meter.charge(text.len())?;
        Ok(Value::Str(text))
    }

    /// Refuses to build a string longer than any output may be, before it is built.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.meter.charge(bytes)
    }

    /// Keeps a compiled pattern for the next call with it.
    pub(crate) fn remember(&mut self, pattern: Str, regexp: &Arc<Regexp>) {
        if self.regexps.len() >= KEPT_REGEXPS {
            self.regexps.remove(0);
        }
        self.regexps.push((pattern, Arc::clone(regexp)));
    }

    /// `n` random bytes.
    pub(crate) fn random(&mut self, n: usize) -> Outcome<Vec<u8>> {
        self.meter.charge(n)?;
        let mut bytes = vec![0; n];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Outcome<()> {
        self.env
            .random
            .fill(buffer)
            .map_err(|error| Failure::new(error.to_string()))
    }
}
