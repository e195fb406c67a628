//! An ID token of the operator's own identity at Google: that of the key file which
//! `GOOGLE_APPLICATION_CREDENTIALS` names, else that of the metadata server. The key never leaves the
//! signature.

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::{KeyFile, TOKEN, id_token};

const VARIABLE: &str = "GOOGLE_APPLICATION_CREDENTIALS";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

#[derive(Deserialize)]
struct Granted {
    id_token: String,
}

/// An ID token for an audience.
pub async fn own_id_token(ctx: &Ctx, audience: &str) -> Result<SecretValue> {
    match (ctx.variable(VARIABLE), ctx.ambient()) {
        (Some(path), Some(ambient)) => of_key(ctx, &ambient.read(&path)?, audience).await,
        _ => id_token(ctx, audience).await,
    }
}

/// An ID token of the service account of a key file.
async fn of_key(ctx: &Ctx, file: &SecretValue, audience: &str) -> Result<SecretValue> {
    let key: KeyFile = serde_json::from_slice(file.expose()).map_err(|_| {
        Error::invalid_spec(format!(
            "the file that {VARIABLE} names is no key file of a Google service account"
        ))
    })?;
    let now = ctx.now().as_second();
    let claims = json!({
        "iss": key.client_email,
        "aud": TOKEN,
        "target_audience": audience,
        "iat": now,
        "exp": now + 3600,
    });
    let signer = RsaKey::from_pem(&key.private_key.as_str().into())?;
    let assertion = signer.sign(&json!({ "alg": "RS256", "typ": "JWT" }), &claims)?;
    let request = ctx.http(&Tls::default())?.post(TOKEN).form(&[
        ("grant_type", GRANT),
        ("assertion", assertion.expose_utf8()?),
    ]);
    let answer = crate::cloud::ask(ctx, "Google's token service", request).await?;
    let granted: Granted = answer.json()?;
    Ok(SecretValue::from(granted.id_token))
}

#[cfg(test)]
mod tests {
    use lockstep_golang::base64::{Encoding, decode};
    use lockstep_provider_api::conformance::{block_on, response, scripted, services};
    use serde_json::Value;

    use super::*;

    const KEY: &str = include_str!("../../../../provider-api/src/jwt/pkcs8.pem");

    #[test]
    fn a_key_file_is_traded_in_for_an_id_token_of_the_audience() {
        let services = services().plugged(scripted(|request| {
            assert_eq!(request.uri(), TOKEN);
            let form = String::from_utf8_lossy(request.body()).into_owned();
            let (_, assertion) = form.split_once("&assertion=").unwrap();
            let claims = assertion.split('.').nth(1).unwrap();
            let claims = decode(Encoding::RawUrl, claims.as_bytes()).unwrap();
            let claims: Value = serde_json::from_slice(&claims).unwrap();
            assert_eq!(claims["target_audience"], "akeyless.io");
            assert_eq!(claims["iss"], "sa@p.iam");
            response(200, r#"{"id_token":"it"}"#)
        }));
        let file = json!({ "client_email": "sa@p.iam", "private_key": KEY }).to_string();

        let token = block_on(of_key(&services.ctx("s"), &file.into(), "akeyless.io"));

        assert_eq!(token.unwrap(), "it".into());
    }

    #[test]
    fn another_file_is_refused_by_the_variable_that_names_it() {
        let error = block_on(of_key(&services().ctx("s"), &"hunter2".into(), "a"));

        let text = error.unwrap_err().to_string();
        assert!(
            text.contains(VARIABLE) && !text.contains("hunter2"),
            "{text}"
        );
    }
}
