//! Runs generators that ask a server, and takes back what they made. Every call makes new values, so
//! nothing is cached and nothing is shared.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::{Either, select};
use lockstep_generators::SystemRandom;
use lockstep_provider_api::generator::RemoteMaker;
use lockstep_provider_api::http::LastRequest;
use lockstep_provider_api::{Ctx, Generated, Result, Scope, StoreName};
use serde_json::Value;

use super::RemoteClient;
use crate::connections::CALL_DEADLINE;

impl RemoteClient {
    /// Makes the values of one generator. `named` is the namespace that uses it and its name.
    pub async fn generate(
        &self,
        maker: &RemoteMaker,
        spec: &Value,
        named: (&str, &str),
    ) -> Result<Generated> {
        self.refuse_in_rehearsal(named.1)?;
        let ctx = self.generator_ctx(named);
        let mut random = SystemRandom;
        let call = maker.generate(spec, &ctx, &mut random);
        self.within_deadline((named.1, ctx.last_request()), call)
            .await
    }

    /// Takes back a credential that a generator with this spec made.
    pub async fn clean_up(
        &self,
        maker: &RemoteMaker,
        (spec, state): (&Value, Value),
        named: (&str, &str),
    ) -> Result<()> {
        self.refuse_in_rehearsal(named.1)?;
        let ctx = self.generator_ctx(named);
        let call = maker.cleanup(spec, state, &ctx);
        self.within_deadline((named.1, ctx.last_request()), call)
            .await
    }

    /// Generators read Secrets of the namespace that uses them, and of no other.
    fn generator_ctx(&self, (namespace, name): (&str, &str)) -> Ctx {
        let scope = Scope::Namespaced {
            namespace: namespace.to_owned(),
        };
        let store = StoreName {
            namespace: Some(namespace.to_owned()),
            name: name.to_owned(),
        };
        Ctx::new(Arc::clone(self.connections.services()), store, scope)
    }

    async fn within_deadline<T>(
        &self,
        (name, last): (&str, Arc<LastRequest>),
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let deadline = self.connections.services().time.sleep(CALL_DEADLINE);
        match select(std::pin::pin!(call), deadline).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                Err(last.out_of_time(format_args!("generator {name}"), CALL_DEADLINE))
            }
        }
    }
}
