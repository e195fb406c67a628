//! An authenticated connection as the rest of the program sees it. Every read of a certificate is taken
//! out of the same answer, so that all of them cost one call.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::parts;

use crate::api::Api;
use crate::content;
use crate::error::unread;
use crate::messages::Content;

/// A connection to Certificate Manager.
pub struct YandexcertificatemanagerStore {
    api: Api,
}

impl YandexcertificatemanagerStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn value(answer: Result<Content>, reference: &RemoteRef) -> Result<SecretValue> {
    let answer = answer.map_err(|error| unread(error, "secret"))?;
    content::value(&answer, reference)
}

fn members(answer: Result<Content>) -> Result<SecretMap> {
    let answer = answer.map_err(|error| unread(error, "secret map"))?;
    Ok(content::members(answer))
}

impl Store for YandexcertificatemanagerStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(self.api.content(reference).await, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(self.api.content(reference).await)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let answer = self.api.content(reference).await?;
        Ok(parts::raw(&answer))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        parts::containing(read)
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        parts::extract(read, containing, value, members)
    }

    /// The sign-in was the check.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
