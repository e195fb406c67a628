//! What an object should be. Labels and annotations are put over those that are there and taken
//! back where we wrote them earlier; contents are replaced, or merged where the policy says so;
//! everything else of others stays.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::external_secret::Template;
use lockstep_api::{ExternalSecret, keys};
use lockstep_provider_api::SecretMap;
use serde_json::{Map, Value, json};

use super::place::{Canvas, Place};
use super::{Object, ObjectPlan, ObjectRef};
use crate::failure::Failure;
use crate::render::{Output, RenderContext, RenderError, Texts, supported};
use crate::target::{Desired, Managed, Section, settle_ownership};
use crate::validate;

/// Why an object could not be made.
pub(crate) enum BuildError {
    /// A template or a value.
    Content(RenderError),
    /// Someone else owns it.
    Owner(Failure),
}

impl From<RenderError> for BuildError {
    fn from(error: RenderError) -> Self {
        Self::Content(error)
    }
}

impl From<String> for BuildError {
    fn from(text: String) -> Self {
        Self::Content(text.into())
    }
}

/// The write that makes the object what it should be. `desired` holds everything but contents.
pub(crate) fn build(
    object: &ExternalSecret,
    desired: &Desired,
    (reference, live): (&ObjectRef, Option<&Object>),
    data: &SecretMap,
    means: RenderContext<'_>,
) -> Result<ObjectPlan, BuildError> {
    let mut body = live.map(|live| live.0.clone()).unwrap_or_default();
    let template = object
        .spec
        .target
        .as_ref()
        .and_then(|target| target.template.as_deref());
    let managed = live.map(|live| Managed::by(keys::FIELD_MANAGER, &live.metadata()));
    let managed = managed.unwrap_or_default();
    prepare(&mut body, reference, desired, (template, &managed));
    put_metadata(&mut body, desired, &managed);
    match template {
        None => put_fetched(&mut body, reference, data)?,
        Some(template) => {
            supported(template)?;
            validate::secret_template(&object.spec)?;
            put_template(&mut body, reference, template, data, means)?;
        }
    }
    let mut made = Object(body);
    finish(&mut made, reference, desired).map_err(BuildError::Owner)?;
    Ok(match live {
        None => ObjectPlan::Create(made),
        Some(live) if is_same(live, &made) => ObjectPlan::InSync,
        Some(_) => ObjectPlan::Replace(made),
    })
}

/// Removes what is about to be written again: our keys where those of others stay, else all contents.
fn prepare(
    body: &mut Map<String, Value>,
    reference: &ObjectRef,
    desired: &Desired,
    (template, managed): (Option<&Template>, &Managed),
) {
    let content = if reference.has_data() { "data" } else { "spec" };
    if desired.write.keeps_foreign_keys() {
        if let Some(Value::Object(data)) = body.get_mut("data") {
            for key in managed.keys(Section::Data) {
                data.remove(key);
            }
        }
    } else {
        let entries = template.iter().flat_map(|template| &template.template_from);
        for entry in entries {
            let root = Place::of(entry.target.as_deref()).root();
            if root != "metadata" {
                body.remove(root);
            }
        }
        body.insert(content.to_owned(), json!({}));
    }
    if !body.get(content).is_some_and(Value::is_object) {
        body.insert(content.to_owned(), json!({}));
    }
}

fn put_metadata(body: &mut Map<String, Value>, desired: &Desired, managed: &Managed) {
    let sections = [
        ("labels", Section::Label, &desired.labels),
        ("annotations", Section::Annotation, &desired.annotations),
    ];
    for (member, section, wanted) in sections {
        let metadata = body.entry("metadata").or_insert_with(|| json!({}));
        let held = &mut metadata[member];
        if !held.is_object() {
            *held = json!({});
        }
        if let Some(held) = held.as_object_mut() {
            for key in managed.keys(section) {
                held.remove(key);
            }
            held.extend(
                wanted
                    .iter()
                    .map(|(key, text)| (key.clone(), text.as_str().into())),
            );
        }
    }
}

