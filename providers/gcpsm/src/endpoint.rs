//! The address of Secret Manager. It can be replaced by a setting of the operator, never by a manifest.

use lockstep_provider_api::prelude::*;
pub(crate) use lockstep_provider_kit::cloud::google::endpoint::Endpoint;

/// The base of Secret Manager's URLs for a location.
pub(crate) fn secret_manager(location: Option<&str>, ctx: &Ctx) -> Result<String> {
    let usual = match location {
        None => "https://secretmanager.googleapis.com".to_owned(),
        Some(location) => format!("https://secretmanager.{location}.rep.googleapis.com"),
    };
    Endpoint::SecretManager.url(&usual, ctx)
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::services;

    use super::*;

    #[test]
    fn each_location_has_a_host_of_its_own() {
        let ctx = services().ctx("store");

        assert_eq!(
            secret_manager(None, &ctx).unwrap(),
            "https://secretmanager.googleapis.com"
        );
        assert_eq!(
            secret_manager(Some("europe-west3"), &ctx).unwrap(),
            "https://secretmanager.europe-west3.rep.googleapis.com"
        );
    }
}
