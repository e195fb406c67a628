//! What a refused sign-in means and what can be done about it. The code of Entra ID decides, its
//! prose is kept up to where ids and times of the request begin, so that a retry says the same.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;

use super::entra::{Application, Proof};

/// Longest part of Entra's own words that is kept.
const MAX_TEXT: usize = 300;

/// The store may not use the operator's own identity.
pub(super) fn no_ambient() -> Error {
    Error::invalid_spec(
        "the store may not use the operator's own identity here; \
         use a service principal or serviceAccountRef",
    )
}

/// The refusal of an application.
pub(super) fn of_application(answer: &Answer, application: &Application) -> Error {
    let description = answer.detail("/error_description").unwrap_or_default();
    let code = answer.detail("/error").unwrap_or_default();
    let text = stable(&description);
    let advice = advice(&description, application);
    let shown = if text.is_empty() { code.clone() } else { text };
    explain(answer, &code, &shown, advice.as_deref())
}

/// The refusal of a metadata service.
pub(super) fn of_machine(answer: &Answer, identity: Option<&str>) -> Error {
    let code = answer.detail("/error").unwrap_or_default();
    let text = stable(&answer.detail("/error_description").unwrap_or_default());
    let advice = match identity {
        Some(id) => format!("assign the identity {id} to the machine, or correct identityId"),
        None => {
            "switch on a managed identity for the machine, or name one in identityId".to_owned()
        }
    };
    if matches!(answer.status().as_u16(), 404 | 410) {
        return Error::unreachable(format!(
            "the metadata service answered {}; {advice}",
            answer.status()
        ));
    }
    let shown = if text.is_empty() { code.clone() } else { text };
    explain(answer, &code, &shown, Some(&advice))
}

fn explain(answer: &Answer, code: &str, shown: &str, advice: Option<&str>) -> Error {
    let status = answer.status();
    let kind = match (status.as_u16(), code) {
        (429, _) => ErrorKind::Throttled,
        (500..=599, _) | (_, "temporarily_unavailable" | "server_error") => ErrorKind::Unreachable,
        (400 | 401 | 403, _) => ErrorKind::Unauthenticated,
        _ => ErrorKind::InvalidSpec,
    };
    let shown = if shown.is_empty() {
        "no reason given"
    } else {
        shown
    };
    let mut text = format!("{status}: {shown}");
    if kind == ErrorKind::Unauthenticated
        && let Some(advice) = advice
    {
        text = format!("{text} ({advice})");
    }
    let error = Error::new(kind, text).advised();
    match answer.error().and_then(|error| error.retry_after()) {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    }
}

/// The part of a description that is the same at the next attempt.
fn stable(description: &str) -> String {
    let ends = ["Trace ID:", "Correlation ID:", "Timestamp:", "\r", "\n"];
    let end = ends.iter().filter_map(|end| description.find(end)).min();
    let text = description[..end.unwrap_or(description.len())].trim();
    let text: String = text.chars().take(MAX_TEXT).collect();
    text.trim_end_matches('.').to_owned()
}

/// What the code of Entra asks the user to do.
fn advice(description: &str, application: &Application) -> Option<String> {
    let code = description.split([':', ' ']).next()?;
    let Application { client, tenant, .. } = application;
    Some(match code {
        "AADSTS7000215" => format!(
            "the client secret is wrong: store the secret's value, not its id, of application {client}"
        ),
        "AADSTS7000222" => format!("the client secret has expired: make a new one for {client}"),
        "AADSTS700016" => format!("tenant {tenant} has no application {client}"),
        "AADSTS90002" | "AADSTS900023" | "AADSTS900021" => {
            format!("there is no tenant {tenant}: correct tenantId")
        }
        "AADSTS700027" => format!(
            "application {client} does not know the certificate: upload its public part there"
        ),
        "AADSTS70021" | "AADSTS700211" | "AADSTS700212" | "AADSTS700213" => {
            let subject = match &application.proof {
                Proof::ServiceAccount(account) => format!("ServiceAccount {:?}", account.name),
                _ => "the operator's ServiceAccount".to_owned(),
            };
            format!(
                "add a federated credential to {client} with the issuer of this cluster, \
                 the subject of {subject} and the audience {}",
                super::entra::EXCHANGE
            )
        }
        "AADSTS700024" => "the token was used outside of its life: check the clocks".to_owned(),
        "AADSTS500011" => "the audience is unknown there: check environmentType".to_owned(),
        _ => return None,
    })
}
