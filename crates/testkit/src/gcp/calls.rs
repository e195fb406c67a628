//! Secret Manager's calls by method and path, as the published REST mapping has them.

use serde_json::{Value, json};

use super::State;
use super::filter;
use crate::stub::{Answer, Request};

/// A call that was recognised.
pub(super) struct Call {
    pub(super) rpc: &'static str,
    /// The resource that it is about, or the parent of a list.
    pub(super) name: String,
    query: Vec<(String, String)>,
    body: Value,
}

/// An answer that says no.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// HTTP status.
    pub code: u16,
    /// Google's word.
    pub status: String,
    /// An explanation.
    pub message: String,
    /// Seconds for `Retry-After`.
    pub retry_after: Option<u32>,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: u16, status: &str, message: &str) -> Self {
        Self {
            code,
            status: status.to_owned(),
            message: message.to_owned(),
            retry_after: None,
        }
    }

    pub(super) fn not_found(message: &str) -> Self {
        Self::new(404, "NOT_FOUND", message)
    }

    pub(super) fn invalid(message: &str) -> Self {
        Self::new(400, "INVALID_ARGUMENT", message)
    }

    /// A payload that was damaged on its way: its checksum is that of another.
    pub fn damaged() -> Self {
        Self::new(200, "", "")
    }

    pub(super) fn answer(&self) -> Answer {
        if self.code == 200 {
            let payload = json!({ "data": "ZGFtYWdlZA==", "dataCrc32c": "1" });
            return Answer::json(200, &json!({ "payload": payload }));
        }
        let body = json!({ "error": {
            "code": self.code, "status": self.status, "message": self.message,
        } });
        let mut answer = Answer::json(self.code, &body);
        if let Some(seconds) = self.retry_after {
            answer.headers.push(("Retry-After", seconds.to_string()));
        }
        answer
    }
}

pub(super) fn unauthenticated() -> Refusal {
    let text = "Request had invalid authentication credentials. Expected OAuth 2 access token, \
                login cookie or other valid authentication credential.";
    Refusal::new(401, "UNAUTHENTICATED", text)
}

pub(super) fn denied(call: &Call) -> Refusal {
    let text = format!(
        "Permission 'secretmanager.{}' denied for resource '{}' (or it may not exist).",
        call.rpc, call.name
    );
    Refusal::new(403, "PERMISSION_DENIED", &text)
}

impl Call {
    fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The secret and the version that the name is of.
    fn version(&self) -> (&str, &str) {
        self.name
            .split_once("/versions/")
            .unwrap_or((&self.name, ""))
    }
}

/// The call that a request is.
pub(super) fn route(request: &Request) -> Option<Call> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let path = super::identity::decoded(path.strip_prefix("/v1/")?);
    let (name, verb) = path.rsplit_once(':').unwrap_or((&path, ""));
    let parts: Vec<_> = name.split('/').collect();
    let (["projects", _, "locations", _, rest @ ..] | ["projects", _, rest @ ..]) = &*parts else {
        return None;
    };
    let rpc = match (request.method.as_str(), rest, verb) {
        ("GET", ["secrets"], "") => "ListSecrets",
        ("POST", ["secrets"], "") => "CreateSecret",
        ("GET", ["secrets", _], "") => "GetSecret",
        ("PATCH", ["secrets", _], "") => "UpdateSecret",
        ("DELETE", ["secrets", _], "") => "DeleteSecret",
        ("POST", ["secrets", _], "addVersion") => "AddSecretVersion",
        ("GET", ["secrets", _, "versions"], "") => "ListSecretVersions",
        ("GET", ["secrets", _, "versions", _], "") => "GetSecretVersion",
        ("GET", ["secrets", _, "versions", _], "access") => "AccessSecretVersion",
        ("POST", ["secrets", _, "versions", _], "enable") => "EnableSecretVersion",
        ("POST", ["secrets", _, "versions", _], "disable") => "DisableSecretVersion",
        ("POST", ["secrets", _, "versions", _], "destroy") => "DestroySecretVersion",
        _ => return None,
    };
    let listed = ["/versions", "/secrets"];
    let parent = listed.iter().find_map(|tail| name.strip_suffix(tail));
    Some(Call {
        rpc,
        name: parent.unwrap_or(name).to_owned(),
        query: super::identity::form(query),
        body: serde_json::from_slice(&request.body).unwrap_or_default(),
    })
}

