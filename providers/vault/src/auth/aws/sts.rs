//! Keys of a role: from the security token service, or from the agent beside the operator's own pod.
//! Answers hold keys; nothing of them gets into a text.

use jiff::Timestamp;
use lockstep_provider_api::http::{HttpClient, RequestBuilder, Tls, encode_component};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::cloud::aws::{Form, Keys};

const SESSION: &str = "external-secrets-provider-vault";
const VERSION: &str = "2011-06-15";

/// Where the service is for everybody.
pub(super) fn public_url(region: &str) -> String {
    match region {
        // The address that servers expect where nobody told them another one.
        "us-east-1" => "https://sts.amazonaws.com/".to_owned(),
        region if region.starts_with("cn-") => format!("https://sts.{region}.amazonaws.com.cn/"),
        region => format!("https://sts.{region}.amazonaws.com/"),
    }
}

/// Keys of a role that other keys may assume.
pub(super) async fn assume(
    keys: &Keys,
    role: &str,
    external: Option<&str>,
    region: &str,
    ctx: &Ctx,
) -> Result<Keys> {
    let mut body = format!(
        "Action=AssumeRole&Version={VERSION}&RoleSessionName={SESSION}&RoleArn={}",
        encode_component(role)
    );
    if let Some(external) = external {
        body.push_str("&ExternalId=");
        body.push_str(&encode_component(external));
    }
    let url = url(region, ctx);
    let now: Timestamp = ctx.now();
    let mut request = client(ctx)?.post(&*url);
    let form = Form {
        url: &url,
        region,
        body: &body,
        extra: None,
    };
    for (name, value) in form.signed(keys, now)? {
        // The transport writes these two itself.
        if !matches!(name, "Host" | "Content-Length") {
            request = request.header(name, &value);
        }
    }
    let form = "application/x-www-form-urlencoded; charset=utf-8";
    keys_of("AssumeRole", role, request.body(form, body)).await
}

/// Keys of the role that a token of a ServiceAccount may assume.
pub(super) async fn web_identity(
    token: &SecretValue,
    role: &str,
    region: &str,
    ctx: &Ctx,
) -> Result<Keys> {
    let fields = [
        ("Action", "AssumeRoleWithWebIdentity"),
        ("Version", VERSION),
        ("RoleArn", role),
        ("RoleSessionName", SESSION),
        ("WebIdentityToken", token.expose_utf8()?.trim()),
    ];
    let request = client(ctx)?.post(url(region, ctx)).form(&fields);
    keys_of("AssumeRoleWithWebIdentity", role, request).await
}

/// Keys of the operator's own pod.
pub(super) async fn own(region: &str, ctx: &Ctx) -> Result<Keys> {
    let none = || {
        Error::invalid_spec(
            "no AWS authentication method found: expected either IRSA or Pod Identity",
        )
    };
    let ambient = ctx.ambient().ok_or_else(none)?;
    if let Some(file) = ctx.variable("AWS_WEB_IDENTITY_TOKEN_FILE") {
        let role = ctx.variable("AWS_ROLE_ARN").ok_or_else(none)?;
        return web_identity(&ambient.read(&file)?, &role, region, ctx).await;
    }
    let agent = ctx.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    let mut request = client(ctx)?.get(agent.ok_or_else(none)?);
    if let Some(file) = ctx.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        request = request.secret_header("Authorization", &ambient.read(&file)?);
    }
    let answer = request.send().await?.check()?;
    let keys: serde_json::Value = answer.json()?;
    let part = |name: &str| SecretValue::from(keys[name].as_str().unwrap_or_default());
    Ok(Keys::trimmed(
        &part("AccessKeyId"),
        &part("SecretAccessKey"),
        &part("Token"),
    ))
}

fn url(region: &str, ctx: &Ctx) -> String {
    let other = ctx.variable("AWS_STS_ENDPOINT");
    other.map_or_else(
        || public_url(region),
        |url| format!("{}/", url.trim_end_matches('/')),
    )
}

fn client(ctx: &Ctx) -> Result<HttpClient> {
    ctx.http(&Tls::default())
}

async fn keys_of(action: &str, role: &str, request: RequestBuilder) -> Result<Keys> {
    let answer = request.send().await?;
    let body = String::from_utf8_lossy(answer.expose_body()).into_owned();
    if let Some(error) = answer.error() {
        let said = part(&body, "Message").unwrap_or_default();
        let kind = match error.kind() {
            ErrorKind::Denied | ErrorKind::InvalidSpec => ErrorKind::Unauthenticated,
            ErrorKind::NotFound => ErrorKind::InvalidSpec,
            kind => kind.clone(),
        };
        return Err(Error::new(
            kind,
            format!("{action} of role {role} was refused: {said}"),
        ));
    }
    let found = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map(|name| part(&body, name));
    let [Some(id), Some(secret), Some(session)] = found else {
        return Err(Error::invalid_data(format!(
            "{action}: the answer of the security token service has no keys"
        )));
    };
    Ok(Keys::trimmed(&id.into(), &secret.into(), &session.into()))
}

/// The text of an element.
fn part<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once('<').map(|(text, _)| text)
}
