//! The metadata server of a machine at Yandex Cloud: tokens of the machine's service account.

use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;

use super::{ask, check_ambient, get};
use crate::login;

/// The variable that leads to another metadata server, as in the vendor's SDK.
const ADDRESS: &str = "YC_METADATA_ADDR";
const DEFAULT_ADDRESS: &str = "169.254.169.254";
const WHAT: &str = "the instance metadata service";
/// A token that comes without its end is believed this long.
const DEFAULT_LIFE: Duration = Duration::from_mins(1);

/// Where the metadata server is asked for tokens.
pub fn address(ctx: &Ctx) -> String {
    let host = ctx.variable(ADDRESS);
    let host = host.as_deref().unwrap_or(DEFAULT_ADDRESS);
    format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token")
}

/// A token of the machine's service account.
pub async fn token(ctx: &Ctx) -> Result<AccessToken> {
    check_ambient(ctx, WHAT)?;
    let url = address(ctx);
    let request = get(ctx, &url)?.header("Metadata-Flavor", "Google");
    let answer = ask(ctx, WHAT, request).await.map_err(|error| {
        error.context(format!(
            "failed to get compute instance service account token from instance metadata service: \
             GET {url}"
        ))
    })?;
    login::oauth2_token(&answer, DEFAULT_LIFE, ctx.now())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use lockstep_provider_api::conformance::{response, scripted, services};
    use lockstep_provider_api::context::{Services, StoreName};

    use super::*;

    fn asked(ambient: bool, status: u16) -> Result<AccessToken> {
        let services = services().plugged(scripted(move |request| {
            assert_eq!(request.headers()["metadata-flavor"], "Google");
            let at =
                "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token";
            assert_eq!(request.uri(), at);
            response(status, r#"{"access_token":"t1","expires_in":3600}"#)
        }));
        let shared = Arc::into_inner(services.shared());
        let shared = Services {
            ambient,
            ..shared.unwrap()
        };
        let store = StoreName {
            namespace: None,
            name: "s".to_owned(),
        };
        let ctx = Ctx::new(Arc::new(shared), store, Scope::Cluster { caller: None });
        token(&ctx).now_or_never().unwrap()
    }

    #[test]
    fn a_machines_token_is_taken_where_the_operators_own_identity_may_be_used() {
        assert_eq!(asked(true, 200).unwrap().value, "t1".into());

        let error = asked(false, 200).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }

    #[test]
    fn a_machine_without_a_service_account_is_no_missing_secret() {
        let error = asked(true, 404).unwrap_err();

        assert!(!error.consequence().absent);
        assert!(error.to_string().ends_with("answered 404"), "{error}");
    }
}
