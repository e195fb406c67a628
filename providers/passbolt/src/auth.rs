//! The sign-in with an OpenPGP key: the server sends a challenge that only the user's key opens, and
//! takes the opened one for proof. Nothing is kept here.

use std::sync::Arc;

use lockstep_provider_api::http::{Answer, Method};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::not_absence;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::{Api, cookie};
use crate::error::{check, check_challenge};
use crate::metadata::Metadata;
use crate::openpgp::PrivateKey;
use crate::session::Session;

/// Names of the session's cookie in the versions of Passbolt.
const SESSION_COOKIES: [&str; 3] = ["passbolt_session", "CAKEPHP", "PHPSESSID"];
const LOGIN: &str = "/auth/login.json";

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Settings {
    passbolt: Value,
}

/// Signs in. A refusal is never absence, whatever its status.
pub(crate) async fn sign_in(rest: &Rest, key: &Arc<PrivateKey>) -> Result<Session> {
    signed_in(rest, key).await.map_err(not_absence)
}

async fn signed_in(rest: &Rest, key: &Arc<PrivateKey>) -> Result<Session> {
    let mut api = Api::new(rest.clone());
    let fingerprint = key.fingerprint();
    let first = json!({ "gpg_auth": { "keyid": fingerprint } });
    let request = api.request(Method::POST, LOGIN).json(&first);
    let challenged = api.send("Login", request, check_challenge).await;
    let challenged = challenged.map_err(|error| error.context("doing Stage 1 Request"))?;
    let token = answer_to(&challenged, key)?;

    let second = json!({
        "gpg_auth": { "keyid": fingerprint, "user_token_result": token.expose_utf8()? }
    });
    let request = api.request(Method::POST, LOGIN).json(&second);
    let signed = api.send("Login", request, check).await;
    let signed = signed.map_err(|error| error.context("doing Stage 2 Request"))?;
    let session = cookie(&signed, &SESSION_COOKIES).filter(|cookie| !cookie.value.is_empty());
    let session = session.ok_or_else(|| Error::invalid_data("cannot find session cookie"))?;
    api.set_session(session);

    let user: User = api
        .get("GetUser", "/users/me.json")
        .await
        .map_err(|error| error.context("getting CSRF Token"))?;
    check_settings(&api).await?;
    let metadata = Metadata::new(user.id, Arc::clone(key));
    metadata.prepare(&api).await;
    Ok(Session::new(api, Arc::clone(key), metadata))
}

/// The opened challenge of a server's answer.
fn answer_to(answer: &Answer, key: &PrivateKey) -> Result<SecretValue> {
    let challenge = answer
        .header("x-gpgauth-user-auth-token")
        .unwrap_or_default();
    if challenge.is_empty() {
        return Err(Error::invalid_data(
            "got empty X-GPGAuth-User-Auth-Token header",
        ));
    }
    let armored = unescaped(challenge)
        .ok_or_else(|| Error::invalid_data("unescaping User Auth Token: it has a bad escape"))?;
    let opened = key
        .open(&armored.replace("\\ ", " "))
        .map_err(|error| error.context("decrypting User Auth Token"))?;
    check_token(opened.plain.expose_utf8().unwrap_or_default())
        .map_err(|text| Error::invalid_data(format!("checking Auth Token Format: {text}")))?;
    Ok(opened.plain)
}

/// A token that is not the server's own challenge could be anything that somebody wants opened.
fn check_token(token: &str) -> std::result::Result<(), &'static str> {
    let fields: Vec<&str> = token.split('|').collect();
    let [version, length, data, end] = fields.as_slice() else {
        return Err("auth Token Has Wrong amount of Fields");
    };
    if version != end {
        return Err("auth Token Version Fields Don't match");
    }
    if !version.starts_with("gpgauth") {
        return Err("auth Token Version does not start with 'gpgauth'");
    }
    match length.parse::<usize>() {
        Ok(length) if length == data.len() => Ok(()),
        Ok(_) => Err("auth Token Data Length does not Match Length Field"),
        Err(_) => Err("cannot Convert Auth Token Length Field to int"),
    }
}

/// Decodes what a form encodes; `None` where an escape is not complete.
fn unescaped(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

/// A server with encrypted metadata must let its settings be read.
async fn check_settings(api: &Api) -> Result<()> {
    let settings: Result<Settings> = api.get("GetSettings", "/settings.json").await;
    let settings = settings.map_err(|error| error.context("getting Server Settings"))?;
    let enabled = settings.passbolt.pointer("/plugins/metadata/enabled");
    if enabled != Some(&Value::Bool(true)) {
        return Ok(());
    }
    for (path, what) in [
        ("/metadata/types/settings.json", "Metadata Type Settings"),
        ("/metadata/keys/settings.json", "Metadata Key Settings"),
    ] {
        let read: Result<Value> = api.get("GetSettings", path).await;
        read.map_err(|error| {
            error.context(format!("setup Metadata Type Settings: getting {what}"))
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_has_four_fields_that_agree() {
        let id = "0b2a0f6e-1f3c-4d51-9d0e-2f1f6a3a9b11";

        assert!(check_token(&format!("gpgauthv1.3.0|36|{id}|gpgauthv1.3.0")).is_ok());
        for (token, text) in [
            (id.to_owned(), "Wrong amount"),
            (format!("gpgauthv1|36|{id}|gpgauthv2"), "Don't match"),
            (format!("v1|36|{id}|v1"), "does not start"),
            (format!("gpgauth|x|{id}|gpgauth"), "to int"),
            (format!("gpgauth|35|{id}|gpgauth"), "Length Field"),
        ] {
            assert!(check_token(&token).unwrap_err().contains(text), "{token}");
        }
    }

    #[test]
    fn escapes_are_decoded_and_a_broken_one_is_refused() {
        assert_eq!(unescaped("a+b%0Ac").unwrap(), "a b\nc");
        assert_eq!(unescaped("%4"), None);
        assert_eq!(unescaped("%zz"), None);
    }
}
