//! The same provider for servers with other keys than Keeper's, so that tests can have a server that
//! reads what it is sent. Nothing of the operator names it.

use std::marker::PhantomData;

use lockstep_provider_api::prelude::*;

use crate::keys::ServerKeys;
use crate::spec::KeepersecuritySpec;
use crate::store::KeepersecurityStore;
use crate::{Keepersecurity, connect};

/// The provider `keepersecurity` for servers with these keys.
pub struct WithKeys<K>(PhantomData<K>);

impl<K: ServerKeys> Provider for WithKeys<K> {
    const NAME: &'static str = Keepersecurity::NAME;
    const STABILITY: Stability = Keepersecurity::STABILITY;
    type Spec = KeepersecuritySpec;
    type Store = KeepersecurityStore;

    fn validate(spec: &KeepersecuritySpec, scope: &Scope) -> Result<Warnings> {
        Keepersecurity::validate(spec, scope)
    }

    fn admit(spec: &KeepersecuritySpec, scope: &Scope) -> Result<Warnings> {
        Keepersecurity::admit(spec, scope)
    }

    fn capabilities(spec: &KeepersecuritySpec) -> Capabilities {
        Keepersecurity::capabilities(spec)
    }

    async fn connect(spec: KeepersecuritySpec, ctx: Ctx) -> Result<KeepersecurityStore> {
        connect::<K>(spec, ctx).await
    }
}