/// Makes a call.
pub(super) fn perform(state: &mut State, call: &Call) -> Result<Value, Refusal> {
    let strict = state.settings.strict;
    let name = &call.name;
    let secrets = &mut state.secrets;
    let (secret, version) = call.version();
    let mut answer = match call.rpc {
        "ListSecrets" => {
            let below = format!("{name}/secrets/");
            let all = secrets.all.range(below.clone()..);
            let all = all.take_while(|(name, _)| name.starts_with(&below));
            let all = all.map(|(_, secret)| secret.json.clone()).collect();
            return page(state, call, all, "secrets");
        }
        "ListSecretVersions" => {
            let all = &secrets.get(name)?.versions;
            let all = all.iter().rev().map(|version| version.json.clone());
            let all = all.collect();
            return page(state, call, all, "versions");
        }
        "CreateSecret" => {
            let (name, secret) = new_secret(call, strict)?;
            secrets.create(&name, secret)?
        }
        "GetSecret" => secrets.get(name)?.json.clone(),
        "UpdateSecret" => {
            let mask = call.query("updateMask").unwrap_or_default();
            secrets.update(name, &call.body, mask)?
        }
        "DeleteSecret" => secrets.delete(name, call.query("etag"))?,
        "AddSecretVersion" => secrets.add(name, &call.body, strict)?,
        "GetSecretVersion" => secrets.version(secret, version)?.json.clone(),
        "AccessSecretVersion" => secrets.access(secret, version)?,
        "EnableSecretVersion" => secrets.turn(secret, version, "enable")?,
        "DisableSecretVersion" => secrets.turn(secret, version, "disable")?,
        _ => secrets.turn(secret, version, "destroy")?,
    };
    number(state, &mut answer);
    Ok(answer)
}

fn new_secret(call: &Call, strict: bool) -> Result<(String, Value), Refusal> {
    let id = call.query("secretId").unwrap_or_default();
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if id.is_empty() || id.len() > 255 || !id.chars().all(legal) {
        let text = format!("Secret id [{id}] must match the pattern [a-zA-Z0-9_-]{{1,255}}.");
        return Err(Refusal::invalid(&text));
    }
    let mut secret = call.body.clone();
    if !secret.is_object() {
        secret = json!({});
    }
    let regional = call.name.contains("/locations/");
    let placed = secret["replication"].is_object();
    if strict && regional == placed {
        let text = "Replication must be given for global secrets and for no others.";
        return Err(Refusal::invalid(text));
    }
    if !regional && !placed {
        secret["replication"] = json!({ "automatic": {} });
    }
    Ok((format!("{}/secrets/{id}", call.name), secret))
}

fn page(state: &State, call: &Call, all: Vec<Value>, member: &str) -> Result<Value, Refusal> {
    let wanted = call.query("filter").unwrap_or_default();
    let mut passing = Vec::new();
    for item in all {
        match filter::matches(&item, wanted) {
            Some(true) => passing.push(item),
            Some(false) => {}
            None => return Err(Refusal::invalid(&format!("Invalid filter [{wanted}]."))),
        }
    }
    let number_of = |name: &str| call.query(name).and_then(|text| text.parse().ok());
    let size = number_of("pageSize").filter(|size| *size > 0);
    let size: usize = size.unwrap_or(state.settings.page);
    let from: usize = number_of("pageToken").unwrap_or(0);
    let total = passing.len();
    let mut items: Vec<_> = passing.into_iter().skip(from).take(size).collect();
    for item in &mut items {
        number(state, item);
    }
    let mut answer = json!({});
    if state.settings.strict {
        answer["totalSize"] = total.into();
    }
    if !items.is_empty() {
        answer[member] = items.into();
    }
    if from + size < total {
        answer["nextPageToken"] = (from + size).to_string().into();
    }
    Ok(answer)
}

/// Google answers with the project's number, whatever it was asked with.
fn number(state: &State, answer: &mut Value) {
    if !state.settings.numbers {
        return;
    }
    let Some(name) = answer["name"].as_str() else {
        return;
    };
    let mut parts: Vec<_> = name.split('/').map(str::to_owned).collect();
    if let Some(project) = parts.get_mut(1) {
        let sum = project
            .bytes()
            .fold(7_u64, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte));
        *project = (100_000 + sum).to_string();
    }
    answer["name"] = parts.join("/").into();
}
