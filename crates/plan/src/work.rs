//! What planning one object may use beside what was observed: settings, the time, and one budget for
//! all templates, labels, annotations, rewrites and decoding of the object together. Decides what a
//! Secret may hold and how an exceeded limit is reported.

use jiff::Timestamp;
use lockstep_provider_api::{Error, SecretMap};
use lockstep_template::{Budget, Exceeded};

use crate::settings::Settings;

/// Most bytes of data in a Secret; the API server refuses more.
pub const MOST_SECRET_BYTES: usize = 1024 * 1024;
/// Most bytes that an object may fetch: a Secret's worth, encoded, and what templates drop.
pub const MOST_FETCHED_BYTES: usize = 4 * 1024 * 1024;

/// The means of planning one object.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Settings of the process.
    pub settings: &'a Settings,
    /// Start of the run.
    pub now: Timestamp,
    /// What the object may still use.
    pub budget: &'a Budget,
}

impl Work<'_> {
    /// Takes from the budget for something that the object asks for.
    pub(crate) fn spend(&self, steps: usize, memory: usize) -> Result<(), Error> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let spent = self.budget.spend(steps, memory);
        spent.map_err(|exceeded| Error::invalid_spec(told(exceeded)))
    }
}

/// A limit of the whole object, and what to do about it.
pub(crate) fn told(exceeded: Exceeded) -> String {
    format!("{exceeded}{}", remedy(exceeded))
}

/// Words behind the error of a template that met a limit of the object.
pub(crate) const SHARED: &str = "; all templates, labels, annotations and rewrites of an object \
                                 count together: let them do less, or raise the limit";

fn remedy(exceeded: Exceeded) -> String {
    let flag = match exceeded {
        Exceeded::Steps(_) => " (--template-max-steps)",
        Exceeded::Output(_) => " (--template-max-output)",
        Exceeded::Memory(_) => " (--template-max-memory)",
        _ => "",
    };
    format!("{SHARED}{flag}")
}

/// Refuses data that no Secret can hold, before anything is sent.
pub(crate) fn fits_secret(data: &SecretMap) -> Result<(), String> {
    let bytes: usize = data.iter().map(|(_, value)| value.len()).sum();
    if bytes <= MOST_SECRET_BYTES {
        return Ok(());
    }
    let largest = data.iter().max_by_key(|(_, value)| value.len());
    let (key, largest) = largest.map_or(("", 0), |(key, value)| (key, value.len()));
    Err(format!(
        "the data has {bytes} bytes, and a Secret holds at most {MOST_SECRET_BYTES}; the largest key \
         is {key} with {largest} bytes: fetch or render less, or split it over several objects"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::map;

    #[test]
    fn data_up_to_a_secrets_limit_fits_and_one_byte_more_does_not() {
        let whole = "x".repeat(MOST_SECRET_BYTES);

        assert_eq!(fits_secret(&map([("k", whole.as_str())])), Ok(()));
        let text = fits_secret(&map([("k", whole.as_str()), ("l", "y")])).unwrap_err();
        assert!(
            text.starts_with("the data has 1048577 bytes, and a Secret holds at most 1048576; the largest key is k"),
            "{text}"
        );
    }

    #[test]
    fn an_exceeded_limit_names_the_limit_and_the_flag() {
        let text = told(Exceeded::Steps(7));

        assert!(text.starts_with("execution exceeds the limit of 7 steps; all templates"));
        assert!(text.ends_with("(--template-max-steps)"));
    }
}
