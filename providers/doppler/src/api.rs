//! The requests this provider makes and the answers it understands. Downloads carry the ETag of the
//! kept answer, and a 304 gives that answer again; a write forgets what was kept for its store.

use std::sync::Arc;

use lockstep_provider_api::http::{RequestBuilder, StatusCode, Tls, Verification};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;
use lockstep_provider_kit::error::{missing, missing_kept};
use lockstep_provider_kit::etag::{EtagCache, Tagged};
use lockstep_provider_kit::{Address, Members, Rest};
use serde_json::{Value, json};

use crate::auth;
use crate::error;
use crate::spec::{DopplerSpec, Format, NameTransformer};

/// The metric's label.
const PROVIDER: &str = "Doppler";
const BASE: &str = "https://api.doppler.com";
const DOWNLOAD: &str = "/v3/configs/config/secrets/download";
const AGENT: &str = "doppler-external-secrets";
/// The one key of a download in a format of its own.
const FILE: &str = "DOPPLER_SECRETS_FILE";

/// A connection to one config.
pub(crate) struct Api {
    rest: Rest,
    spec: DopplerSpec,
    cache: Arc<EtagCache>,
    identity: Fingerprint,
}

impl Api {
    /// Resolves credentials.
    pub(crate) async fn connect(spec: DopplerSpec, ctx: &Ctx) -> Result<Self> {
        let url = ctx.variable("DOPPLER_BASE_URL");
        let mut url = url.unwrap_or_else(|| BASE.to_owned());
        if !url.contains("://") {
            url.insert_str(0, "https://");
        }
        let base = Address::new("DOPPLER_BASE_URL", &url)?;
        let trust = Tls {
            verification: verification(ctx),
            ..Tls::default()
        };
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?.agent(AGENT);
        let credentials = auth::connect(&spec.auth, &rest).await?;
        Ok(Self {
            rest: rest.signed(credentials.auth),
            spec,
            cache: ctx.shared(),
            identity: credentials.fingerprint,
        })
    }

    /// The value of one secret.
    pub(crate) async fn read(&self, name: &str) -> Result<SecretValue> {
        let request = self.scoped(self.rest.get(DOWNLOAD).accept_json());
        let request = request.query("secrets", name);
        let body = self.download(request, &format!("one {name}")).await;
        let failed = |error: Error| error.context(format!("could not get secret {name}"));
        let body = body.map_err(|error| failed(missing_kept(error)))?;
        let members = Members::StrictStringMap.of(&body).map_err(|error| {
            failed(error.context("Doppler API Client Error: unable to unmarshal secret payload"))
        })?;
        members.get(name).cloned().ok_or_else(|| {
            let text = format!("Doppler API Client Error: secret '{name}' not found");
            failed(missing(text))
        })
    }

    /// All secrets; with a format, one file under one key.
    pub(crate) async fn read_all(&self) -> Result<SecretMap> {
        let spec = &self.spec;
        let plain = spec.format.is_some_and(|format| format != Format::Json);
        let accept = if plain {
            "text/plain"
        } else {
            "application/json"
        };
        let request = self.scoped(self.rest.get(DOWNLOAD).header("accept", accept));
        let transformer = spec.name_transformer.map(NameTransformer::word);
        let format = spec.format.map(Format::word);
        let request = request
            .query_some("name_transformer", transformer)
            .query_some("format", format);
        let failed = |error: Error| {
            lockstep_provider_kit::error::not_absence(error)
                .map_message(|text| format!("could not get secrets {text}"))
        };
        let kind = format!("all {transformer:?} {format:?}");
        let body = self.download(request, &kind).await.map_err(failed)?;
        if format.is_some() {
            return Ok(SecretMap::from_iter([(FILE.to_owned(), body)]));
        }
        Members::StrictStringMap.of(&body).map_err(|error| {
            failed(error.context("Doppler API Client Error: unable to unmarshal secrets payload"))
        })
    }

    /// Sets or removes secrets.
    pub(crate) async fn update(&self, change: (&'static str, Value)) -> Result<()> {
        let mut body = serde_json::Map::new();
        body.insert(change.0.to_owned(), change.1);
        for (name, value) in [
            ("project", &self.spec.project),
            ("config", &self.spec.config),
        ] {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                body.insert(name.to_owned(), json!(value));
            }
        }
        let request = self.rest.post("/v3/configs/config/secrets").accept_json();
        let request = request.json(&Value::Object(body));
        let sent = self.rest.send("UpdateSecrets", request, error::check).await;
        // Even a failed write may have changed something.
        self.cache.forget_group(self.identity);
        sent.map(drop)
            .map_err(lockstep_provider_kit::error::not_absence)
    }

    /// Whether the credentials are good.
    pub(crate) async fn check(&self) -> Result<()> {
        self.rest.base().reach(self.rest.ctx()).await?;
        let request = self.rest.get("/v3/projects").accept_json();
        let sent = self.rest.send("Authenticate", request, error::check).await;
        sent.map(drop)
            .map_err(lockstep_provider_kit::error::not_absence)
    }

    fn scoped(&self, request: RequestBuilder) -> RequestBuilder {
        let given = |value: &'_ Option<String>| value.clone().filter(|value| !value.is_empty());
        request
            .query_some("project", given(&self.spec.project).as_deref())
            .query_some("config", given(&self.spec.config).as_deref())
    }

    async fn download(&self, request: RequestBuilder, kind: &str) -> Result<SecretValue> {
        let key = self.request_key(kind);
        let kept = self.cache.get(key);
        let request = match &kept {
            Some(kept) => request.header("if-none-match", &kept.tag),
            None => request,
        };
        let answer = self.rest.send("GetSecrets", request, error::check).await?;
        if answer.status() == StatusCode::NOT_MODIFIED {
            return kept.map(|kept| kept.body).ok_or_else(|| {
                Error::invalid_data("Doppler says that an answer is unchanged that was never given")
            });
        }
        let tag = answer.header("etag").map(str::to_owned);
        let body = answer.into_secret();
        match tag {
            Some(tag) => {
                let body = body.clone();
                self.cache.put(self.identity, key, Tagged { tag, body });
            }
            None => self.cache.forget(key),
        }
        Ok(body)
    }

    fn request_key(&self, kind: &str) -> Fingerprint {
        let given = |value: &'_ Option<String>| value.clone().unwrap_or_default().into_bytes();
        Fingerprint::of([
            b"doppler".to_vec(),
            self.identity.to_bytes().to_vec(),
            given(&self.spec.project),
            given(&self.spec.config),
            kind.as_bytes().to_vec(),
        ])
    }
}

/// `DOPPLER_VERIFY_TLS=false` is the operator's own switch.
fn verification(ctx: &Ctx) -> Verification {
    let off = ["0", "f", "F", "false", "FALSE", "False"];
    match ctx.variable("DOPPLER_VERIFY_TLS") {
        Some(word) if off.contains(&word.as_str()) => Verification::Off,
        _ => Verification::Full,
    }
}
