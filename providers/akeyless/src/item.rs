//! Values of items by their type: text as it is, everything else as JSON in Go's spelling. Numbers keep
//! their digits.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::json::{Value, decode, marshal_escaped, to_secret};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::api::Api;

#[derive(Deserialize)]
struct Certificate {
    certificate_pem: Option<String>,
    private_key_pem: Option<String>,
}

/// The value of an item, which may be empty.
pub(crate) async fn read(api: &Api, name: &str, version: i32) -> Result<SecretValue> {
    let item = api.describe(name).await?;
    match item.kind.as_str() {
        "STATIC_SECRET" => {
            let body = json!({ "names": [name], "version": version });
            let call = ("GetSecretValue", "get-secret-value");
            let answer = api.value(call, "secret value", body).await?;
            text(&answer, name)
        }
        "DYNAMIC_SECRET" => {
            let body = json!({ "name": name });
            let call = ("GetDynamicSecretsValue", "get-dynamic-secret-value");
            let answer = api.value(call, "dynamic secret value", body).await?;
            Ok(printed(&decoded(&answer)?))
        }
        "ROTATED_SECRET" => {
            let body = json!({ "names": name, "version": version });
            let call = ("GetRotatedSecretValue", "get-rotated-secret-value");
            let answer = api.value(call, "rotated secret value", body).await?;
            rotated(&decoded(&answer)?)
        }
        "CERTIFICATE" => {
            let body = json!({ "name": name, "version": version });
            let call = ("GetCertificateValue", "get-certificate-value");
            let answer = api.value(call, "certificate value", body).await?;
            certificate(&answer)
        }
        other => Err(Error::invalid_data(format!("invalid item type: {other}"))),
    }
}

fn decoded(answer: &Answer) -> Result<Value> {
    let body = SecretValue::from(&answer.expose_body()[..]);
    let value = decode(&body).map_err(|error| error.context("the answer is no JSON"))?;
    if value.as_object().is_none() {
        return Err(Error::invalid_data("the answer is no JSON object"));
    }
    Ok(value)
}

fn text(answer: &Answer, name: &str) -> Result<SecretValue> {
    let values = decoded(answer)?;
    match values.as_object().and_then(|values| values.get(name)) {
        Some(Value::String(text)) => Ok(SecretValue::from(text.as_str())),
        Some(_) => Err(Error::invalid_data("can't convert secret value to string")),
        None => Err(Error::invalid_data(format!("can't get secret: {name}"))),
    }
}

fn rotated(answer: &Value) -> Result<SecretValue> {
    let member = |value: &Value, name: &str| value.as_object()?.get(name).cloned();
    let Some(value) = member(answer, "value") else {
        return Ok(printed(answer));
    };
    if value.as_object().is_none() {
        return Err(Error::invalid_data("failure converting key from gsvOut"));
    }
    if let Some(payload) = member(&value, "payload") {
        return Ok(to_secret(&payload));
    }
    Ok(printed(&member(&value, "target_value").unwrap_or(value)))
}

fn certificate(answer: &Answer) -> Result<SecretValue> {
    let held: Certificate = answer.json()?;
    let members = [
        ("certificate_pem", held.certificate_pem),
        ("private_key_pem", held.private_key_pem),
    ];
    let members = members.into_iter();
    let members = members.filter_map(|(name, text)| Some((name.to_owned(), Value::String(text?))));
    Ok(printed(&Value::Object(members.collect())))
}

fn printed(value: &Value) -> SecretValue {
    SecretValue::from(marshal_escaped(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(answer: &str) -> Result<String> {
        let value = rotated(&decode(&answer.into())?)?;
        Ok(value.expose_utf8()?.to_owned())
    }

    #[test]
    fn a_rotated_secret_is_its_payload_its_target_or_itself() {
        let payload = taken(r#"{"value":{"payload":"p","target_value":{"a":1}}}"#);
        assert_eq!(payload.unwrap(), "p");
        let target = taken(r#"{"value":{"target_value":{"b":"<","a":12345678901234567890}}}"#);
        assert_eq!(
            target.unwrap(),
            r#"{"a":12345678901234567890,"b":"\u003c"}"#
        );
        assert_eq!(taken(r#"{"value":{"a":1}}"#).unwrap(), r#"{"a":1}"#);
        assert_eq!(taken(r#"{"x":1}"#).unwrap(), r#"{"x":1}"#);
    }

    #[test]
    fn a_rotated_secret_without_members_is_refused_without_showing_it() {
        let error = taken(r#"{"value":"hunter2"}"#).unwrap_err();

        assert_eq!(error.to_string(), "failure converting key from gsvOut");
    }
}
