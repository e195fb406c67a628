//! A store that calls one endpoint. The Secrets its templates use are read when it connects; where
//! that fails they are read again by the calls that need them, because the store itself is usable
//! without them.

use std::time::Duration;

use async_lock::OnceCell;
use futures_util::future::{Either, select};
use http::{Method, Uri};
use lockstep_provider_api::http::{Tls, encode_component};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::api::{Api, Call};
use crate::auth;
use crate::fields;
use crate::result::Path;
use crate::spec::WebhookSpec;
use crate::template::{Data, Secrets, Text};

/// Longest time to open a connection while the store is checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(15);
/// Port of an address that names none; upstream has it for plain HTTP too.
const DEFAULT_PORT: u16 = 443;

/// A store over one endpoint.
#[derive(Debug)]
pub struct WebhookStore {
    api: Api,
    ctx: Ctx,
    spec: WebhookSpec,
    path: Text,
    secrets: OnceCell<Secrets>,
    /// Namespace of the object that uses the store, where its templates may look at it.
    caller: String,
    /// Whether requests differ by the property that is wanted.
    names_property: bool,
}

impl WebhookStore {
    pub(crate) async fn connect(spec: WebhookSpec, ctx: Ctx) -> Result<Self> {
        spec.validate()?;
        let ca = ctx.trust(spec.ca_bundle.as_ref(), spec.ca_provider.as_ref());
        let tls = Tls {
            ca: ca.await?,
            ..Tls::default()
        };
        let shows = |field| move |template: &str| fields::may_show(template, field);
        let caller = if spec.templates().any(shows(fields::NAMESPACE)) {
            ctx.scope().home().unwrap_or_default().to_owned()
        } else {
            // Not asking for the caller is what lets namespaces share a ClusterSecretStore.
            String::new()
        };
        let names_property = spec.request_templates().any(shows(fields::PROPERTY));
        let store = Self {
            api: Api::new(&spec, &tls, ctx.clone())?,
            path: Text::new(spec.json_path().unwrap_or_default()),
            secrets: OnceCell::new(),
            caller,
            names_property,
            spec,
            ctx,
        };
        let _ = store.secrets().await;
        Ok(store)
    }

    async fn secrets(&self) -> Result<&Secrets> {
        let wanted = self.spec.secrets.as_deref().unwrap_or_default();
        let read = || auth::secrets(wanted, &self.ctx);
        self.secrets.get_or_try_init(read).await
    }

    /// What the endpoint answers.
    async fn read(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let secrets = self.secrets().await?;
        let call = Call {
            method: self.api.method_or(Method::GET),
            escaped: self.data(reference, secrets, escape),
            raw: self.data(reference, secrets, str::to_owned),
            body: Vec::new(),
            what: "endpoint",
        };
        self.api.call(call).await
    }

    /// What templates see of a reference, each field as `shown` has it.
    fn data(&self, reference: &RemoteRef, secrets: &Secrets, shown: fn(&str) -> String) -> Data {
        let optional = |field: &Option<String>| shown(field.as_deref().unwrap_or_default());
        let fields = [
            ("key", shown(&reference.key)),
            ("version", optional(&reference.version)),
            (fields::PROPERTY, optional(&reference.property)),
        ];
        let fields = fields.iter().map(|(name, text)| (*name, text.as_bytes()));
        let namespace = (fields::NAMESPACE, self.caller.as_bytes());
        secrets.with(fields.chain([namespace]), self.ctx.now())
    }

    /// The path to what a reference wants.
    fn path_of(&self, reference: &RemoteRef) -> Result<Path> {
        let secrets = self.secrets.get().ok_or_else(mismatch)?;
        self.path(&self.data(reference, secrets, str::to_owned))
    }

    fn path(&self, data: &Data) -> Result<Path> {
        let path = self.path.text(data)?;
        let source = self.spec.json_path().unwrap_or_default();
        let mut named = self.spec.secrets.iter().flatten();
        let shown = if named.any(|secret| source.contains(&secret.name)) {
            source.to_owned()
        } else {
            path.clone()
        };
        Ok(Path { path, shown })
    }
}

