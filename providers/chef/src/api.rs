//! The requests this provider makes and the answers it understands: items of data bags, their names, and the
//! user that signs. What a failure means is decided in `error`.

use std::collections::BTreeMap;

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::json::{decode, marshal_escaped};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::{missing, not_absence};

use crate::error;

/// A connection to an organization.
pub(crate) struct Api {
    rest: Rest,
    user: String,
}

impl Api {
    pub(crate) fn new(rest: Rest, user: String) -> Self {
        Self { rest, user }
    }

    /// An item as upstream encodes it: sorted members, HTML escapes, shortest numbers.
    pub(crate) async fn item(&self, bag: &str, item: &str) -> Result<SecretValue> {
        let path = format!("/data/{}/{}", encode_component(bag), encode_component(item));
        let request = self.rest.get(&path);
        let answer = self
            .rest
            .send("GetDataBagItem", request, error::check)
            .await;
        let read = answer.and_then(|answer| decode(&answer.into_secret()));
        let item = read.map_err(|error| {
            let text = format!("data bag item {item} not found in data bag {bag}");
            failed(error, text)
        })?;
        Ok(SecretValue::from(marshal_escaped(&item)))
    }

    /// The names of the items of a data bag.
    pub(crate) async fn items(&self, bag: &str) -> Result<Vec<String>> {
        let request = self.rest.get(&format!("/data/{}", encode_component(bag)));
        let answer = self
            .rest
            .send("ListDataBagItems", request, error::check)
            .await;
        let listed = answer.and_then(|answer| answer.json::<BTreeMap<String, serde_json::Value>>());
        let listed = listed.map_err(|error| {
            let text = format!(
                "unable to list items in data bag {bag}, may be given data bag doesn't exists or it is empty"
            );
            failed(error, text)
        })?;
        Ok(listed.into_keys().collect())
    }

    /// Whether the server knows the user and takes its signature.
    pub(crate) async fn check(&self) -> Result<()> {
        let path = format!("/users/{}", encode_component(&self.user));
        let request = self.rest.get(&path);
        let answer = self.rest.send("GetUser", request, error::check).await;
        answer.map(drop).map_err(not_absence)
    }
}

/// A failed read. Upstream says of every failure what it says of a missing item; the true reason follows.
fn failed(error: Error, text: String) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return missing(text);
    }
    error.context(text)
}
