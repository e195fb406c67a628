//! The requests this provider makes within a session and the answers it understands. What a failure means is
//! decided in `error`, what a push sends in `push`.

use lockstep_provider_api::http::{Method, RequestBuilder, encode_component};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::{missing, missing_kept, not_absence};
use serde::Deserialize;
use serde_json::json;

use crate::error;
use crate::path::Place;
use crate::spec::Server;

/// Largest file that is taken.
const MAX_FILE: usize = 5_000_000;
const NOT_FOUND: &str = "error SecretGetSecretByPath, Secret was not found: StatusCode: 404 ";

/// A secret of Secrets Safe.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Secret {
    id: Option<String>,
    password: Option<String>,
    #[serde(rename = "SecretType")]
    kind: Option<String>,
}

/// From version 3.2 on, lists come with their length.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    Bare(Vec<Secret>),
    Wrapped {
        #[serde(rename = "Data")]
        data: Option<Vec<Secret>>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Account {
    system_id: i64,
    account_id: i64,
}

/// A folder that secrets are made in.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Folder {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// The value at a place of Secrets Safe.
pub(crate) async fn secret(rest: &Rest, server: &Server, place: &Place) -> Result<SecretValue> {
    let decrypt = server.decrypt.to_string();
    let request = rest
        .get("/secrets-safe/secrets")
        .query("decrypt", &decrypt)
        .query("path", &place.path)
        .query("separator", server.separator())
        .query("title", &place.name)
        .query_some("version", server.version());
    let secret = listed(rest, request).await.map_err(missing_kept)?;
    let secret = secret.ok_or_else(|| missing(NOT_FOUND))?;
    let kind = secret.kind.unwrap_or_default();
    if kind.eq_ignore_ascii_case("FILE") {
        return file(rest, server, place, &secret.id.unwrap_or_default()).await;
    }
    Ok(SecretValue::from(secret.password.unwrap_or_default()))
}

/// Whether a secret has a title.
pub(crate) async fn has_title(rest: &Rest, title: &str) -> Result<bool> {
    let request = rest
        .get("/secrets-safe/secrets")
        .query("decrypt", "false")
        .query("title", title);
    match listed(rest, request).await {
        Ok(found) => Ok(found.is_some()),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

async fn listed(rest: &Rest, request: RequestBuilder) -> Result<Option<Secret>> {
    let answer = rest.send("GetSecrets", request, error::check).await?;
    let listed = answer.json().map_err(|error| {
        error
            .map_message(|text| format!("{text}, Ensure Password Safe version is 23.1 or greater."))
    })?;
    let data = match listed {
        Listed::Bare(data) => data,
        Listed::Wrapped { data } => data.unwrap_or_default(),
    };
    Ok(data.into_iter().next())
}

async fn file(rest: &Rest, server: &Server, place: &Place, id: &str) -> Result<SecretValue> {
    let path = format!(
        "/secrets-safe/secrets/{}/file/download",
        encode_component(id)
    );
    let request = rest.get(&path).query_some("version", server.version());
    let answer = rest.send("DownloadFile", request, error::check).await;
    let content = answer.map_err(missing_kept)?.into_secret();
    let length = content.len();
    if length > MAX_FILE {
        return Err(Error::invalid_data(format!(
            "{}{}{}: Secret file Size: {length} is greater than the maximum allowed size: {MAX_FILE}",
            place.path,
            server.separator(),
            place.name
        )));
    }
    Ok(content)
}

/// The password of a managed account: asked for, read and checked in again.
pub(crate) async fn account(rest: &Rest, place: &Place) -> Result<SecretValue> {
    let request = rest
        .get("/ManagedAccounts")
        .query("accountName", &place.name)
        .query("systemName", &place.path);
    let answer = rest.send("GetManagedAccount", request, error::check).await;
    let account: Account = answer.map_err(missing_kept)?.json()?;
    let id = request_id(rest, &account).await?;
    let read = credential(rest, &id).await;
    // Also where the read failed: an open request blocks others.
    let closed = check_in(rest, &id).await;
    let value = read?;
    closed?;
    Ok(value)
}

async fn request_id(rest: &Rest, account: &Account) -> Result<String> {
    let body = json!({
        "SystemID": account.system_id,
        "AccountID": account.account_id,
        "DurationMinutes": 5,
        "Reason": "Tesr",
        "ConflictOption": "reuse",
    });
    let request = rest.post("/Requests").json(&body);
    let answer = rest.send("CreateRequest", request, error::check).await;
    let answer = answer.map_err(not_absence)?;
    let id = std::str::from_utf8(answer.expose_body()).unwrap_or_default();
    let id = id.trim().trim_matches('"');
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(Error::invalid_data("the server gave no id of the request"));
    }
    Ok(id.to_owned())
}

async fn credential(rest: &Rest, id: &str) -> Result<SecretValue> {
    let request = rest.get(&format!("/Credentials/{id}"));
    let answer = rest.send("GetCredential", request, error::check).await;
    let value: String = answer.map_err(not_absence)?.json()?;
    Ok(SecretValue::from(value))
}

async fn check_in(rest: &Rest, id: &str) -> Result<()> {
    let request = rest.request(Method::PUT, &format!("/Requests/{id}/checkin"));
    let request = request.json(&json!({}));
    let answer = rest.send("CheckInRequest", request, error::check).await;
    answer.map(drop).map_err(not_absence)
}

/// All folders.
pub(crate) async fn folders(rest: &Rest, version: &str) -> Result<Vec<Folder>> {
    let request = rest.get("/secrets-safe/folders/").query("version", version);
    let answer = rest.send("GetFolders", request, error::check).await;
    answer.map_err(not_absence)?.json()
}

/// Makes a secret in a folder; `kind` is what the path of the folder's secrets ends in.
pub(crate) async fn create(
    rest: &Rest,
    version: &str,
    folder: &Folder,
    kind: &str,
    body: (&str, Vec<u8>),
) -> Result<()> {
    let folder = encode_component(&folder.id);
    let path = format!("/secrets-safe/folders/{folder}/{kind}");
    let request = rest.post(&path).query("version", version);
    let request = request.body(body.0, body.1);
    let answer = rest.send("CreateSecret", request, error::check).await;
    answer.map(drop).map_err(not_absence)
}
