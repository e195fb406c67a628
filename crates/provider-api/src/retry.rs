//! A store's `retrySettings`, read once. What they mean by default differs between providers, so
//! the fields stay optional here and whoever repeats calls fills them in.

use std::time::Duration;

use lockstep_golang::duration;

use crate::error::{Error, Result};

/// Most repeats of one call; what still fails then is left to the backoff of the object.
const MOST_RETRIES: u32 = 20;
/// Shortest time between two tries, so that a manifest cannot make a tight loop of calls.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// `spec.retrySettings` of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetrySettings {
    /// How often a failed call is repeated.
    pub max_retries: Option<u32>,
    /// Time between two tries.
    pub interval: Option<Duration>,
}

impl RetrySettings {
    /// Reads the two fields of the manifest. Negative counts mean none, as they do upstream.
    pub fn parse(max_retries: Option<i64>, interval: Option<&str>) -> Result<Self> {
        let interval = interval.map(parse_interval).transpose()?;
        Ok(Self {
            max_retries: max_retries.map(bounded),
            interval: interval.map(|interval| interval.max(SHORTEST_INTERVAL)),
        })
    }
}

fn bounded(retries: i64) -> u32 {
    let most = i64::from(MOST_RETRIES);
    u32::try_from(retries.clamp(0, most)).unwrap_or(MOST_RETRIES)
}

fn parse_interval(text: &str) -> Result<Duration> {
    let refused =
        |reason: String| Error::invalid_spec(format!("spec.retrySettings.retryInterval: {reason}"));
    let parsed = duration::Duration::parse(text).map_err(|error| refused(error.to_string()))?;
    parsed
        .to_std()
        .ok_or_else(|| refused(format!("{text:?} is negative; give a duration such as 5s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_not_given_stay_open() {
        let settings = RetrySettings::parse(None, None).unwrap();

        assert_eq!(settings, RetrySettings::default());
    }

    #[test]
    fn a_count_and_a_go_duration_are_read() {
        let settings = RetrySettings::parse(Some(5), Some("1m30s")).unwrap();

        assert_eq!(settings.max_retries, Some(5));
        assert_eq!(settings.interval, Some(Duration::from_secs(90)));
        assert_eq!(
            RetrySettings::parse(Some(-1), None).unwrap().max_retries,
            Some(0)
        );
    }

    #[test]
    fn retries_without_end_and_without_a_pause_are_bounded() {
        let settings = RetrySettings::parse(Some(i64::MAX), Some("0s")).unwrap();

        assert_eq!(settings.max_retries, Some(MOST_RETRIES));
        assert_eq!(settings.interval, Some(SHORTEST_INTERVAL));
    }

    #[test]
    fn an_interval_that_is_no_duration_names_the_field() {
        let word = RetrySettings::parse(None, Some("soon")).unwrap_err();
        let negative = RetrySettings::parse(None, Some("-1s")).unwrap_err();

        assert_eq!(
            word.to_string(),
            "spec.retrySettings.retryInterval: time: invalid duration \"soon\""
        );
        assert!(negative.to_string().contains("negative"));
    }
}
