//! One `target.template` of a Secret, in upstream's order: fetched data where it is kept, then every
//! source of `templateFrom`, then `data`, labels and annotations; later results replace earlier ones.

use lockstep_api::external_secret::{Template, TemplateMergePolicy};
use lockstep_provider_api::{SecretMap, SecretValue};

use super::fault::RenderError;
use super::sources::{Output, Texts};
use super::{RenderContext, Rendered};

/// Renders a template.
pub(super) fn apply(
    template: &Template,
    fetched: SecretMap,
    means: RenderContext<'_>,
) -> Result<Rendered, RenderError> {
    let texts = Texts::new(&fetched, means);
    let metadata = template.metadata.clone().unwrap_or_default();
    let includes_fetched = *template.merge_policy() == TemplateMergePolicy::Merge
        || (template.data.is_empty() && template.template_from.is_empty());
    let mut rendered = Rendered {
        secret_type: template.type_.clone().filter(|written| !written.is_empty()),
        labels: metadata.labels.clone(),
        annotations: metadata.annotations.clone(),
        finalizers: metadata.finalizers,
        data: if includes_fetched {
            fetched
        } else {
            SecretMap::new()
        },
    };
    fill(template, &texts, &mut rendered)?;
    Ok(rendered)
}

/// Adds what a template gives to what is there: the form of PushSecrets, whose source always stays.
/// The type is the template's.
pub(super) fn extend(
    template: &Template,
    source: Rendered,
    means: RenderContext<'_>,
) -> Result<Rendered, RenderError> {
    let texts = Texts::new(&source.data, means);
    let mut rendered = Rendered {
        secret_type: template.type_.clone().filter(|written| !written.is_empty()),
        ..source
    };
    fill(template, &texts, &mut rendered)?;
    Ok(rendered)
}

fn fill(
    template: &Template,
    texts: &Texts<'_>,
    rendered: &mut Rendered,
) -> Result<(), RenderError> {
    let metadata = template.metadata.clone().unwrap_or_default();
    for (at, entry) in template.template_from.iter().enumerate() {
        let place = Place::of(entry.target.as_deref());
        texts.entry(at, entry, &mut |output| match output {
            Output::Value(key, value) => rendered.put(place, key, value),
            Output::Map(document) => {
                let mut pairs = document.flat()?.into_iter();
                pairs.try_for_each(|(key, value)| rendered.put(place, &key, value))
            }
        })?;
    }
    let sections = [
        ("data", Place::Data, &template.data),
        ("metadata.labels", Place::Labels, &metadata.labels),
        (
            "metadata.annotations",
            Place::Annotations,
            &metadata.annotations,
        ),
    ];
    for (section, place, templates) in sections {
        texts.values(section, templates, &mut |key, value| {
            rendered.put(place, key, value)
        })?;
    }
    Ok(())
}

/// Where results go.
#[derive(Clone, Copy)]
enum Place {
    Data,
    Labels,
    Annotations,
}

impl Place {
    /// Matched without case; nothing written means the data.
    fn of(target: Option<&str>) -> Self {
        match target.unwrap_or_default().to_ascii_lowercase().as_str() {
            "labels" => Self::Labels,
            "annotations" => Self::Annotations,
            _ => Self::Data,
        }
    }
}

impl Rendered {
    fn put(&mut self, place: Place, key: &str, value: Vec<u8>) -> Result<(), String> {
        let map = match place {
            Place::Data => {
                self.data.insert(key, SecretValue::new(value));
                return Ok(());
            }
            Place::Labels => &mut self.labels,
            Place::Annotations => &mut self.annotations,
        };
        let text = String::from_utf8(value)
            .map_err(|_| format!("the value rendered for {key} is not valid UTF-8"))?;
        map.insert(key.to_owned(), text);
        Ok(())
    }
}
