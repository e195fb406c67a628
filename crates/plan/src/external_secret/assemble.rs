//! Fetched payloads become the data of the target: sets first, then single values, later keys over
//! earlier ones. Rewriting, conversion, key checks, decoding and the null-byte policy happen here;
//! templates come after. A missing remote secret is skipped where the deletion policy allows it.

use jiff::Timestamp;
use lockstep_api::external_secret::{
    ConversionStrategy, DataFromEntry, DecodingStrategy, DeletionPolicy, NullBytePolicy,
};
use lockstep_api::{ExternalSecret, messages, reasons};
use lockstep_provider_api::keys::{convert_keys, validate_keys};
use lockstep_provider_api::{Error, ErrorKind, Payload, Read, SecretMap};
use lockstep_template::Budget;

use super::entry_failure::{fail_entry, fail_entry_through};
use super::fetch::{FetchItem, FetchList, Source, conversion};
use crate::decode::{decode_map, decode_value, refuse_null_bytes};
use crate::event::EventNote;
use crate::failure::Failure;
use crate::rewrite::rewrite;
use crate::settings::Settings;
use crate::spec_entry::SpecEntry;
use crate::work::{MOST_FETCHED_BYTES, MOST_SECRET_BYTES, Work};

/// Data of the target before templates, and events on the way there.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    /// Values by key.
    pub(super) data: SecretMap,
    /// Events to record.
    pub(super) events: Vec<EventNote>,
}

/// The keys that the answers to a fetch list give before templates, for those who explain a plan.
pub fn assembled_keys(
    object: &ExternalSecret,
    list: &FetchList,
    answers: &[Result<Payload, Error>],
    (settings, now): (&Settings, Timestamp),
) -> Result<Vec<String>, Failure> {
    let work = Work {
        settings,
        now,
        budget: &Budget::new(settings.template_limits),
    };
    let assembled = assemble(object, list, answers, work)?;
    Ok(assembled.data.keys().map(str::to_owned).collect())
}

/// Merges the answers to a fetch list, given in its order.
pub(super) fn assemble(
    object: &ExternalSecret,
    list: &FetchList,
    answers: &[Result<Payload, Error>],
    work: Work<'_>,
) -> Result<Assembled, Failure> {
    if answers.len() != list.items.len() {
        let text = format!("{} reads got {} answers", list.items.len(), answers.len());
        let error = Error::new(ErrorKind::Internal, text);
        return Err(Failure::of_error(messages::COULD_NOT_GET_DATA, &error));
    }
    let mut assembled = Assembled::default();
    let mut fetched = 0usize;
    for (item, answer) in list.items.iter().zip(answers) {
        let part = match answer {
            Err(error) if is_absent(object, error) => {
                assembled.events.push(missing(object, item.entry, error));
                continue;
            }
            Err(error) => Err(read_failed(&item.source, error.duplicate())),
            Ok(payload) => {
                let part = treat(object, item.entry, payload.clone(), work);
                part.and_then(|part| part.finish(work))
            }
        };
        let part = part.and_then(|part| {
            fetched = fetched.saturating_add(size(&part));
            within_fetched(fetched)?;
            Ok(part)
        });
        match part {
            Ok(part) => assembled.data.extend(part),
            Err(error) => return Err(failed(object, item, &error).after(assembled.events)),
        }
    }
    Ok(assembled)
}

/// Whether a failed read means that the remote secret is absent, and the other entries stand.
pub fn is_absent(object: &ExternalSecret, error: &Error) -> bool {
    error.consequence().absent && *object.spec.deletion_policy() != DeletionPolicy::Retain
}

fn missing(object: &ExternalSecret, entry: SpecEntry, error: &Error) -> EventNote {
    // Upstream names single values `dataFrom` too; scripts may match on it.
    let mut text = match entry {
        SpecEntry::DataFrom(at) => {
            format!("secret does not exist at provider using spec.dataFrom[{at}]")
        }
        SpecEntry::Data(at) => {
            let key = object
                .spec
                .data
                .get(at)
                .map(|entry| entry.remote_ref.key.as_str());
            let key = key.unwrap_or_default();
            format!("secret does not exist at provider using spec.dataFrom[{at}] (key={key})")
        }
    };
    if matches!(error.kind(), ErrorKind::Tombstoned(_)) {
        text = format!("{text}: {}", crate::failure::describe(error));
    }
    EventNote::normal(reasons::EVENT_MISSING_PROVIDER_SECRET, text)
}

/// Says which call failed, in upstream's words.
fn read_failed(source: &Source, error: Error) -> Error {
    match source {
        Source::Store {
            read: Read::Find(_),
            ..
        } => error.context("error getting all secrets"),
        Source::Generator(_) => error.context("error using generator"),
        Source::Store { .. } => error,
    }
}

fn failed(object: &ExternalSecret, item: &FetchItem, error: &Error) -> Failure {
    let failure = Failure::of_error(messages::COULD_NOT_GET_DATA, error);
    match &item.source {
        Source::Store { key, .. } => fail_entry_through(item.entry, object, key, failure),
        Source::Generator(_) => fail_entry(item.entry, object, failure),
    }
}

