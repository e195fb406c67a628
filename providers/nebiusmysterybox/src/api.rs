//! The calls this provider makes and the values in their answers. What a failure means is decided in
//! `error`.

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::entries::EntryValue;
use lockstep_provider_kit::grpc::{Channel, Rpc};

use crate::auth;
use crate::error::unknown_type;
use crate::messages::{
    Entry, GetPayloadByKeyRequest, GetPayloadRequest, SecretPayload, SecretPayloadEntry, Value,
};
use crate::spec::NebiusmysteryboxSpec;

/// The metric's label.
pub(crate) const PROVIDER: &str = "Nebius/Mysterybox";
const GET: Rpc = Rpc {
    path: "/nebius.mysterybox.v1.PayloadService/Get",
    call: "GetSecret",
};
const GET_BY_KEY: Rpc = Rpc {
    path: "/nebius.mysterybox.v1.PayloadService/GetByKey",
    call: "GetSecretByKey",
};

/// A connection to MysteryBox.
pub(crate) struct Api {
    channel: Channel,
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &NebiusmysteryboxSpec, ctx: &Ctx) -> Result<Self> {
        if spec.api_domain.trim().is_empty() {
            return Err(Error::invalid_spec("API domain must be set"));
        }
        let tls = trust(spec, ctx).await?;
        let auth = auth::connect(spec, &tls, ctx).await?;
        let channel = channel("dpl.mysterybox", spec, &tls, ctx)?;
        Ok(Self {
            channel: channel.signed(auth),
        })
    }

    /// All entries of a secret.
    pub(crate) async fn payload(&self, reference: &RemoteRef) -> Result<SecretPayload> {
        let question = GetPayloadRequest {
            secret_id: reference.key.clone(),
            version_id: version(reference),
        };
        self.channel.call(GET, &question).await
    }

    /// One entry of a secret.
    pub(crate) async fn entry(&self, reference: &RemoteRef, key: &str) -> Result<Option<Entry>> {
        let question = GetPayloadByKeyRequest {
            secret_id: reference.key.clone(),
            version_id: version(reference),
            key: key.to_owned(),
        };
        let answer: SecretPayloadEntry = self.channel.call(GET_BY_KEY, &question).await?;
        Ok(answer.data)
    }
}

/// A channel without credentials to a service below the domain. Here, and not before, it is found out
/// whether the authorities can be read.
pub(crate) fn channel(
    service: &str,
    spec: &NebiusmysteryboxSpec,
    tls: &Tls,
    ctx: &Ctx,
) -> Result<Channel> {
    let readable = ctx.http(tls);
    readable.map_err(|error| {
        error.map_message(|_| "failed to append CA certificate. PEM parse error".to_owned())
    })?;
    let target = format!("{service}.{}", spec.api_domain.trim());
    let field = "spec.provider.nebiusmysterybox.apiDomain";
    Channel::new(ctx, PROVIDER, (field, &target), tls)
}

/// The namespace that uses the store, and the name of a Secret: what the original's messages show.
pub(crate) fn place(selector: &SecretKeySelector, ctx: &Ctx) -> String {
    let namespace = ctx.scope().home().unwrap_or_default();
    format!(
        "{namespace}/{}",
        selector.name.as_deref().unwrap_or_default()
    )
}

async fn trust(spec: &NebiusmysteryboxSpec, ctx: &Ctx) -> Result<Tls> {
    let Some(provider) = &spec.ca_provider else {
        return Ok(Tls::default());
    };
    let selector = provider.selector();
    let ca = ctx
        .secret(&selector)
        .await
        .map_err(|error| error.context(format!("read CA certificate {}", place(&selector, ctx))))?;
    let ca = ca.expose().trim_ascii();
    Ok(Tls {
        ca: (!ca.is_empty()).then(|| ca.to_vec()),
        ..Tls::default()
    })
}

fn version(reference: &RemoteRef) -> String {
    reference.wanted_version().unwrap_or_default().to_owned()
}

/// The entries of a secret with their types.
pub(crate) fn entries(payload: SecretPayload) -> Result<Vec<(String, EntryValue)>> {
    let typed = payload.data.into_iter().map(|entry| {
        let value = typed(entry.value, &entry.key)?;
        Ok((entry.key, value))
    });
    typed.collect()
}

/// The value of the entry that was asked for as `key`.
pub(crate) fn typed(value: Option<Value>, key: &str) -> Result<EntryValue> {
    match value {
        Some(Value::Text(text)) => Ok(EntryValue::Text(text)),
        Some(Value::Binary(bytes)) => Ok(EntryValue::Bytes(bytes)),
        None => Err(unknown_type(key)),
    }
}
