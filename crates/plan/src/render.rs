//! Data, labels and annotations of a target: those of the ExternalSecret where there is no
//! template, else what the template says. The Secret that exists is not looked at here.

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::{Template, TemplateMergePolicy, TemplateMetadata};
use lockstep_provider::{SecretMap, SecretValue};

use crate::external_secret::TemplateSources;
use crate::settings::Settings;
use crate::validate;

/// What a target is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) secret_type: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) finalizers: Vec<String>,
    pub(crate) data: SecretMap,
}

/// Renders the target of an object from fetched data; the error is the text of the event.
pub(crate) fn render(
    object: &ExternalSecret,
    data: SecretMap,
    sources: &TemplateSources,
    settings: &Settings,
) -> Result<Rendered, String> {
    let Some(template) = object
        .spec
        .target
        .as_ref()
        .and_then(|target| target.template.as_deref())
    else {
        return Ok(untemplated(object, data, settings));
    };
    validate::secret_template(&object.spec)
        .and_then(|()| apply(template, data, sources, settings))
        .map_err(|text| format!("could not apply template: {text}"))
}

fn untemplated(object: &ExternalSecret, data: SecretMap, settings: &Settings) -> Rendered {
    let copied = |map: Option<&BTreeMap<String, String>>| {
        let pairs = map.into_iter().flatten();
        let kept = pairs.filter(|(key, _)| settings.copied_metadata.copies(key));
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    Rendered {
        labels: copied(object.metadata.labels.as_ref()),
        annotations: copied(object.metadata.annotations.as_ref()),
        data,
        ..Rendered::default()
    }
}

fn apply(
    template: &Template,
    fetched: SecretMap,
    _sources: &TemplateSources,
    settings: &Settings,
) -> Result<Rendered, String> {
    let metadata = template.metadata.clone().unwrap_or_default();
    let TemplateMetadata {
        labels,
        annotations,
        finalizers,
    } = metadata;
    let includes_fetched = *template.merge_policy() == TemplateMergePolicy::Merge
        || (template.data.is_empty() && template.template_from.is_empty());
    let mut data = if includes_fetched {
        fetched
    } else {
        SecretMap::new()
    };
    if !template.template_from.is_empty() {
        return Err("templateFrom is not in this build".to_owned());
    }
    let values = template.data.iter().chain(&labels).chain(&annotations);
    for (key, text) in values {
        if text.contains(&settings.delimiters.left) {
            return Err(format!("templates are not in this build (key {key})"));
        }
    }
    for (key, text) in &template.data {
        data.insert(key.clone(), SecretValue::from(text.as_str()));
    }
    Ok(Rendered {
        secret_type: template.type_.clone().filter(|written| !written.is_empty()),
        labels,
        annotations,
        finalizers,
        data,
    })
}