/// One payload on its way to the keys it contributes.
enum Part<'a> {
    /// A value that is ready.
    Ready(SecretMap),
    /// A set whose keys and values are still to be treated.
    Set(&'a DataFromEntry, SecretMap),
}

/// Finds the entry a payload is for, and treats single values.
fn treat<'a>(
    object: &'a ExternalSecret,
    entry: SpecEntry,
    payload: Payload,
    work: Work<'_>,
) -> Result<Part<'a>, Error> {
    match (entry, payload) {
        (SpecEntry::Data(at), Payload::Value(value)) => {
            let entry = object
                .spec
                .data
                .get(at)
                .ok_or_else(|| unknown_entry(entry))?;
            let reference = &entry.remote_ref;
            spend_decoding(value.len(), reference.decoding_strategy.as_ref(), work)?;
            let value = decode_value(value, reference.decoding_strategy.as_ref())?;
            let part = SecretMap::from_iter([(entry.secret_key.clone(), value)]);
            check_null_bytes(&part, reference.null_byte_policy.as_ref())?;
            Ok(Part::Ready(part))
        }
        (SpecEntry::DataFrom(at), Payload::Map(map)) => {
            let entry = object
                .spec
                .data_from
                .get(at)
                .ok_or_else(|| unknown_entry(entry))?;
            Ok(Part::Set(entry, map))
        }
        _ => Err(unknown_entry(entry)),
    }
}

impl Part<'_> {
    fn finish(self, work: Work<'_>) -> Result<SecretMap, Error> {
        let (entry, map) = match self {
            Self::Ready(map) => return Ok(map),
            Self::Set(entry, map) => (entry, map),
        };
        let treatment = Treatment::of(entry);
        let map = match &treatment {
            // Rewriting takes the place of conversion.
            _ if !entry.rewrite.is_empty() => rewrite(&entry.rewrite, map, work)
                .map_err(|error| error.context("error applying rewrite to keys"))?,
            Some(treatment) => treatment.convert(map)?,
            None => map,
        };
        let map = validate_keys(map).map_err(|error| error.context(INVALID_KEYS))?;
        let Some(treatment) = treatment else {
            return Ok(map);
        };
        spend_decoding(size(&map), treatment.decoding, work)?;
        let map = decode_map(map, treatment.decoding)?;
        check_null_bytes(&map, treatment.null_bytes)?;
        Ok(map)
    }
}

const INVALID_KEYS: &str =
    "invalid secret keys (TIP: use rewrite or conversionStrategy to change keys)";

/// How a set from a store is treated; values of generators are taken as they are.
struct Treatment<'a> {
    conversion: Option<&'a ConversionStrategy>,
    decoding: Option<&'a DecodingStrategy>,
    null_bytes: Option<&'a NullBytePolicy>,
}

impl<'a> Treatment<'a> {
    fn convert(&self, map: SecretMap) -> Result<SecretMap, Error> {
        let written = self.conversion.map_or("", ConversionStrategy::as_str);
        convert_keys(map, conversion(self.conversion)).map_err(|error| {
            error.context(format_args!(
                "error applying conversion strategy {written} to keys"
            ))
        })
    }

    fn of(entry: &'a DataFromEntry) -> Option<Self> {
        if let Some(find) = &entry.find {
            return Some(Self {
                conversion: find.conversion_strategy.as_ref(),
                decoding: find.decoding_strategy.as_ref(),
                null_bytes: find.null_byte_policy.as_ref(),
            });
        }
        entry.extract.as_ref().map(|extract| Self {
            conversion: extract.conversion_strategy.as_ref(),
            decoding: extract.decoding_strategy.as_ref(),
            null_bytes: extract.null_byte_policy.as_ref(),
        })
    }
}

/// Decoding makes new values.
fn spend_decoding(
    bytes: usize,
    strategy: Option<&DecodingStrategy>,
    work: Work<'_>,
) -> Result<(), Error> {
    match strategy {
        None | Some(DecodingStrategy::None) => Ok(()),
        Some(_) => work.spend(bytes / 64, bytes),
    }
}

fn size(map: &SecretMap) -> usize {
    map.iter().map(|(key, value)| key.len() + value.len()).sum()
}

fn within_fetched(bytes: usize) -> Result<(), Error> {
    if bytes <= MOST_FETCHED_BYTES {
        return Ok(());
    }
    Err(Error::invalid_data(format!(
        "the fetched values have more than {MOST_FETCHED_BYTES} bytes in all, and a Secret holds at \
         most {MOST_SECRET_BYTES}: fetch less, or split it over several objects"
    )))
}

fn check_null_bytes(map: &SecretMap, policy: Option<&NullBytePolicy>) -> Result<(), Error> {
    if policy == Some(&NullBytePolicy::Fail) {
        refuse_null_bytes(map)
    } else {
        Ok(())
    }
}

fn unknown_entry(entry: SpecEntry) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("the answer does not fit {entry:?}"),
    )
}
