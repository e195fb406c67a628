//! `STSSessionToken`: temporary keys of the identity that logs in. STS ends them by itself; nothing is
//! taken back.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::{Generated, Generator, Random};
use serde::Deserialize;

use super::Login;
use crate::call::{Caller, Names};
use crate::sdk;

const NAMES: Names = Names {
    title: "STS",
    prefix: "sts",
    metric: "AWS/STS",
    noun: "session token of region",
};

/// `spec` of an STSSessionToken.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    #[serde(flatten)]
    login: Login,
    #[serde(default)]
    request_parameters: Parameters,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    session_duration: Option<i32>,
    serial_number: Option<String>,
    token_code: Option<String>,
}

pub(crate) struct StsSessionToken;

impl Generator for StsSessionToken {
    const KIND: &'static str = "STSSessionToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        if spec.login.auth.jwt.is_some() {
            return Err(Error::invalid_spec(
                "jwt auth cannot be used for STS Session Token generation",
            ));
        }
        let (config, sign_in) = spec.login.sign_in(ctx).await?;
        let client = sdk::sts(&config, ctx)?;
        let caller = Caller {
            ctx: ctx.clone(),
            names: &NAMES,
            region: Arc::from(spec.login.region.as_str()),
            sign_in,
        };
        let wanted = &spec.request_parameters;
        let send = || {
            let call = client.get_session_token();
            let call = call.set_duration_seconds(wanted.session_duration);
            let call = call.set_serial_number(wanted.serial_number.clone());
            call.set_token_code(wanted.token_code.clone()).send()
        };
        let answer = caller
            .call("GetSessionToken", &spec.login.region, send)
            .await
            .map_err(|failure| failure.error.context("unable to get authorization token"))?;
        let made = answer.credentials;
        let made = made.ok_or_else(|| Error::invalid_data("no credentials found"))?;
        let expiration = made.expiration.secs();
        let values = [
            ("access_key_id", made.access_key_id),
            ("secret_access_key", made.secret_access_key),
            ("session_token", made.session_token),
            ("expiration", expiration.to_string()),
        ];
        let values = values.map(|(key, value)| (key.to_owned(), SecretValue::from(value)));
        Ok(Generated {
            values: SecretMap::from_iter(values),
            state: None,
            expires: Timestamp::from_second(expiration).ok(),
        })
    }
}
