//! `ECRAuthorizationToken`: user name and password for a registry of ECR, private or public. AWS ends
//! them after twelve hours; nothing is taken back.

use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::{Generated, Generator, Random};
use serde::Deserialize;

use super::Login;
use super::signed::{Call, send};
use crate::endpoint::Endpoint;

const PUBLIC: &str = "public";

/// `spec` of an ECRAuthorizationToken.
#[derive(Deserialize)]
pub(crate) struct Spec {
    #[serde(flatten)]
    login: Login,
    #[serde(default)]
    scope: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Private {
    #[serde(default)]
    authorization_data: Vec<Data>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Public {
    authorization_data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    authorization_token: String,
    /// Seconds since 1970, with a fraction.
    expires_at: f64,
    proxy_endpoint: Option<String>,
}

pub(crate) struct EcrAuthorizationToken;

impl Generator for EcrAuthorizationToken {
    const KIND: &'static str = "ECRAuthorizationToken";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let (_, sign_in) = spec.login.sign_in(ctx).await?;
        if spec.scope == PUBLIC {
            let answer = send(&public(&spec, ctx)?, &sign_in, ctx).await;
            let answer = answer
                .map_err(|error| error.context("unable to get public authorization token"))?;
            let mut data = answer.json::<Public>()?.authorization_data;
            data.proxy_endpoint = None;
            return made(data);
        }
        let answer = send(&private(&spec, ctx)?, &sign_in, ctx).await;
        let answer = answer.map_err(|error| error.context("unable to get authorization token"))?;
        let data = answer.json::<Private>()?.authorization_data;
        let count = data.len();
        let [data] = <[Data; 1]>::try_from(data).map_err(|_| {
            Error::invalid_data(format!(
                "unexpected number of authorization tokens. expected 1, found {count}"
            ))
        })?;
        made(data)
    }
}

fn private<'a>(spec: &'a Spec, ctx: &Ctx) -> Result<Call<'a>> {
    let region = spec.login.region.as_str();
    let domain = if region.starts_with("cn-") {
        "amazonaws.com.cn"
    } else {
        "amazonaws.com"
    };
    let url = Endpoint::Ecr.url(ctx)?;
    Ok(Call {
        url: url.unwrap_or_else(|| format!("https://api.ecr.{region}.{domain}")),
        region,
        service: "ecr",
        target: "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
    })
}

fn public<'a>(spec: &'a Spec, ctx: &Ctx) -> Result<Call<'a>> {
    let region = spec.login.region.as_str();
    let url = Endpoint::EcrPublic.url(ctx)?;
    Ok(Call {
        url: url.unwrap_or_else(|| format!("https://api.ecr-public.{region}.amazonaws.com")),
        region,
        service: "ecr-public",
        target: "SpencerFrontendService.GetAuthorizationToken",
    })
}

fn made(data: Data) -> Result<Generated> {
    let malformed = || Error::invalid_data("unexpected token format");
    let decoded = base64::Engine::decode(
        &base64::engine::general_purpose::STANDARD,
        &data.authorization_token,
    );
    let decoded = SecretValue::new(decoded.map_err(|_| malformed())?);
    let (user, password) = decoded
        .expose_utf8()?
        .split_once(':')
        .ok_or_else(malformed)?;
    let expires = Timestamp::from_duration(
        jiff::SignedDuration::try_from_secs_f64(data.expires_at).map_err(|_| malformed())?,
    )
    .map_err(|_| malformed())?;
    let mut values = SecretMap::from_iter([
        ("username".to_owned(), SecretValue::from(user)),
        ("password".to_owned(), SecretValue::from(password)),
        (
            "expires_at".to_owned(),
            SecretValue::from(expires.as_second().to_string()),
        ),
    ]);
    if let Some(endpoint) = data.proxy_endpoint {
        values.insert("proxy_endpoint", SecretValue::from(endpoint));
    }
    Ok(Generated {
        values,
        state: None,
        expires: Some(expires),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(token: &str) -> Data {
        Data {
            authorization_token: token.to_owned(),
            expires_at: 2_000_000_000.5,
            proxy_endpoint: Some("https://1.dkr.ecr".to_owned()),
        }
    }

    #[test]
    fn the_token_is_taken_apart() {
        let made = made(data("QVdTOnB3")).unwrap();

        let text = |key| made.values.get(key).unwrap().expose_utf8().unwrap();
        assert_eq!((text("username"), text("password")), ("AWS", "pw"));
        assert_eq!(text("expires_at"), "2000000000");
        assert_eq!(text("proxy_endpoint"), "https://1.dkr.ecr");
        assert_eq!(made.expires.unwrap().as_second(), 2_000_000_000);
    }

    #[test]
    fn a_token_without_a_password_is_refused() {
        for token in ["QVdT", "%%%"] {
            assert!(made(data(token)).is_err(), "{token}");
        }
    }
}
