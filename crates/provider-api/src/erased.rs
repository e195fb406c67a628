//! Type erasure, paid once: providers are written against static traits, the rest of the program
//! sees [`DynStore`] objects and [`Entry`] rows. No provider code belongs here.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::capability::Capabilities;
use crate::context::{Ctx, Scope};
use crate::error::{Error, Result};
use crate::generator::GeneratorEntry;
use crate::lifecycle::Lifecycle;
use crate::read::{Payload, Read};
use crate::request::{Find, PushItem, PushTarget, Pushed, RemoteRef};
use crate::scope::NAMESPACE_NOT_ALLOWED;
use crate::store::{Check, Provider, Stability, Store, Warnings};
use crate::value::{SecretMap, SecretValue};

/// A store behind a pointer. See [`Store`] for what each method promises.
#[expect(missing_docs, reason = "each method is documented on Store")]
pub trait DynStore: Send + Sync {
    fn get<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretValue>>;
    fn get_map<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretMap>>;
    fn get_many<'a>(
        &'a self,
        references: &'a [RemoteRef],
    ) -> BoxFuture<'a, Vec<Result<SecretValue>>>;
    fn get_raw<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretValue>>;
    fn containing_read(&self, read: &Read) -> Option<Read>;
    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload>;
    fn version<'a>(
        &'a self,
        reference: &'a RemoteRef,
        alone: bool,
    ) -> BoxFuture<'a, Result<Option<String>>>;
    fn find<'a>(&'a self, find: &'a Find) -> BoxFuture<'a, Result<SecretMap>>;
    fn push<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>>;
    fn delete<'a>(&'a self, target: &'a PushTarget) -> BoxFuture<'a, Result<()>>;
    fn exists<'a>(&'a self, target: &'a PushTarget) -> BoxFuture<'a, Result<bool>>;
    fn check(&self) -> BoxFuture<'_, Check>;
    fn renew_after(&self) -> Option<Duration>;
    fn lifecycle(&self) -> Option<&dyn Lifecycle>;
}

impl<S: Store> DynStore for S {
    fn get<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretValue>> {
        Box::pin(Store::get(self, reference))
    }

    fn get_map<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretMap>> {
        Box::pin(Store::get_map(self, reference))
    }

    fn get_many<'a>(
        &'a self,
        references: &'a [RemoteRef],
    ) -> BoxFuture<'a, Vec<Result<SecretValue>>> {
        Box::pin(Store::get_many(self, references))
    }

    fn get_raw<'a>(&'a self, reference: &'a RemoteRef) -> BoxFuture<'a, Result<SecretValue>> {
        Box::pin(Store::get_raw(self, reference))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        Store::containing_read(self, read)
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        Store::extract_from(self, read, containing)
    }

    fn version<'a>(
        &'a self,
        reference: &'a RemoteRef,
        alone: bool,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(Store::version(self, reference, alone))
    }

    fn find<'a>(&'a self, find: &'a Find) -> BoxFuture<'a, Result<SecretMap>> {
        Box::pin(Store::find(self, find))
    }

    fn push<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(Store::push(self, item))
    }

    fn delete<'a>(&'a self, target: &'a PushTarget) -> BoxFuture<'a, Result<()>> {
        Box::pin(Store::delete(self, target))
    }

    fn exists<'a>(&'a self, target: &'a PushTarget) -> BoxFuture<'a, Result<bool>> {
        Box::pin(Store::exists(self, target))
    }

    fn check(&self) -> BoxFuture<'_, Check> {
        Box::pin(Store::check(self))
    }

    fn renew_after(&self) -> Option<Duration> {
        Store::renew_after(self)
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        Store::lifecycle(self)
    }
}

/// A shared, erased store.
pub type SharedStore = Arc<dyn DynStore>;

/// Makes a read.
pub async fn perform(store: &dyn DynStore, read: &Read) -> Result<Payload> {
    match read {
        Read::Value(reference) => store.get(reference).await.map(Payload::Value),
        Read::Map(reference) => store.get_map(reference).await.map(Payload::Map),
        Read::Raw(reference) => store.get_raw(reference).await.map(Payload::Value),
        Read::Find(find) => store.find(find).await.map(Payload::Map),
    }
}

/// One row of the registry: everything the program needs to know of a provider.
#[derive(Clone, Copy)]
pub struct Entry {
    name: &'static str,
    stability: Stability,
    repeats: bool,
    generators: &'static [GeneratorEntry],
    schema: fn() -> schemars::Schema,
    validate: fn(&serde_json::Value, &Scope) -> Result<Warnings>,
    capabilities: fn(&serde_json::Value) -> Result<Capabilities>,
    connect: fn(serde_json::Value, Ctx) -> BoxFuture<'static, Result<SharedStore>>,
}

impl Entry {
    /// The row of provider `P`.
    pub const fn of<P: Provider>() -> Self {
        Self {
            name: P::NAME,
            stability: P::STABILITY,
            repeats: P::REPEATS,
            generators: P::GENERATORS,
            schema: || {
                schemars::generate::SchemaSettings::openapi3()
                    .into_generator()
                    .into_root_schema_for::<P::Spec>()
            },
            validate: |raw, scope| P::admit(&parse::<P>(raw.clone())?, scope),
            capabilities: |raw| Ok(P::capabilities(&parse::<P>(raw.clone())?)),
            connect: |raw, ctx| {
                Box::pin(async move {
                    let spec = parse::<P>(raw)?;
                    P::validate(&spec, &ctx.manifest_scope().used())?;
                    Ok(Arc::new(P::connect(spec, ctx).await?) as SharedStore)
                })
            },
        }
    }

    /// The key under `spec.provider`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How well the provider is maintained.
    pub const fn stability(&self) -> Stability {
        self.stability
    }

    /// Whether the provider repeats failed calls by itself.
    pub const fn repeats(&self) -> bool {
        self.repeats
    }

    /// Generators that sign in as its stores do.
    pub const fn generators(&self) -> &'static [GeneratorEntry] {
        self.generators
    }

    /// JSON schema of its spec.
    pub fn schema(&self) -> schemars::Schema {
        (self.schema)()
    }

    /// Checks a raw spec for admission.
    pub fn validate(&self, spec: &serde_json::Value, scope: &Scope) -> Result<Warnings> {
        (self.validate)(spec, scope)
    }

    /// Why admission refuses a selector that names another namespace than the store's own; `None`
    /// where no selector does.
    pub fn foreign_namespace(&self, spec: &serde_json::Value, scope: &Scope) -> Option<String> {
        let refused = (self.validate)(spec, scope).err()?.to_string();
        let is_foreign = refused.ends_with(NAMESPACE_NOT_ALLOWED);
        is_foreign.then_some(refused)
    }

    /// What a store with this spec can do.
    pub fn capabilities(&self, spec: &serde_json::Value) -> Result<Capabilities> {
        (self.capabilities)(spec)
    }

    /// Opens a connection.
    pub fn connect(
        &self,
        spec: serde_json::Value,
        ctx: Ctx,
    ) -> BoxFuture<'static, Result<SharedStore>> {
        (self.connect)(spec, ctx)
    }
}

fn parse<P: Provider>(raw: serde_json::Value) -> Result<P::Spec> {
    serde_json::from_value(raw)
        .map_err(|error| Error::invalid_spec(format!("spec.provider.{}: {error}", P::NAME)))
}
