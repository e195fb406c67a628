//! A push makes a new secret in a folder, always: that is all upstream does. What is made is in `details`.

use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use self::details::Details;
use crate::api;
use crate::session::Session;
use crate::spec::Server;

mod body;
mod details;
mod multipart;

/// What is pushed: the value, and what the entry's metadata say of it.
pub(crate) struct Pushing {
    value: SecretValue,
    metadata: Map<String, Value>,
}

impl Pushing {
    /// Takes the parts of an entry that a push needs.
    pub(crate) fn new(item: &PushItem) -> Result<Self> {
        let value = item.value();
        let value = value.map_err(|error| error.context("extract secret data failed"))?;
        let metadata = item.metadata.as_ref().or(item.target.metadata.as_ref());
        let metadata = match metadata {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(members)) => members.clone(),
            Some(_) => {
                return Err(Error::invalid_spec(
                    "Error in parameters: the metadata must be an object",
                ));
            }
        };
        Ok(Self { value, metadata })
    }

    /// Makes the secret.
    pub(crate) async fn create(&self, session: &Session, server: &Server) -> Result<()> {
        let made = self.make(session, server).await;
        made.map_err(|error| error.context("Error in creating the secret"))
    }

    async fn make(&self, session: &Session, server: &Server) -> Result<()> {
        let version = server.version().unwrap_or_default();
        let details = Details::new(&self.metadata, &self.value, &session.user, version)?;
        let folders = api::folders(&session.rest, version).await?;
        if folders.is_empty() {
            return Err(Error::invalid_spec("empty List"));
        }
        let wanted = self.metadata.get("folder_name").and_then(Value::as_str);
        let wanted = wanted.unwrap_or_default();
        let folder = folders
            .into_iter()
            .find(|folder| folder.name == wanted.trim());
        let folder = folder.ok_or_else(|| {
            Error::invalid_spec(format!("folder {wanted} was not found in folder list"))
        })?;
        let (kind, content_type, body) = details.request()?;
        let body = (content_type.as_str(), body);
        api::create(&session.rest, version, &folder, kind, body).await
    }
}
