//! Reading values: which version is meant, and what of its payload is wanted.

use lockstep_provider_api::json::json_object;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use crate::api::Version;
use crate::error::Failure;
use crate::metadata;
use crate::spec::SelectionPolicy;
use crate::state::LATEST;
use crate::store::Connection;

/// Upstream's text, which it never fills in.
const NO_JSON: &str = "unable to unmarshal secret from JSON: %w";

impl Connection {
    /// The whole value or all metadata of a reference.
    pub(crate) async fn whole_of(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = &reference.key;
        if reference.metadata == MetadataPolicy::Fetch {
            let secret = self.api.secret(key).await;
            let secret = match secret {
                Ok(secret) => secret,
                Err(failure) => return Err(self.explained(failure, key, "").await),
            };
            return Ok(metadata::document(&secret));
        }
        let value = match self.payload(reference).await {
            Ok(value) => value,
            Err(failure) => {
                let version = reference.wanted_version().unwrap_or(LATEST);
                return Err(self.explained(failure, key, version).await);
            }
        };
        if value.is_empty() {
            return Err(Error::invalid_data(format!(
                "invalid secret received. no secret string for key: {key}"
            )));
        }
        Ok(value)
    }

    async fn payload(&self, reference: &RemoteRef) -> Result<SecretValue, Failure> {
        let key = &reference.key;
        let wanted = reference.wanted_version();
        let failure = match self.api.access(key, wanted.unwrap_or(LATEST)).await {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        let may_fetch = self.policy == SelectionPolicy::LatestOrFetch && wanted.is_none();
        if !may_fetch || failure.dead_version().is_none() {
            return Err(failure);
        }
        match newest(self.api.enabled_versions(key).await?) {
            Some(version) => self.api.access(key, version.number()).await,
            None => Err(failure),
        }
    }
}

/// The version that was made last.
pub(crate) fn newest(versions: Vec<Version>) -> Option<Version> {
    let number = |version: &Version| version.number().parse::<u64>().unwrap_or_default();
    versions
        .into_iter()
        .max_by_key(|version| (version.create_time, number(version)))
}

/// The value that a reference means, out of the whole one.
pub(crate) fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    if reference.metadata == MetadataPolicy::Fetch {
        return metadata::wanted(value, reference);
    }
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    if !is_json(value) {
        return Err(Error::invalid_data(NO_JSON));
    }
    property::extract(value, property, Dots::EscapedThenRaw).map_err(|_| {
        Error::invalid_data(format!(
            "key {property} does not exist in secret {}",
            reference.key
        ))
    })
}

/// What a read gives, out of the outcome of the read of the whole value.
pub(crate) fn extract_from(read: &Read, containing: &Result<Payload>) -> Result<Payload> {
    read.extract_from_value(containing, wanted, |value, _| members(value))
}

/// The members of a value that must be a JSON object.
pub(crate) fn members(value: &SecretValue) -> Result<SecretMap> {
    json_object(value).map_err(|error| error.context("unable to unmarshal secret from JSON"))
}

pub(crate) fn is_json(value: &SecretValue) -> bool {
    lockstep_provider_api::json::decode(value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(number: u32, time: &str) -> Version {
        Version {
            name: format!("projects/p/secrets/s/versions/{number}"),
            create_time: Some(time.parse().unwrap()),
            ..Version::default()
        }
    }

    #[test]
    fn the_newest_version_is_the_one_made_last() {
        let versions = vec![
            version(9, "2026-01-01T00:00:00Z"),
            version(10, "2026-01-02T00:00:00Z"),
            version(11, "2026-01-02T00:00:00Z"),
        ];

        assert_eq!(newest(versions).unwrap().number(), "11");
        assert!(newest(Vec::new()).is_none());
    }

    #[test]
    fn a_missing_property_is_an_error_and_never_absence() {
        let value = SecretValue::from(r#"{"a":"1"}"#);
        let reference = RemoteRef::key("s").property("b");

        let error = wanted(&value, &reference).unwrap_err();
        let text = wanted(&"hunter2".into(), &reference).unwrap_err();

        assert_eq!(error.to_string(), "key b does not exist in secret s");
        assert!(!error.consequence().absent);
        assert_eq!(text.to_string(), NO_JSON);
    }
}
