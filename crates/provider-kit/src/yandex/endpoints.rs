//! Where the services of Yandex Cloud are found: in the list that the cloud gives to everybody, or by
//! asking for one of them with a token.

use std::sync::Arc;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;

use super::messages::{
    ApiEndpoint, GetApiEndpointRequest, ListApiEndpointsRequest, ListApiEndpointsResponse,
};
use super::{Service, YandexSpec};
use crate::grpc::{Channel, Rpc};
use crate::session::Session;

/// Services on the one page of the list that the vendor's SDK asks for.
const PAGE: i64 = 100;
/// The service that knows where services are.
const DIRECTORY: &str = "endpoint";
const LIST: Rpc = Rpc {
    path: "/yandex.cloud.endpoint.ApiEndpointService/List",
    call: "ListApiEndpoints",
};
const GET: Rpc = Rpc {
    path: "/yandex.cloud.endpoint.ApiEndpointService/Get",
    call: "GetApiEndpoint",
};

/// The services of a cloud.
pub(super) struct Endpoints<'a> {
    ctx: &'a Ctx,
    provider: &'static str,
    at: &'a str,
    tls: &'a Tls,
    listed: Vec<ApiEndpoint>,
}

impl<'a> Endpoints<'a> {
    /// Asks the cloud for the list.
    pub(super) async fn of(
        spec: &'a YandexSpec,
        service: Service,
        tls: &'a Tls,
        ctx: &'a Ctx,
    ) -> Result<Self> {
        let at = spec.at();
        let cloud = Channel::new(ctx, service.provider, (service.field, at), tls)?;
        let question = ListApiEndpointsRequest { page_size: PAGE };
        let listed: ListApiEndpointsResponse = cloud.call(LIST, &question).await?;
        Ok(Self {
            ctx,
            provider: service.provider,
            at,
            tls,
            listed: listed.endpoints,
        })
    }

    fn listed(&self, id: &str) -> Option<&str> {
        let found = self.listed.iter().find(|endpoint| endpoint.id == id);
        found.map(|found| found.address.as_str())
    }

    /// The address of a service: the list has one page, and what is not on it is asked for by its id.
    /// `allowed` refuses an address that must not see the session's token.
    pub(super) async fn locate(
        &self,
        id: &str,
        session: &Arc<Session>,
        allowed: impl Fn(&str) -> Result<()>,
    ) -> Result<String> {
        if let Some(address) = self.listed(id) {
            allowed(address)?;
            return Ok(address.to_owned());
        }
        let address = self.required(DIRECTORY)?;
        allowed(address)?;
        let directory = self.channel_at(DIRECTORY, address)?;
        let question = GetApiEndpointRequest {
            api_endpoint_id: id.to_owned(),
        };
        let directory = directory.signed(Arc::clone(session));
        let found: ApiEndpoint = directory.call(GET, &question).await?;
        allowed(&found.address)?;
        Ok(found.address)
    }

    fn required(&self, id: &str) -> Result<&str> {
        self.listed(id).ok_or_else(|| {
            let mut ids: Vec<&str> = self.listed.iter().map(|one| one.id.as_str()).collect();
            ids.sort_unstable();
            Error::invalid_spec(format!(
                "Service {id:?} is not available at Cloud API endpoint {:?}. Available services: [{}]",
                self.at,
                ids.join(" ")
            ))
        })
    }

    /// A channel without credentials to a service that must be listed.
    pub(super) fn channel(&self, id: &str) -> Result<Channel> {
        self.channel_at(id, self.required(id)?)
    }

    /// A channel without credentials to an address.
    pub(super) fn channel_at(&self, id: &str, address: &str) -> Result<Channel> {
        let field = format!("the address of service {id:?}");
        Channel::new(self.ctx, self.provider, (&field, address), self.tls)
    }
}
