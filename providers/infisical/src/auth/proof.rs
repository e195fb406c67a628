//! What each identity proves itself with. Credentials of Secrets are read once a connection; tokens
//! of files and of clouds are asked for at each sign-in, because they end.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::cloud::{aws, azure, google};
use lockstep_provider_kit::oci;
use serde_json::{Map, Value, json};

use super::method::{self, Method};
use super::{named, object};
use crate::spec::{self, Auth};

const OPERATOR_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/// The only folder that token files are read from: a path in a manifest must not lead to other
/// files of the operator, whose content would be sent to the store's address.
const TOKEN_FILES: &str = "/var/run/secrets/";
/// The member that names a machine identity, in a store and in a sign-in.
const IDENTITY: &str = "identityId";
const AZURE_RESOURCE: &str = "https://management.azure.com/";

/// An identity with what it proves itself with.
pub(super) struct Proof {
    pub(super) method: Method,
    source: Source,
}

enum Source {
    /// Members of the request, and values.
    Given(Vec<(&'static str, SecretValue)>),
    Azure(SecretValue, String),
    Google(SecretValue),
    GoogleKey(SecretValue, String),
    Kubernetes(SecretValue, String),
    Aws(SecretValue),
    Oracle(Box<Oracle>),
}

struct Oracle {
    identity: SecretValue,
    signer: oci::Signer,
    user: String,
    region: String,
    key: SecretValue,
}

/// The first identity that the spec has, in the order in which upstream looks; none for a fixed token.
pub(super) async fn of(auth: &Auth, ctx: &Ctx) -> Result<Option<Proof>> {
    let (method, source) = if let Some(given) = &auth.universal_auth_credentials {
        let id = ctx.secret(&given.client_id).await?;
        let secret = ctx.secret(&given.client_secret).await?;
        let fields = vec![("clientId", id), ("clientSecret", secret)];
        (method::UNIVERSAL, Source::Given(fields))
    } else if let Some(given) = &auth.azure_auth_credentials {
        let id = named(ctx, &given.identity_id, "id").await?;
        let resource = match &given.resource {
            Some(selector) => text(ctx, selector, "resource").await?,
            None => AZURE_RESOURCE.to_owned(),
        };
        (method::AZURE, Source::Azure(id, resource))
    } else if let Some(given) = &auth.gcp_id_token_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        (method::GOOGLE, Source::Google(id))
    } else if let Some(given) = &auth.gcp_iam_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        let path = &given.service_account_key_file_path;
        let path = text(ctx, path, "serviceAccountKeyFilePath").await?;
        (method::GOOGLE_KEY, Source::GoogleKey(id, path))
    } else {
        return others(auth, ctx).await;
    };
    Ok(Some(Proof { method, source }))
}

async fn others(auth: &Auth, ctx: &Ctx) -> Result<Option<Proof>> {
    let (method, source) = if let Some(given) = &auth.jwt_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        let jwt = named(ctx, &given.jwt, "jwt").await?;
        let fields = vec![(IDENTITY, id), ("jwt", jwt)];
        (method::JWT, Source::Given(fields))
    } else if let Some(given) = &auth.ldap_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        let password = named(ctx, &given.ldap_password, "ldapPassword").await?;
        let user = named(ctx, &given.ldap_username, "ldapUsername").await?;
        let fields = vec![(IDENTITY, id), ("username", user), ("password", password)];
        (method::LDAP, Source::Given(fields))
    } else if let Some(given) = &auth.oci_auth_credentials {
        let source = Source::Oracle(Box::new(oracle(given, ctx).await?));
        (method::ORACLE, source)
    } else if let Some(given) = &auth.kubernetes_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        let source = Source::Kubernetes(id, token_file(given, ctx).await?);
        (method::KUBERNETES, source)
    } else if let Some(given) = &auth.aws_auth_credentials {
        let id = named(ctx, &given.identity_id, IDENTITY).await?;
        (method::AWS, Source::Aws(id))
    } else {
        return Ok(None);
    };
    Ok(Some(Proof { method, source }))
}

/// A credential that is text.
async fn text(ctx: &Ctx, selector: &SecretKeySelector, name: &str) -> Result<String> {
    Ok(named(ctx, selector, name).await?.expose_utf8()?.to_owned())
}

async fn token_file(given: &spec::Kubernetes, ctx: &Ctx) -> Result<String> {
    let Some(selector) = &given.service_account_token_path else {
        return Ok(OPERATOR_TOKEN.to_owned());
    };
    let path = text(ctx, selector, "serviceAccountTokenPath").await?;
    if !path.starts_with(TOKEN_FILES) || path.split('/').any(|step| step == "..") {
        return Err(Error::invalid_spec(format!(
            "the token file must be below {TOKEN_FILES}: other files of the operator are not sent"
        )));
    }
    Ok(path)
}

