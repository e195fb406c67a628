//! Names an entry of `spec.data` or `spec.dataFrom`. Events use upstream's short name; conditions
//! list everything that is read: key, property and version.

use std::fmt::Write as _;

use lockstep_api::ExternalSecret;

/// An entry of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecEntry {
    /// `spec.data[i]`.
    Data(usize),
    /// `spec.dataFrom[i]`.
    DataFrom(usize),
}

impl SpecEntry {
    /// The entry as messages name it: `spec.data[0] (key: k)` or `spec.dataFrom[1].find`.
    pub fn label(self, object: &ExternalSecret) -> String {
        match self {
            Self::Data(at) => {
                let key = object
                    .spec
                    .data
                    .get(at)
                    .map(|entry| entry.remote_ref.key.as_str());
                format!("spec.data[{at}] (key: {})", key.unwrap_or_default())
            }
            Self::DataFrom(at) => {
                let member = match object.spec.data_from.get(at) {
                    Some(entry) if entry.find.is_some() => "find",
                    Some(entry) if entry.extract.is_some() => "extract",
                    _ => "sourceRef.generatorRef",
                };
                format!("spec.dataFrom[{at}].{member}")
            }
        }
    }

    /// The entry with everything that says what it reads.
    pub(crate) fn described(self, object: &ExternalSecret) -> String {
        let spec = &object.spec;
        let (entry, reference) = match self {
            Self::Data(at) => {
                let entry = spec.data.get(at);
                (
                    format!("spec.data[{at}]"),
                    entry.map(|entry| &entry.remote_ref),
                )
            }
            Self::DataFrom(at) => {
                let entry = spec.data_from.get(at);
                let extract = entry.filter(|entry| entry.find.is_none());
                let extract = extract.and_then(|entry| entry.extract.as_deref());
                (self.label(object), extract)
            }
        };
        let Some(reference) = reference else {
            return entry;
        };
        let mut text = format!("{entry} (key: {}", reference.key);
        let further = [
            ("property", &reference.property),
            ("version", &reference.version),
        ];
        for (name, value) in further {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                let _ = write!(text, ", {name}: {value}");
            }
        }
        text.push(')');
        text
    }
}
