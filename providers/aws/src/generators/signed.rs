//! One signed request to a service whose client of the SDK would be compiled for this request alone.
//! The SDK's own signature code signs it (docs/adr/0060-one-call-services.md).

use std::time::SystemTime;

use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use lockstep_provider_api::http::{Answer, Tls};
use lockstep_provider_api::prelude::*;

use crate::auth::SignIn;

const BODY: &str = "{}";
const CONTENT_TYPE: &str = "application/x-amz-json-1.1";

/// A call without parameters of a service that speaks JSON.
pub(super) struct Call<'a> {
    pub(super) url: String,
    pub(super) region: &'a str,
    /// Name of the service in signatures.
    pub(super) service: &'a str,
    /// Name of the operation.
    pub(super) target: &'a str,
}

/// Sends a call and returns its answer if it succeeded.
pub(super) async fn send(call: &Call<'_>, sign_in: &SignIn, ctx: &Ctx) -> Result<Answer> {
    let credentials = sign_in.credentials().await?;
    let headers = [
        ("content-type", CONTENT_TYPE),
        ("x-amz-target", call.target),
    ];
    let fault = |error: &dyn std::fmt::Display| {
        Error::new(
            ErrorKind::Internal,
            format!("cannot sign the request: {error}"),
        )
    };
    let identity = credentials.into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(call.region)
        .name(call.service)
        .time(SystemTime::from(ctx.now()))
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| fault(&error))?
        .into();
    let body = SignableBody::Bytes(BODY.as_bytes());
    let request = SignableRequest::new("POST", call.url.as_str(), headers.into_iter(), body)
        .map_err(|error| fault(&error))?;
    let signed = sign(request, &params).map_err(|error| fault(&error))?;
    let (instructions, _) = signed.into_parts();

    let mut request = ctx.http(&Tls::default())?.post(&*call.url);
    request = request
        .body(CONTENT_TYPE, BODY)
        .header("x-amz-target", call.target);
    for (name, value) in instructions.headers() {
        request = request.secret_header(name, &SecretValue::from(value));
    }
    let answer = request.send().await?;
    match answer.detail("/message") {
        Some(_) => answer.check_with("/message"),
        None => answer.check_with("/Message"),
    }
}
