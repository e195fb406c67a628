#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod address;
mod api;
mod auth;
mod error;
mod fields;
mod generator;
mod jsonpath;
mod redirect;
mod result;
mod spec;
mod store;
mod template;

use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;

pub use spec::{Auth, NtlmAuth, TemplateSecret, WebhookResult, WebhookSpec};
pub use store::WebhookStore;

/// Any HTTP server that answers with a secret.
pub struct Webhook;

impl Provider for Webhook {
    const NAME: &'static str = "webhook";
    const STABILITY: Stability = Stability::Maintained;
    const GENERATORS: &'static [GeneratorEntry] =
        &[GeneratorEntry::of::<generator::WebhookGenerator>()];
    type Spec = WebhookSpec;
    type Store = WebhookStore;

    fn validate(spec: &WebhookSpec, _: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn capabilities(_: &WebhookSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: WebhookSpec, ctx: Ctx) -> Result<WebhookStore> {
        WebhookStore::connect(spec, ctx).await
    }
}

/// How long the value is that a path leads to in an answer, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub fn follow_path(path: &str, answer: &[u8]) -> Option<usize> {
    let path = result::Path {
        path: path.to_owned(),
        shown: String::new(),
    };
    let value = path.value(SecretValue::from(answer)).ok()?;
    let _ = path.map(&SecretValue::from(answer));
    Some(value.expose().len())
}
