//! The calls this provider makes: the entries of a secret by its id, or by its name in a folder.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::{Channel, Rpc};
use lockstep_provider_kit::yandex::Named;

use crate::error;
use crate::messages::{
    Entry, FolderAndName, GetExRequest, GetExResponse, GetPayloadRequest, Payload, Value,
};

const GET: Rpc = Rpc {
    path: "/yandex.cloud.lockbox.v1.PayloadService/Get",
    call: "GetPayload",
};
const GET_EX: Rpc = Rpc {
    path: "/yandex.cloud.lockbox.v1.PayloadService/GetEx",
    call: "GetPayloadByName",
};

/// A connection to Lockbox.
pub(crate) struct Api {
    channel: Channel,
    named: Named,
}

impl Api {
    pub(crate) fn new(channel: Channel, named: Named) -> Self {
        Self { channel, named }
    }

    /// The entries of a secret, of its current version where none is asked for.
    pub(crate) async fn payload(&self, reference: &RemoteRef) -> Result<Payload> {
        let version_id = reference.wanted_version().unwrap_or_default().to_owned();
        let read = match &self.named {
            Named::ById => {
                let question = GetPayloadRequest {
                    secret_id: reference.key.clone(),
                    version_id,
                };
                self.channel.call(GET, &question).await
            }
            Named::InFolder(folder) => {
                let question = GetExRequest {
                    folder_and_name: Some(FolderAndName {
                        folder_id: folder.clone(),
                        secret_name: reference.key.clone(),
                    }),
                    version_id,
                };
                let answer = self.channel.call(GET_EX, &question).await;
                answer.map(as_payload)
            }
        };
        read.map_err(error::refused)
    }
}

/// The answer to a name does not say which entries are text.
fn as_payload(answer: GetExResponse) -> Payload {
    let entries = answer.entries.into_iter().map(|(key, value)| Entry {
        key,
        value: Some(Value::Binary(value)),
    });
    Payload {
        entries: entries.collect(),
    }
}
