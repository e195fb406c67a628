//! Tells the API server whom to trust: puts the authority into webhook configurations. Which webhooks
//! are meant is decided purely; those that lead elsewhere are left alone and named, because a
//! forgotten one can refuse every write.

#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use kube::Client;
use lockstep_runtime::api_error::ApiErrorKind;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use serde_json::{Value, json};

/// The configurations of the chart.
pub const CONFIGURATIONS: [&str; 2] = ["secretstore-validate", "externalsecret-validate"];

/// Names of our webhooks end so.
const SUFFIX: &str = "external-secrets.io";

/// Where our webhook is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Name of the Service.
    pub service: String,
    /// Namespace of the Service.
    pub namespace: String,
}

/// What was found in one configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The configuration with the authority in it, if that changes it.
    pub changed: Option<Value>,
    /// Webhooks that lead to another service, as sentences with a remedy.
    pub foreign: Vec<String>,
}

impl Address {
    /// The address behind a server name such as `service.namespace.svc`.
    pub fn of(name: &str) -> Self {
        let mut parts = name.split('.');
        Self {
            service: parts.next().unwrap_or_default().to_owned(),
            namespace: parts.next().unwrap_or_default().to_owned(),
        }
    }
}

/// Looks at one configuration: our webhooks get the authority, others are named.
pub fn examine(configuration: &Value, at: &Address, host: &str, authority: &str) -> Finding {
    let bundle = Value::String(STANDARD.encode(authority));
    let name = configuration["metadata"]["name"]
        .as_str()
        .unwrap_or_default();
    let mut new = configuration.clone();
    let mut foreign = Vec::new();
    for webhook in new["webhooks"].as_array_mut().into_iter().flatten() {
        let label = webhook["name"].as_str().unwrap_or_default().to_owned();
        if !label.ends_with(SUFFIX) {
            continue;
        }
        match elsewhere(&webhook["clientConfig"], at, host) {
            None => webhook["clientConfig"]["caBundle"] = bundle.clone(),
            Some(place) => foreign.push(format!(
                "webhook {label} of ValidatingWebhookConfiguration {name} leads to {place}{}; if no \
                 release needs it any more: kubectl delete validatingwebhookconfiguration {name}",
                match webhook["failurePolicy"].as_str() {
                    Some("Ignore") => "",
                    _ => " and refuses every write while that is not up",
                }
            )),
        }
    }
    Finding {
        changed: (new != *configuration).then_some(new),
        foreign,
    }
}

/// Where a webhook leads, when it is not to us.
fn elsewhere(client: &Value, at: &Address, host: &str) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(url) = client["url"].as_str() {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let found = rest.split(['/', ':']).next().unwrap_or_default();
        return (found != host).then(|| url.to_owned());
    }
    let (name, namespace) = (
        text(&client["service"]["name"]),
        text(&client["service"]["namespace"]),
    );
    let ours = name == at.service && namespace == at.namespace;
    (!ours).then(|| format!("service {namespace}/{name}"))
}

/// Puts the authority into the chart's configurations. Says which webhooks lead elsewhere; an error
/// says what could not be done. A configuration that is not there needs nothing.
pub async fn inject(client: &Client, name: &str, authority: &str) -> Result<Vec<String>, String> {
    let at = Address::of(name);
    let writer = Writer::new(client.clone());
    let mut foreign = Vec::new();
    for configuration in CONFIGURATIONS {
        let target = ApiObject::of::<ValidatingWebhookConfiguration>(None, configuration);
        let told = |failure| format!("ValidatingWebhookConfiguration {configuration}: {failure}");
        let Some(found) = target.get::<Value>(client).await.map_err(told)? else {
            continue;
        };
        let finding = examine(&found, &at, name, authority);
        foreign.extend(finding.foreign);
        if let Some(new) = finding.changed {
            match writer.replace::<Written>(&target, &new, None).await {
                Ok(_) => tracing::info!(configuration, "put the authority in"),
                // Somebody else wrote it; the next look sees the outcome.
                Err(failure) if failure.is(ApiErrorKind::Conflict) => {}
                Err(failure) => return Err(told(failure)),
            }
        }
    }
    Ok(foreign)
}

/// The authority and the service, in every webhook of a configuration that is ours by its label,
/// wherever it led before: what the certificate controller has always done.
pub fn claimed(configuration: &Value, at: &Address, authority: &str) -> Option<Value> {
    let mut new = configuration.clone();
    for webhook in new["webhooks"].as_array_mut().into_iter().flatten() {
        let ours = webhook["name"]
            .as_str()
            .is_some_and(|name| name.ends_with(SUFFIX));
        if !ours {
            continue;
        }
        let client = &mut webhook["clientConfig"];
        client["caBundle"] = Value::String(STANDARD.encode(authority));
        if client["url"].is_null() {
            client["service"]["name"] = json!(at.service);
            client["service"]["namespace"] = json!(at.namespace);
        }
    }
    (new != *configuration).then_some(new)
}

/// The same for the conversion webhook of a CRD; nothing for a CRD that converts nothing.
pub fn converted(crd: &Value, at: &Address, authority: &str) -> Result<Option<Value>, String> {
    if crd["spec"]["conversion"]["strategy"] != "Webhook" {
        return Ok(None);
    }
    let mut new = crd.clone();
    let client = &mut new["spec"]["conversion"]["webhook"]["clientConfig"];
    if client.is_null() {
        return Err("unexpected crd conversion webhook config".to_owned());
    }
    client["caBundle"] = Value::String(STANDARD.encode(authority));
    client["service"]["name"] = json!(at.service);
    client["service"]["namespace"] = json!(at.namespace);
    Ok((new != *crd).then_some(new))
}