async fn oracle(given: &spec::Oci, ctx: &Ctx) -> Result<Oracle> {
    let identity = named(ctx, &given.identity_id, IDENTITY).await?;
    let key = named(ctx, &given.private_key, "privateKey").await?;
    let passphrase = match &given.private_key_passphrase {
        Some(selector) => Some(named(ctx, selector, "privateKeyPassphrase").await?),
        None => None,
    };
    let fingerprint = text(ctx, &given.fingerprint, "fingerprint").await?;
    let user = text(ctx, &given.user_id, "userId").await?;
    let tenancy = text(ctx, &given.tenancy_id, "tenancyId").await?;
    let region = text(ctx, &given.region, "region").await?;
    let open = oci::private_key(&key, passphrase.as_ref())?;
    Ok(Oracle {
        identity,
        signer: oci::Signer::new(&tenancy, &user, &fingerprint, open),
        user,
        region,
        key,
    })
}

impl Proof {
    /// Everything that makes this identity another one.
    pub(super) fn identity(&self) -> Vec<Vec<u8>> {
        let bytes = |value: &SecretValue| value.expose().to_vec();
        match &self.source {
            Source::Given(fields) => fields.iter().map(|(_, value)| bytes(value)).collect(),
            Source::Azure(id, text)
            | Source::GoogleKey(id, text)
            | Source::Kubernetes(id, text) => vec![bytes(id), text.clone().into_bytes()],
            Source::Google(id) | Source::Aws(id) => vec![bytes(id), self.method.words.into()],
            Source::Oracle(oracle) => vec![
                bytes(&oracle.identity),
                bytes(&oracle.key),
                oracle.user.clone().into_bytes(),
                oracle.region.clone().into_bytes(),
            ],
        }
    }

    /// The body of the sign-in.
    pub(super) async fn body(&self, ctx: &Ctx) -> Result<Map<String, Value>> {
        let (id, jwt) = match &self.source {
            Source::Given(fields) => {
                let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value)).collect();
                return object(&fields);
            }
            Source::Oracle(oracle) => return oracle.body(ctx),
            Source::Aws(id) => return aws_body(id, ctx).await,
            Source::Azure(id, resource) => (id, azure::token(ctx, resource).await?),
            Source::Google(id) => (id, google::id_token(ctx, id.expose_utf8()?).await?),
            Source::GoogleKey(id, path) => {
                let key = file(ctx, path)?;
                (id, google::signed_jwt(ctx, &key, id.expose_utf8()?).await?)
            }
            Source::Kubernetes(id, path) => (id, file(ctx, path)?),
        };
        object(&[(IDENTITY, id), ("jwt", &jwt)])
    }
}

fn file(ctx: &Ctx, path: &str) -> Result<SecretValue> {
    let ambient = ctx.ambient().ok_or_else(|| {
        Error::invalid_spec("files of the operator may not be read here: its identity is off")
    })?;
    ambient.read(path)
}

async fn aws_body(id: &SecretValue, ctx: &Ctx) -> Result<Map<String, Value>> {
    let (region, keys) = aws::ambient(ctx).await?;
    let signed = aws::caller_identity(&region, &keys, ctx.now())?;
    let headers = json!(signed.headers).to_string();
    let mut body = object(&[(IDENTITY, id)])?;
    body.insert("iamHttpRequestMethod".to_owned(), json!("POST"));
    body.insert("iamRequestBody".to_owned(), json!(aws::encoded(aws::BODY)));
    body.insert(
        "iamRequestHeaders".to_owned(),
        json!(aws::encoded(&headers)),
    );
    Ok(body)
}

impl Oracle {
    fn body(&self, ctx: &Ctx) -> Result<Map<String, Value>> {
        let host = format!("identity.{}.oraclecloud.com", self.region);
        let date = oci::http_date(ctx.now());
        let target = format!("get /20160918/users/{}", self.user);
        let signed = [
            ("date", date.as_str()),
            ("(request-target)", target.as_str()),
            ("host", host.as_str()),
        ];
        let authorization = self.signer.authorization(&signed)?;
        let headers = json!({ "authorization": authorization, "date": date, "host": host });
        let mut body = object(&[(IDENTITY, &self.identity)])?;
        body.insert("userOcid".to_owned(), json!(self.user));
        body.insert("headers".to_owned(), headers);
        Ok(body)
    }
}
