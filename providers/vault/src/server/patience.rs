//! How often a failed request is repeated, and when.

use std::time::Duration;

use lockstep_provider_api::retry::RetrySettings;

/// Tries after the first one where the store says nothing, as the vendor's client has it.
const RETRIES: u32 = 2;
/// Shortest and longest time between two tries, in milliseconds.
const PAUSE: (u64, u64) = (1000, 1500);

/// How often a request is repeated, and after which time.
pub(super) fn patience(settings: Option<&RetrySettings>) -> (u32, impl Fn() -> Duration + use<>) {
    let retries = settings.map_or(RETRIES, |settings| settings.max_retries.unwrap_or(0));
    let fixed = settings.and_then(|settings| settings.interval);
    let interval =
        move || fixed.unwrap_or_else(|| Duration::from_millis(fastrand::u64(PAUSE.0..=PAUSE.1)));
    (retries, interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_settings_two_more_tries_are_made_and_with_them_as_many_as_they_say() {
        let given = |max_retries| RetrySettings {
            max_retries,
            interval: Some(Duration::from_millis(20)),
        };

        let (none, pause) = patience(None);
        let (zero, short) = patience(Some(&given(None)));
        let (five, _) = patience(Some(&given(Some(5))));

        assert_eq!((none, zero, five), (2, 0, 5));
        assert!((1000..=1500).contains(&pause().as_millis()));
        assert_eq!(short(), Duration::from_millis(20));
    }
}
