//! A connection as the rest of the program sees it: an item by `BAG/ITEM`, and all items of a bag as a map.
//! Everything else is refused, in upstream's words.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Property;
use lockstep_provider_kit::error::missing;

use crate::api::Api;

const PROPERTY: Property = Property::GjsonText;

/// A connection to an organization of a Chef server.
pub struct ChefStore {
    api: Api,
}

impl ChefStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

/// Bag and item of a key; what follows them is not looked at.
fn parts(key: &str) -> Result<(&str, &str)> {
    let mut segments = key.split('/');
    let bag = segments.next().unwrap_or_default();
    let item = segments.next().unwrap_or_default();
    if is_name(bag) && is_name(item) {
        return Ok((bag, item));
    }
    Err(Error::invalid_spec(
        "invalid key format in data section. Expected value 'databagName/databagItemName'",
    ))
}

/// Dots alone would name another place on the server.
fn is_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..")
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        if error.kind() == &ErrorKind::NotFound {
            let property = reference.wanted_property().unwrap_or_default();
            return missing(format!("property {property} not found in data bag item"));
        }
        error
    })
}

impl Store for ChefStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let (bag, item) = parts(&reference.key)?;
        let value = self.api.item(bag, item).await?;
        wanted(&value, reference)
    }

    /// Neither property nor version is looked at: the members are whole items.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let bag = reference.key.as_str();
        if bag.contains('/') || !is_name(bag) {
            return Err(Error::invalid_spec(
                "invalid key format in dataForm section. Expected only 'databagName'",
            ));
        }
        let mut members = SecretMap::new();
        for item in self.api.items(bag).await? {
            let value = self.api.item(bag, &item).await?;
            members.insert(item, value);
        }
        Ok(members)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        match read {
            Read::Value(_) => read.value_read(),
            _ => None,
        }
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let map = |_: &SecretValue, _: &RemoteRef| Err(lockstep_provider_api::read::mismatch());
        read.extract_from_value(containing, wanted, map)
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported("dataFrom.find not suppported"))
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error.context(
                "unable to validate provided store. Check if username, serverUrl and privateKey are correct",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_segments_of_a_key_are_bag_and_item() {
        assert_eq!(parts("bag/db").unwrap(), ("bag", "db"));
        assert_eq!(parts("bag/db/more").unwrap(), ("bag", "db"));
        for key in ["", "bag", "/db", "bag/", "bag/..", "../db"] {
            assert!(parts(key).is_err(), "{key}");
        }
    }

    #[test]
    fn a_missing_property_deletes_nothing() {
        let reference = RemoteRef::key("bag/db").property("none");

        let error = wanted(&r#"{"id":"db"}"#.into(), &reference).unwrap_err();

        assert_eq!(
            error.to_string(),
            "property none not found in data bag item"
        );
        assert!(!error.consequence().absent);
    }

    #[test]
    fn a_property_may_be_a_number_or_an_object() {
        let of = |property: &str| {
            let reference = RemoteRef::key("bag/db").property(property);
            wanted(&r#"{"n":5432,"o":{"a":"b"}}"#.into(), &reference).unwrap()
        };

        assert_eq!(of("n"), "5432".into());
        assert_eq!(of("o"), r#"{"a":"b"}"#.into());
    }
}
