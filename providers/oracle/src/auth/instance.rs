//! The identity of the compute instance that the operator runs on: its certificate and key come from the
//! metadata server and are exchanged for a token of the region's authentication service.

use lockstep_provider_api::http::{Answer, RequestBuilder, Tls};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::cloud::{ask, check_ambient};
use lockstep_provider_kit::error::{described, not_absence};
use lockstep_provider_kit::oci::Signer;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::key::SessionKey;
use super::session::{KeySession, issued};
use super::signing::{Host, sign};
use crate::api::PROVIDER;
use crate::region::Region;

const WHAT: &str = "the metadata server of the compute instance";
const METADATA: &str = "http://169.254.169.254/opc/v2";
/// Another address of the metadata server, as the vendor's clients have it.
const METADATA_VARIABLE: &str = "OCI_METADATA_BASE_URL";
/// What the certificate's subject says the tenancy with.
const TENANT: &str = "opc-tenant:";

/// What the metadata server says about the instance.
struct Leaf {
    region: Region,
    certificate: String,
    intermediate: String,
    tenancy: String,
    fingerprint: String,
    key: RsaKey,
}

#[derive(Deserialize)]
struct Exchanged {
    token: String,
}

/// Signs in as the instance.
pub(super) async fn connect(ctx: &Ctx) -> Result<KeySession> {
    check_ambient(ctx, WHAT)?;
    let base = ctx.variable(METADATA_VARIABLE);
    let base = base.unwrap_or_else(|| METADATA.to_owned());
    let key = Fingerprint::of(["oracle instance", &base]);
    let login = {
        let ctx = ctx.clone();
        move || {
            let (ctx, base) = (ctx.clone(), base.clone());
            async move { sign_in(&ctx, base.trim_end_matches('/')).await }
        }
    };
    let session = KeySession::new(ctx, key, login);
    session.held().await?;
    Ok(session)
}

async fn sign_in(ctx: &Ctx, base: &str) -> Result<AccessToken> {
    let leaf = Leaf::read(ctx, base).await?;
    let key = SessionKey::generate()?;
    let answer = exchange(ctx, leaf, &key).await;
    let answer = ctx.counted(PROVIDER, "GetSecurityToken", answer)?;
    let exchanged: Exchanged = answer.json()?;
    issued(&exchanged.token, &key)
}

async fn exchange(ctx: &Ctx, leaf: Leaf, key: &SessionKey) -> Result<Answer> {
    let http = ctx.http(&Tls::default())?;
    let body = json!({
        "certificate": bare(&leaf.certificate),
        "publicKey": key.public,
        "intermediateCertificates": [bare(&leaf.intermediate)],
        "fingerprintAlgorithm": "SHA256",
    });
    let url = format!("{}/v1/x509", leaf.region.auth());
    let mut request = http.post(url).json(&body).build()?;
    let id = format!("{}/fed-x509-sha256/{}", leaf.tenancy, leaf.fingerprint);
    let signer = Signer::named(id, leaf.key);
    sign(&mut request, &signer, Host::Unsigned, ctx.now())?;
    let answer = http.exchange(request).await?;
    let answered = described(answer, |answer| {
        let status = answer.status();
        format!("error {status} returned by auth service")
    });
    answered.map_err(not_absence)
}

impl Leaf {
    async fn read(ctx: &Ctx, base: &str) -> Result<Self> {
        let region = text(ctx, &format!("{base}/instance/region")).await?;
        let certificate = text(ctx, &format!("{base}/identity/cert.pem")).await?;
        let key = text(ctx, &format!("{base}/identity/key.pem")).await?;
        let intermediate = text(ctx, &format!("{base}/identity/intermediate.pem")).await?;
        let refused = || Error::invalid_data(format!("{WHAT} gives no valid certificate"));
        let der = CertificateDer::from_pem_slice(certificate.expose()).map_err(|_| refused())?;
        let (_, parsed) = X509Certificate::from_der(&der).map_err(|_| refused())?;
        let hash = Sha256::digest(&der);
        let pairs: Vec<String> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            region: Region::new(region.expose_utf8()?),
            certificate: certificate.expose_utf8()?.to_owned(),
            intermediate: intermediate.expose_utf8()?.to_owned(),
            tenancy: tenancy(&parsed).ok_or_else(refused)?,
            fingerprint: pairs.join(":"),
            key: RsaKey::from_pem(&key)?,
        })
    }
}

fn tenancy(certificate: &X509Certificate<'_>) -> Option<String> {
    let mut names = certificate.subject().iter_attributes();
    names.find_map(|name| Some(name.as_str().ok()?.strip_prefix(TENANT)?.to_owned()))
}

async fn text(ctx: &Ctx, url: &str) -> Result<SecretValue> {
    let request: RequestBuilder = ctx.http(&Tls::default())?.get(url);
    let request = request.header("authorization", "Bearer Oracle");
    Ok(ask(ctx, WHAT, request).await?.into_secret())
}

/// The base64 of a PEM block alone.
fn bare(pem: &str) -> String {
    let lines = pem.lines().filter(|line| !line.starts_with("-----"));
    lines.map(str::trim).collect()
}
