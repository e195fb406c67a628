//! Workload identity of Azure: a ServiceAccount token that Entra ID exchanges for one of an application.
//! The token that is exchanged never reaches an error.

use lockstep_provider_api::http::{Tls, encode_component};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

/// Audience of ServiceAccount tokens that Entra ID exchanges.
pub const AUDIENCE: &str = "api://AzureADTokenExchange";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The application whose token is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Application<'a> {
    /// Host of Entra ID, without a final slash.
    pub authority: &'a str,
    /// Tenant of the application.
    pub tenant: &'a str,
    /// Its client id.
    pub client: &'a str,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

/// A token for everything that the application may do at `resource`, which ends in a slash.
pub async fn exchange(
    ctx: &Ctx,
    application: Application<'_>,
    resource: &str,
    assertion: &SecretValue,
) -> Result<SecretValue> {
    let Application {
        authority,
        tenant,
        client,
    } = application;
    let tenant = encode_component(tenant);
    let url = format!("{authority}/{tenant}/oauth2/v2.0/token");
    let request = ctx.http(&Tls::default())?.post(url).accept_json().form(&[
        ("client_assertion", assertion.expose_utf8()?),
        ("client_assertion_type", ASSERTION),
        ("client_id", client),
        ("grant_type", "client_credentials"),
        ("scope", &format!("{resource}.default")),
    ]);
    let answer = crate::cloud::ask(ctx, "Entra ID", request).await?;
    let granted: Granted = answer.json()?;
    Ok(SecretValue::from(granted.access_token))
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted, services};

    use super::*;

    const APPLICATION: Application<'_> = Application {
        authority: "https://login.test",
        tenant: "t",
        client: "c",
    };

    fn exchanged(status: u16, body: &'static str) -> Result<SecretValue> {
        let services = services().plugged(scripted(move |request| {
            assert_eq!(request.uri(), "https://login.test/t/oauth2/v2.0/token");
            let form = String::from_utf8_lossy(request.body()).into_owned();
            assert!(form.contains("scope=https%3A%2F%2Fmanagement.azure.com%2F.default"));
            assert!(form.contains("client_assertion=hunter2"));
            response(status, body)
        }));
        let ctx = services.ctx("s");
        let resource = "https://management.azure.com/";
        block_on(exchange(&ctx, APPLICATION, resource, &"hunter2".into()))
    }

    #[test]
    fn a_token_is_exchanged_for_that_of_an_application() {
        let token = exchanged(200, r#"{"access_token":"at"}"#).unwrap();

        assert_eq!(token, "at".into());
    }

    #[test]
    fn a_refused_exchange_says_who_refused_and_not_what_was_sent() {
        let error = exchanged(401, r#"{"error":"invalid_client"}"#).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
        assert_eq!(error.to_string(), "Entra ID answered 401");
    }
}
