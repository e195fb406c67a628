//! The operator's own keys of AWS, and the region it runs in.

use std::fmt;

use lockstep_provider_api::http::{Answer, Method, Tls, encode_component};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::cloud::{ask, check_ambient, get};

const METADATA: &str = "http://169.254.169.254/latest";
const WHAT: &str = "the metadata server of AWS";
const ROLE_SESSION: &str = "lockstep";

/// Keys of AWS.
#[derive(Clone)]
pub struct Keys {
    /// Access key id.
    pub id: SecretValue,
    /// Secret access key.
    pub secret: SecretValue,
    /// Session token; empty for keys without an end.
    pub session: SecretValue,
}

impl Keys {
    /// Keys without the line breaks that Secrets tend to end in.
    pub fn trimmed(id: &SecretValue, secret: &SecretValue, session: &SecretValue) -> Self {
        let [id, secret, session] =
            [id, secret, session].map(|part| SecretValue::from(part.expose().trim_ascii()));
        Self {
            id,
            secret,
            session,
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(***)")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GivenKeys {
    access_key_id: String,
    secret_access_key: String,
    #[serde(default)]
    token: String,
}

impl From<GivenKeys> for Keys {
    fn from(given: GivenKeys) -> Self {
        Self {
            id: given.access_key_id.into(),
            secret: given.secret_access_key.into(),
            session: given.token.into(),
        }
    }
}

/// Region and keys of the operator itself.
pub async fn ambient(ctx: &Ctx) -> Result<(String, Keys)> {
    check_ambient(ctx, "the operator's identity of AWS")?;
    let region = ["AWS_REGION", "AWS_DEFAULT_REGION"]
        .into_iter()
        .find_map(|name| ctx.variable(name));
    let region = match region {
        Some(region) => region,
        None => instance_region(ctx).await?,
    };
    let keys = match (
        ctx.variable("AWS_ACCESS_KEY_ID"),
        ctx.variable("AWS_SECRET_ACCESS_KEY"),
    ) {
        (Some(id), Some(secret)) => Keys {
            id: id.into(),
            secret: secret.into(),
            session: ctx.variable("AWS_SESSION_TOKEN").unwrap_or_default().into(),
        },
        _ => given(ctx, &region).await?,
    };
    Ok((region, keys))
}

async fn given(ctx: &Ctx, region: &str) -> Result<Keys> {
    let role = ctx.variable("AWS_ROLE_ARN");
    let file = ctx.variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    if let (Some(role), Some(file)) = (role, file) {
        return web_identity(ctx, region, &role, &file).await;
    }
    let relative = ctx.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    let relative = relative.map(|path| format!("http://169.254.170.2{path}"));
    if let Some(url) = relative.or_else(|| ctx.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
        return container(ctx, &url).await;
    }
    instance(ctx).await
}

async fn container(ctx: &Ctx, url: &str) -> Result<Keys> {
    let mut request = get(ctx, url)?;
    let file = ctx.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    if let (Some(file), Some(ambient)) = (file, ctx.ambient()) {
        request = request.secret_header("authorization", &ambient.read(&file)?);
    } else if let Some(token) = ctx.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
        request = request.secret_header("authorization", &token.into());
    }
    let answer = ask(ctx, "the container's identity of AWS", request).await?;
    answer.json::<GivenKeys>().map(Keys::from)
}

async fn web_identity(ctx: &Ctx, region: &str, role: &str, file: &str) -> Result<Keys> {
    let token = match ctx.ambient() {
        Some(ambient) => ambient.read(file)?,
        None => return Err(Error::invalid_spec("token files may not be read here")),
    };
    let http = ctx.http(&Tls::default())?;
    let request = http
        .post(format!("https://sts.{region}.amazonaws.com/"))
        .form(&[
            ("Action", "AssumeRoleWithWebIdentity"),
            ("Version", "2011-06-15"),
            ("RoleArn", role),
            ("RoleSessionName", ROLE_SESSION),
            ("WebIdentityToken", token.expose_utf8()?.trim()),
        ]);
    let answer = ask(ctx, "AWS STS", request).await?;
    let text = String::from_utf8_lossy(answer.expose_body()).into_owned();
    let part = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(SecretValue::from(rest.split_once("</")?.0))
    };
    let keys = || {
        Some(Keys {
            id: part("AccessKeyId")?,
            secret: part("SecretAccessKey")?,
            session: part("SessionToken")?,
        })
    };
    keys().ok_or_else(|| Error::invalid_data("AWS STS gave no keys"))
}

async fn session(ctx: &Ctx) -> Result<SecretValue> {
    let http = ctx.http(&Tls::default())?;
    let request = http.request(Method::PUT, format!("{METADATA}/api/token"));
    let request = request.header("x-aws-ec2-metadata-token-ttl-seconds", "21600");
    Ok(ask(ctx, WHAT, request).await?.into_secret())
}

async fn metadata(ctx: &Ctx, path: &str) -> Result<Answer> {
    let session = session(ctx).await?;
    let request = get(ctx, &format!("{METADATA}/{path}"))?;
    let request = request.secret_header("x-aws-ec2-metadata-token", &session);
    ask(ctx, WHAT, request).await
}

async fn instance_region(ctx: &Ctx) -> Result<String> {
    #[derive(Deserialize)]
    struct Document {
        region: String,
    }
    let document = metadata(ctx, "dynamic/instance-identity/document").await?;
    Ok(document.json::<Document>()?.region)
}

async fn instance(ctx: &Ctx) -> Result<Keys> {
    let path = "meta-data/iam/security-credentials/";
    let role = metadata(ctx, path).await?.into_secret();
    let role = encode_component(role.expose_utf8()?.trim());
    let keys = metadata(ctx, &format!("{path}{role}")).await?;
    keys.json::<GivenKeys>().map(Keys::from)
}