impl Store for WebhookStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let answer = self.read(reference).await?;
        self.path_of(reference)?.value(answer)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let answer = self.read(reference).await?;
        self.path_of(reference)?.map(&answer)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.read(reference).await
    }

    /// The endpoint's answer serves every path into it, unless the request names the property.
    /// Without the store's Secrets there may be no path.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        if self.names_property || self.secrets.get().is_none() {
            return None;
        }
        let mut reference = read.reference()?.clone();
        reference.property = None;
        Some(Read::Raw(reference))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let answer = match containing {
            Ok(Payload::Value(answer)) => answer.clone(),
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(wanted) => self.path_of(wanted)?.value(answer).map(Payload::Value),
            Read::Map(wanted) => self.path_of(wanted)?.map(&answer).map(Payload::Map),
            Read::Raw(_) => Ok(Payload::Value(answer)),
            Read::Find(_) => Err(mismatch()),
        }
    }

    /// Sends the value. What the endpoint held before is not known, so every push is an update.
    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let key = item.target.remote_key.as_str();
        if key.is_empty() {
            return Err(Error::invalid_spec("remote key must be defined"));
        }
        let value = item.value()?;
        let secrets = self.secrets().await?;
        let data = |escape: fn(&[u8]) -> Vec<u8>| {
            let mut fields = vec![("remoteKey", escape(key.as_bytes()))];
            fields.extend(
                item.wanted_key()
                    .map(|name| ("secretKey", escape(name.as_bytes()))),
            );
            fields.push((key, escape(value.expose())));
            let fields = fields.iter().map(|(name, text)| (*name, text.as_slice()));
            secrets.with(fields, self.ctx.now())
        };
        let call = Call {
            method: self.api.method_or(Method::POST),
            escaped: data(escape_bytes),
            raw: data(<[u8]>::to_vec),
            body: value.expose().to_vec(),
            what: "endpoint",
        };
        let pushed = self.api.call(call).await.map_err(never_absent);
        pushed.map_err(|error| {
            error.context("failed to push webhook data: failed to push webhook data")
        })?;
        Ok(Pushed::Updated)
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let secrets = self.secrets().await?;
        let data = || {
            let fields = [("remoteKey", target.remote_key.as_bytes())];
            secrets.with(fields, self.ctx.now())
        };
        let call = Call {
            method: Method::DELETE,
            escaped: data(),
            raw: data(),
            body: Vec::new(),
            what: "delete endpoint",
        };
        match self.api.call(call).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
            answered => answered.map(drop),
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        match self.read(&RemoteRef::key(&target.remote_key)).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether the server can be reached. The address is looked at as written; where its host is a
    /// template nothing can be told.
    async fn check(&self) -> Check {
        let url = self.spec.url.as_str();
        if !url.contains("://") && !url.contains("{{") {
            let text =
                "error accessing external store: the url has no host; begin it with https://";
            return Check::Failed(Error::invalid_spec(text));
        }
        let Some((host, port)) = server(url) else {
            return Check::Healthy(Health::Unknown);
        };
        let patience = self.ctx.time().sleep(CHECK_PATIENCE);
        let reached = match select(Box::pin(self.ctx.reach(&host, port)), patience).await {
            Either::Left((reached, _)) => reached,
            Either::Right(_) => Err(Error::unreachable(format!(
                "{host}:{port} did not take a connection within {CHECK_PATIENCE:?}"
            ))),
        };
        match reached {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) if error.kind() == &ErrorKind::Unsupported => {
                Check::Healthy(Health::Unknown)
            }
            Err(error) => Check::Failed(error.context("error accessing external store")),
        }
    }
}

/// Host and port of an address whose path and query may be templates.
fn server(url: &str) -> Option<(String, u16)> {
    let (_, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    if authority.contains("{{") {
        return None;
    }
    let uri: Uri = format!("http://{authority}/").parse().ok()?;
    let host = uri.host()?.trim_start_matches('[').trim_end_matches(']');
    Some((host.to_owned(), uri.port_u16().unwrap_or(DEFAULT_PORT)))
}

/// A push that meets 404 did not find its endpoint; no secret is missing, whatever upstream's words.
fn never_absent(error: Error) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return Error::invalid_spec("Secret does not exist: endpoint gave error 404 Not Found");
    }
    error
}

/// Escapes a query value as Go does, with a plus for a space.
fn escape(text: &str) -> String {
    encode_component(text).replace("%20", "+")
}

fn escape_bytes(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => escape(text).into_bytes(),
        Err(_) => percent_encode(bytes).into_bytes(),
    }
}

/// Percent-encodes bytes that are no text.
fn percent_encode(bytes: &[u8]) -> String {
    let parts = bytes.iter().map(|byte| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii() => encode_component(&char::from(*byte).to_string()),
        byte => format!("%{byte:02X}"),
    });
    parts.collect()
}

#[cfg(test)]
mod tests;
