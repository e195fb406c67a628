//! Everything the server knows, and which of its parts answers a request.

use super::entra::Directory;
use super::vault::{self, Asked, Refusal, Vaults};
use super::{Fault, HEADER, Seen, form, machine, token};
use crate::stub::{Answer, Request};

/// The state of one server.
pub(super) struct State {
    pub(super) directory: Directory,
    pub(super) vaults: Vaults,
    pub(super) seen: Vec<Seen>,
    pub(super) faults: Vec<Fault>,
    /// Code of the refusal of every request to a vault.
    pub(super) denied: Option<String>,
    /// Address to sign in at, as challenges name it.
    pub(super) login: String,
}

impl State {
    pub(super) fn answer(&mut self, request: &Request) -> Answer {
        let host = request.header("host").unwrap_or_default().to_owned();
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let text = format!("{} {host}{path}", request.method);
        let is_form = request
            .header("content-type")
            .is_some_and(|kind| kind.contains("form"));
        let fields = if is_form {
            form(&String::from_utf8_lossy(&request.body))
        } else {
            form(query)
        };
        self.seen.push(Seen {
            text: text.clone(),
            fields,
        });
        if let Some(fault) = self
            .faults
            .iter_mut()
            .find(|fault| fault.times > 0 && text.contains(&fault.text))
        {
            fault.times -= 1;
            let mut answer = Answer::json(fault.status, &fault.body);
            answer.headers.clone_from(&fault.headers);
            return answer;
        }
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        match parts.as_slice() {
            ["metadata", ..] | ["msi", "token"] => {
                machine::token(request, path, query, &self.directory, HEADER)
            }
            [tenant, "oauth2", "token"] | [tenant, "oauth2", "v2.0", "token"] => {
                self.directory.token(tenant, &host, path, request)
            }
            [tenant, "v2.0", ".well-known", _] | [tenant, "discovery", ..] => {
                Directory::discovery(tenant, &host)
            }
            ["v1.0", "applications", _, "federatedIdentityCredentials"] => {
                self.directory.add_trust(&request.body)
            }
            _ => self.vault_answer(request, &host, path, query),
        }
    }

    fn vault_answer(&mut self, request: &Request, host: &str, path: &str, query: &str) -> Answer {
        let claims = token::claims_of(vault::bearer(request));
        let (tenant, login) = (self.directory.tenant.clone(), self.login.clone());
        let challenge = |text: &str| vault::challenge(&tenant, &login, text);
        let Some(claims) = claims else {
            return challenge("AKV10000: Request is missing a Bearer or PoP token.");
        };
        if claims["tid"] != self.directory.tenant.as_str() {
            return challenge("AKV10032: Invalid issuer.");
        }
        let audience = claims["aud"].as_str().unwrap_or_default();
        if !audience.starts_with("https://vault.") {
            return challenge("AKV10022: Invalid audience.");
        }
        if let Some(code) = &self.denied {
            let text = format!(
                "Caller is not authorized to perform action on resource.\r\nCaller: appid={}",
                claims["appid"]
            );
            return Refusal::new(403, "Forbidden", &text).because(code).answer();
        }
        self.vaults.answer(&Asked {
            host,
            method: &request.method,
            path,
            query: form(query),
            body: &request.body,
        })
    }
}
