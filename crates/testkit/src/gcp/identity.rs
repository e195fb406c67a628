//! Who asks: accounts with their keys, tokens that were given out, and the endpoints that give
//! them: OAuth2, the two security token services, IAM Credentials and the metadata server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::jws::{self, Keys};
use super::{META_PROJECT, NODE, Refusal, Seen, State};
use crate::stub::{Answer, Request};

/// Accounts, keys and tokens.
#[derive(Default)]
pub(super) struct Identity {
    accounts: BTreeMap<String, Keys>,
    trusted: Keys,
    tokens: BTreeMap<String, String>,
    denied: BTreeSet<(String, String)>,
    issued: usize,
}

impl Identity {
    pub(super) fn know_account(&mut self, email: &str, pem: &str) {
        let key = Keys::of_private(pem);
        self.accounts.insert(email.to_owned(), key);
    }

    pub(super) fn trust(&mut self, keys: Keys) {
        self.trusted.extend(keys);
    }

    pub(super) fn deny(&mut self, who: &str, call: &str) {
        self.denied.insert((who.to_owned(), call.to_owned()));
    }

    pub(super) fn is_denied(&self, who: &str, call: &str) -> bool {
        let named = (who.to_owned(), call.to_owned());
        who.starts_with("denied") || self.denied.contains(&named)
    }

    pub(super) fn revoke(&mut self) {
        self.tokens.clear();
    }

    /// Whose token it is.
    pub(super) fn holder(&self, token: &str) -> Option<String> {
        self.tokens.get(token).cloned()
    }

    fn issue(&mut self, who: &str) -> String {
        self.issued += 1;
        let token = format!("ya29.test-{}", self.issued);
        self.tokens.insert(token.clone(), who.to_owned());
        token
    }
}

pub(super) fn bearer(request: &Request) -> &str {
    let header = request.header("authorization").unwrap_or_default();
    header.strip_prefix("Bearer ").unwrap_or_default()
}

/// The answer to a request for a token or about the surroundings; `None` for any other.
pub(super) fn answer(state: &mut State, request: &Request) -> Option<Answer> {
    let path = request.path.split('?').next().unwrap_or_default();
    if let Some(part) = path.strip_prefix("/computeMetadata/v1/") {
        return Some(metadata(state, part, request));
    }
    let body = String::from_utf8_lossy(&request.body);
    let account = path
        .strip_prefix("/v1/projects/-/serviceAccounts/")
        .and_then(|rest| rest.strip_suffix(":generateAccessToken"));
    if let Some(email) = account {
        return Some(impersonate(state, &decoded(email), bearer(request)));
    }
    let (call, fields): (_, BTreeMap<String, String>) = match path {
        "/token" => ("token key", form(&body).into_iter().collect()),
        "/v1/token" => ("token sts", form(&body).into_iter().collect()),
        "/v1/identitybindingtoken" => (
            "token securetoken",
            serde_json::from_str(&body).unwrap_or_default(),
        ),
        _ => return None,
    };
    let made = match call {
        "token key" => account_token(state, &fields),
        _ => exchange(state, &fields),
    };
    let (who, name) = made.as_ref().map_or_else(
        |_| (String::new(), String::new()),
        |(who, name)| (who.clone(), name.clone()),
    );
    note(state, call, &name, &who);
    if let Some(refusal) = faulted(state, call) {
        return Some(refusal.answer());
    }
    Some(match made {
        Ok((who, _)) => granted(state, &who),
        Err(text) => {
            let body = json!({ "error": "invalid_grant", "error_description": text });
            Answer::json(400, &body)
        }
    })
}

fn faulted(state: &mut State, call: &str) -> Option<Refusal> {
    let mut faults = state.faults.iter_mut();
    let fault = faults.find(|fault| fault.times > 0 && fault.call == call)?;
    fault.times -= 1;
    Some(fault.refusal.clone())
}

fn note(state: &mut State, call: &str, name: &str, who: &str) {
    state.seen.push(Seen {
        call: call.to_owned(),
        name: name.to_owned(),
        who: who.to_owned(),
    });
}

fn granted(state: &mut State, who: &str) -> Answer {
    let token = state.identity.issue(who);
    let body = json!({ "access_token": token, "expires_in": 3599, "token_type": "Bearer" });
    Answer::json(200, &body)
}

type Fields = BTreeMap<String, String>;