/// Without a template: values as texts under `data`, or under `spec.data` where there is none.
fn put_fetched(
    body: &mut Map<String, Value>,
    reference: &ObjectRef,
    data: &SecretMap,
) -> Result<(), String> {
    let mut canvas = Canvas {
        object: body,
        is_secret: reference.is_secret(),
    };
    if reference.has_data() {
        let mut values = data.iter();
        return values
            .try_for_each(|(key, value)| canvas.value(Place::Data, key, value.expose().to_vec()));
    }
    let texts: Result<Map<String, Value>, String> = data
        .iter()
        .map(|(key, value)| {
            let text = value.expose_utf8().map_err(|_| {
                let kind = &reference.kind;
                format!("the value of {key} is not valid UTF-8, which {kind} cannot hold")
            })?;
            Ok((key.to_owned(), text.into()))
        })
        .collect();
    let spec = canvas.object.entry("spec").or_insert_with(|| json!({}));
    spec["data"] = Value::Object(texts?);
    Ok(())
}

fn put_template(
    body: &mut Map<String, Value>,
    reference: &ObjectRef,
    template: &Template,
    data: &SecretMap,
    means: RenderContext<'_>,
) -> Result<(), RenderError> {
    let mut canvas = Canvas {
        object: body,
        is_secret: reference.is_secret(),
    };
    let texts = Texts::new(data, means);
    for (at, entry) in template.template_from.iter().enumerate() {
        let place = Place::of(entry.target.as_deref());
        texts.entry(at, entry, &mut |output| match (output, place) {
            (Output::Value(key, value), _) => canvas.value(place, key, value),
            (Output::Map(text), Place::Path(path)) => canvas.document(path, text.raw()),
            (Output::Map(text), _) => {
                let mut pairs = text.flat()?.into_iter();
                pairs.try_for_each(|(key, value)| canvas.value(place, &key, value))
            }
        })?;
    }
    texts.values("data", &template.data, &mut |key, value| {
        canvas.value(Place::Data, key, value)
    })
}

/// Identity, ownership, the managed label and the hash of the contents.
fn finish(object: &mut Object, reference: &ObjectRef, desired: &Desired) -> Result<(), Failure> {
    let mut metadata = object.metadata();
    settle_ownership(desired, &mut metadata)?;
    let mut labels = metadata.labels.unwrap_or_default();
    labels.insert(
        keys::LABEL_MANAGED.to_owned(),
        keys::LABEL_MANAGED_VALUE.to_owned(),
    );
    let mut annotations = metadata.annotations.unwrap_or_default();
    let hash = object.content_hash().unwrap_or_default();
    annotations.insert(keys::ANNOTATION_DATA_HASH.to_owned(), hash);
    let body = &mut object.0;
    body.insert(
        "apiVersion".to_owned(),
        reference.api_version.as_str().into(),
    );
    body.insert("kind".to_owned(), reference.kind.as_str().into());
    let held = body.entry("metadata").or_insert_with(|| json!({}));
    held["name"] = reference.name.as_str().into();
    held["namespace"] = reference.namespace.as_str().into();
    held["labels"] = json!(labels);
    held["annotations"] = json!(annotations);
    held["ownerReferences"] = json!(metadata.owner_references.unwrap_or_default());
    Ok(())
}

/// Whether the two differ in nothing we may change.
fn is_same(live: &Object, made: &Object) -> bool {
    let rest = |object: &Object| {
        let members = object.0.iter();
        let members = members.filter(|(member, _)| !matches!(member.as_str(), "metadata"));
        members
            .map(|(member, value)| (member.clone(), value.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let marks = |object: &Object| {
        let ObjectMeta {
            labels,
            annotations,
            owner_references,
            ..
        } = object.metadata();
        (
            labels.unwrap_or_default(),
            annotations.unwrap_or_default(),
            owner_references.unwrap_or_default(),
        )
    };
    marks(live) == marks(made) && rest(live) == rest(made)
}
