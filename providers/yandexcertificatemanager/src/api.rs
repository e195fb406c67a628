//! The calls this provider makes: the content of a certificate by its id, or by its name in a folder.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::{Channel, Rpc};
use lockstep_provider_kit::yandex::Named;

use crate::error;
use crate::messages::{Content, FolderAndName, GetExRequest, GetRequest};

const GET: Rpc = Rpc {
    path: "/yandex.cloud.certificatemanager.v1.CertificateContentService/Get",
    call: "GetCertificateContent",
};
const GET_EX: Rpc = Rpc {
    path: "/yandex.cloud.certificatemanager.v1.CertificateContentService/GetEx",
    call: "GetCertificateContentByName",
};

/// A connection to Certificate Manager.
pub(crate) struct Api {
    channel: Channel,
    named: Named,
}

impl Api {
    pub(crate) fn new(channel: Channel, named: Named) -> Self {
        Self { channel, named }
    }

    /// The content of a certificate, of its current version where none is asked for.
    pub(crate) async fn content(&self, reference: &RemoteRef) -> Result<Content> {
        let version_id = reference.wanted_version().unwrap_or_default().to_owned();
        let read = match &self.named {
            Named::ById => {
                let question = GetRequest {
                    certificate_id: reference.key.clone(),
                    version_id,
                };
                self.channel.call(GET, &question).await
            }
            Named::InFolder(folder) => {
                let question = GetExRequest {
                    folder_and_name: Some(FolderAndName {
                        folder_id: folder.clone(),
                        certificate_name: reference.key.clone(),
                    }),
                    version_id,
                };
                self.channel.call(GET_EX, &question).await
            }
        };
        read.map_err(error::refused)
    }
}