/// JWT bearer grant of a service account, or a user's refresh token.
fn account_token(state: &State, fields: &Fields) -> Result<(String, String), String> {
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    if field("grant_type") == "refresh_token" {
        let who = format!("user of {}", field("refresh_token"));
        return Ok((who, String::new()));
    }
    let assertion = field("assertion");
    let claimed = jws::unverified(assertion).ok_or("Invalid JWT.")?;
    let email = claimed["iss"].as_str().unwrap_or_default().to_owned();
    let keys = state.identity.accounts.get(&email);
    let keys = keys.ok_or("Invalid grant: account not found")?;
    let claims = keys.claims(assertion).ok_or("Invalid JWT Signature.")?;
    let audience = claims["aud"].as_str().unwrap_or_default();
    let is_fresh = claims["exp"].as_u64().is_some_and(|end| end > now());
    if !audience.ends_with("/token") || !is_fresh {
        return Err("Invalid JWT: Token must be a short-lived token".to_owned());
    }
    Ok((email, audience.to_owned()))
}

/// A token of somebody else's becomes one of Google's.
fn exchange(state: &State, fields: &Fields) -> Result<(String, String), String> {
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let audience = field("audience").to_owned();
    if field("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange" {
        return Err("Invalid grant_type".to_owned());
    }
    let subject = field("subject_token");
    if field("subject_token_type").contains("aws4_request") {
        let request: Value = serde_json::from_str(&decoded(subject)).unwrap_or_default();
        let signed = request["headers"][0]["value"].as_str().unwrap_or_default();
        let id = signed.split(['=', '/']).nth(1).unwrap_or_default();
        return Ok((format!("aws:{id}"), audience));
    }
    let claims = state.identity.trusted.claims(subject);
    let claims = claims.ok_or("The subject token is not valid.")?;
    if claims["exp"].as_u64().is_none_or(|end| end < now()) {
        return Err("The subject token has expired.".to_owned());
    }
    let audiences: Vec<_> = claims["aud"].as_array().into_iter().flatten().collect();
    if let Some(pool) = audience.split(':').nth(1)
        && audience.starts_with("identitynamespace:")
        && !audiences.iter().any(|aud| *aud == pool)
    {
        return Err(format!("The audience does not match {pool}."));
    }
    let who = claims["sub"].as_str().unwrap_or_default();
    Ok((who.to_owned(), audience))
}

fn impersonate(state: &mut State, email: &str, with: &str) -> Answer {
    let holder = state.identity.holder(with);
    note(
        state,
        "GenerateAccessToken",
        email,
        &holder.clone().unwrap_or_default(),
    );
    if let Some(refusal) = faulted(state, "GenerateAccessToken") {
        return refusal.answer();
    }
    let Some(holder) = holder else {
        return super::calls::unauthenticated().answer();
    };
    if email.starts_with("denied") || state.identity.is_denied(&holder, "GenerateAccessToken") {
        let text = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource \
                    (or it may not exist).";
        return Refusal::new(403, "PERMISSION_DENIED", text).answer();
    }
    let token = state.identity.issue(email);
    let body = json!({ "accessToken": token, "expireTime": "2099-01-01T00:00:00Z" });
    Answer::json(200, &body)
}

fn metadata(state: &mut State, part: &str, request: &Request) -> Answer {
    let mut answer = if request.header("metadata-flavor") == Some("Google") {
        surroundings(state, part.trim_end_matches('/'))
    } else {
        Answer::text(403, "Missing Metadata-Flavor:Google header.")
    };
    let flavor = ("Metadata-Flavor", "Google".to_owned());
    answer.headers.push(flavor);
    answer
}

fn surroundings(state: &mut State, part: &str) -> Answer {
    note(state, &format!("metadata {part}"), "", NODE);
    let text = match part {
        "project/project-id" => META_PROJECT,
        "instance/attributes/cluster-location" => "europe-west4",
        "instance/attributes/cluster-name" => "meta-cluster",
        "universe/universe-domain" => "googleapis.com",
        "instance/service-accounts/default" => {
            let account = json!({ "email": NODE, "aliases": ["default"], "scopes": [] });
            return Answer::json(200, &account);
        }
        _ if part.starts_with("instance/service-accounts/") && part.ends_with("/token") => {
            return granted(state, NODE);
        }
        _ => return Answer::text(404, "not found"),
    };
    Answer::text(200, text)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Fields of a form or of a query.
pub(super) fn form(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (
                decoded(&name.replace('+', " ")),
                decoded(&value.replace('+', " ")),
            )
        })
        .collect()
}

/// A text without percent signs for characters.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
