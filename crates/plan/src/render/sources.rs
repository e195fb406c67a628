//! The entries of `target.template.templateFrom`: each text is found, rendered and handed on as one
//! value or as a map. Where it goes is decided by what is being made of it.

use lockstep_api::external_secret::{DecodingStrategy, TemplateAs, TemplateFrom, TemplateRef};
use lockstep_provider::SecretValue;

use super::Means;
use super::engine::{Engine, Source};
use super::fault::{RenderError, TemplateText};
use crate::decode;
use crate::external_secret::{SourceKey, SourceKind};

/// One entry of `templateFrom`.
pub(super) struct Entry<'a> {
    pub(super) written: &'a TemplateFrom,
    /// Its position.
    pub(super) at: usize,
    pub(super) engine: &'a Engine<'a>,
    pub(super) means: Means<'a>,
}

/// What a text rendered to.
pub(super) enum Output<'a> {
    /// One value under the key of its item, decoded.
    Value(&'a str, Vec<u8>),
    /// A YAML document whose values are yet to be decoded.
    Map(Vec<u8>),
}

/// Takes what was rendered.
type Put<'a> = &'a mut dyn FnMut(Output<'_>) -> Result<(), String>;

impl Entry<'_> {
    /// Renders every text of the entry: ConfigMap, Secret, literal.
    pub(super) fn render(&self, put: Put<'_>) -> Result<(), RenderError> {
        if let Some(reference) = &self.written.config_map {
            self.object(SourceKind::ConfigMap, reference, put)?;
        }
        if let Some(reference) = &self.written.secret {
            self.object(SourceKind::Secret, reference, put)?;
        }
        if let Some(literal) = &self.written.literal {
            let name = format!("templateFrom[{}].literal", self.at);
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
        let held = match self.means.sources.get(&key) {
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
                    let value = self.engine.render(&source(&item.key))?;
                    let put = self
                        .decode(value)
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
        let text = self.engine.render(source)?;
        put(Output::Map(text)).map_err(|text| RenderError::of(source.place, text))
    }

    /// A rendered document as a flat map of decoded values.
    pub(super) fn flat(&self, text: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let pairs = super::yaml::string_map(text).map_err(|error| {
            format!("could not unmarshal template to 'map[string][]byte': {error}")
        })?;
        let decoded = pairs
            .into_iter()
            .map(|(key, value)| Ok((key, self.decode(value)?)));
        decoded.collect()
    }

    fn decode(&self, value: Vec<u8>) -> Result<Vec<u8>, String> {
        let strategy = self.written.values_decoding_strategy.as_ref();
        match strategy.unwrap_or(&DecodingStrategy::None) {
            DecodingStrategy::None => Ok(value),
            strategy => {
                let decoded = decode::apply(&SecretValue::new(value), strategy)?;
                Ok(decoded.expose().to_vec())
            }
        }
    }
}
