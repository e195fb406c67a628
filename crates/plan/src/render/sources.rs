//! The texts of a template, each rendered and handed on as one value or as a document: entries of
//! `templateFrom`, and maps of values. Where results go is decided by what is being made of them.

use std::collections::BTreeMap;

use lockstep_api::external_secret::{DecodingStrategy, TemplateAs, TemplateFrom, TemplateRef};
use lockstep_provider_api::{SecretMap, SecretValue};

use super::RenderContext;
use super::engine::{Engine, Source};
use super::fault::RenderError;
use crate::decode;
use crate::template_fault::TemplateText;
use crate::template_source::{SourceKey, SourceKind};

/// Renders texts on one set of fetched values.
pub(crate) struct Texts<'a> {
    engine: Engine<'a>,
    means: RenderContext<'a>,
}

/// What a text rendered to.
pub(crate) enum Output<'a> {
    /// One value under the key of its item, decoded.
    Value(&'a str, Vec<u8>),
    /// A YAML document.
    Map(Document<'a>),
}

/// A rendered document whose values are yet to be decoded.
pub(crate) struct Document<'a> {
    text: Vec<u8>,
    written: &'a TemplateFrom,
}

/// Takes what was rendered.
type Put<'a> = &'a mut dyn FnMut(Output<'_>) -> Result<(), String>;

/// Takes one value under its key.
type PutValue<'a> = &'a mut dyn FnMut(&str, Vec<u8>) -> Result<(), String>;

impl<'a> Texts<'a> {
    pub(crate) fn new(data: &SecretMap, means: RenderContext<'a>) -> Self {
        Self {
            engine: Engine::new(data, means),
            means,
        }
    }

    /// Renders the values of one section of the template, by key.
    pub(crate) fn values(
        &self,
        section: &str,
        templates: &BTreeMap<String, String>,
        put: PutValue<'_>,
    ) -> Result<(), RenderError> {
        for (key, text) in templates {
            let place = TemplateText::Field(format!("spec.target.template.{section}.{key}"));
            let source = Source {
                name: key,
                text: text.as_bytes(),
                place: &place,
            };
            let value = self.engine.render(&source).map_err(|error| {
                error.within("could not execute template: could not execute template")
            })?;
            put(key, value).map_err(|text| RenderError::of(&place, text))?;
        }
        Ok(())
    }

    /// Renders every text of entry `at` of `templateFrom`: ConfigMap, Secret, literal.
    pub(crate) fn entry(
        &self,
        at: usize,
        written: &TemplateFrom,
        put: Put<'_>,
    ) -> Result<(), RenderError> {
        let entry = Entry {
            texts: self,
            written,
        };
        entry
            .render(at, put)
            .map_err(|error| error.within("error fetching templateFrom data"))
    }
}

impl Document<'_> {
    /// The document as it was rendered.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.text
    }

    /// As a flat map of decoded values.
    pub(crate) fn flat(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let pairs = super::yaml::string_map(&self.text).map_err(|error| {
            format!("could not unmarshal template to 'map[string][]byte': {error}")
        })?;
        let decoded = pairs
            .into_iter()
            .map(|(key, value)| decoded(self.written, &key, value).map(|value| (key, value)));
        decoded.collect()
    }
}

/// One entry of `templateFrom`.
struct Entry<'a> {
    texts: &'a Texts<'a>,
    written: &'a TemplateFrom,
}

impl Entry<'_> {
    fn render(&self, at: usize, put: Put<'_>) -> Result<(), RenderError> {
        if let Some(reference) = &self.written.config_map {
            self.object(SourceKind::ConfigMap, reference, put)?;
        }
        if let Some(reference) = &self.written.secret {
            self.object(SourceKind::Secret, reference, put)?;
        }
        if let Some(literal) = &self.written.literal {
            let name = format!("templateFrom[{at}].literal");
            let place = TemplateText::Field(format!("spec.target.template.{name}"));
            let source = Source {
                name: &name,
                text: literal.as_bytes(),
                place: &place,
            };
            self.map(&source, put)?;
        }
        Ok(())
    }

    fn object(
        &self,
        kind: SourceKind,
        reference: &TemplateRef,
        put: Put<'_>,
    ) -> Result<(), RenderError> {
        let word = match kind {
            SourceKind::ConfigMap => "configmap",
            SourceKind::Secret => "secret",
        };
        let name = &reference.name;
        let key = SourceKey {
            kind,
            name: name.clone(),
        };
        let held = match self.texts.means.sources.get(&key) {
            Some(read) => read.as_ref().map_err(Clone::clone)?,
            None => return Err(format!("{word}s {name:?} not found").into()),
        };
        for item in &reference.items {
            let text = held
                .get(&item.key)
                .ok_or_else(|| format!("error in {word} {name}: missing key {}", item.key))?
                .expose();
            let place = TemplateText::Source(key.clone(), item.key.clone());
            let source = |name| Source {
                name,
                text,
                place: &place,
            };
            match item.template_as() {
                TemplateAs::Values => {
                    let value = self.texts.engine.render(&source(&item.key))?;
                    let put = decoded(self.written, &item.key, value)
                        .and_then(|value| put(Output::Value(&item.key, value)));
                    put.map_err(|text| RenderError::of(&place, text))?;
                }
                TemplateAs::KeysAndValues => {
                    self.map(&source(&format!("{word} {name}/{}", item.key)), put)?;
                }
                TemplateAs::Unknown(scope) => {
                    let text =
                        format!("unknown scope '{scope}': expected 'Values' or 'KeysAndValues'");
                    return Err(text.into());
                }
            }
        }
        Ok(())
    }

    fn map(&self, source: &Source<'_>, put: Put<'_>) -> Result<(), RenderError> {
        let document = Document {
            text: self.texts.engine.render(source)?,
            written: self.written,
        };
        put(Output::Map(document)).map_err(|text| RenderError::of(source.place, text))
    }
}

/// A value after the entry's decoding.
fn decoded(written: &TemplateFrom, key: &str, value: Vec<u8>) -> Result<Vec<u8>, String> {
    let strategy = written.values_decoding_strategy.as_ref();
    match strategy.unwrap_or(&DecodingStrategy::None) {
        DecodingStrategy::None => Ok(value),
        strategy => {
            let decoded = decode::apply(&SecretValue::new(value), strategy).map_err(|error| {
                format!("failed to decode rendered template value for key {key}: {error}")
            })?;
            Ok(decoded.expose().to_vec())
        }
    }
}
