//! Which objects ExternalSecrets and PushSecrets read from beside their stores. Reads specs only.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_plan::external_secret::{SourceKey, SourceKind, generators, template_sources};
use lockstep_plan::push_secret::{self, SourceRef};

use crate::key::ObjectKey;
use crate::rows::{InputKey, InputKind};

/// The kind of generators that have no namespace.
const CLUSTER_GENERATOR: &str = "ClusterGenerator";

/// What an ExternalSecret reads from: template sources and generators.
pub(crate) fn of_external_secret(object: &ExternalSecret) -> BTreeSet<InputKey> {
    let namespace = namespace(&object.metadata);
    let sources = template_sources(object);
    let sources = sources.iter().map(|source| of_source(source, namespace));
    let generators = generators(object).map(|generator| of_generator(generator, namespace));
    sources.chain(generators).collect()
}

/// What a PushSecret reads from: its source, where that has a name, and template sources.
pub(crate) fn of_push_secret(object: &PushSecret) -> BTreeSet<InputKey> {
    let namespace = namespace(&object.metadata);
    let templates = push_secret::template_sources(object);
    let templates = templates.iter().map(|source| of_source(source, namespace));
    let source = match push_secret::source(object) {
        Some(SourceRef::Named(name)) => Some(InputKey {
            kind: InputKind::Secret,
            name: ObjectKey::new(namespace, name),
        }),
        Some(SourceRef::Generator(generator)) => Some(of_generator(generator, namespace)),
        Some(SourceRef::Labelled(_)) | None => None,
    };
    templates.chain(source).collect()
}

/// The input that metadata belong to.
pub(crate) fn of_metadata(kind: &InputKind, metadata: &ObjectMeta) -> InputKey {
    InputKey {
        kind: kind.clone(),
        name: ObjectKey::of(metadata),
    }
}

fn of_source(source: &SourceKey, namespace: &str) -> InputKey {
    InputKey {
        kind: match source.kind {
            SourceKind::ConfigMap => InputKind::ConfigMap,
            SourceKind::Secret => InputKind::Secret,
        },
        name: ObjectKey::new(namespace, &source.name),
    }
}

fn of_generator(generator: &GeneratorRef, namespace: &str) -> InputKey {
    let kind = generator.kind.as_str();
    let namespace = if kind == CLUSTER_GENERATOR {
        ""
    } else {
        namespace
    };
    InputKey {
        kind: InputKind::Generator(kind.into()),
        name: ObjectKey::new(namespace, &generator.name),
    }
}

fn namespace(metadata: &ObjectMeta) -> &str {
    metadata.namespace.as_deref().unwrap_or_default()
}
