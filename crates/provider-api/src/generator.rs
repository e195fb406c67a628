//! The contract of a generator: something that makes values instead of reading them. A kind
//! implements [`Generator`], or [`LocalGenerator`] where it asks nobody, and gets everything it may
//! touch as an argument. When values are made, kept and cleaned up is decided elsewhere.

use std::future::Future;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::Ctx;
use crate::error::{Error, Result};
use crate::value::SecretMap;

/// A source of random bytes fit for secrets.
pub trait Random: Send {
    /// Fills `bytes`.
    fn fill(&mut self, bytes: &mut [u8]);
}

/// What a generator made.
#[derive(Debug, Default)]
pub struct Generated {
    /// The values, by key of the target.
    pub values: SecretMap,
    /// What [`Generator::cleanup`] needs to take the credential back. It is stored in the cluster,
    /// so it must hold no secret. `None` where nothing can be taken back.
    pub state: Option<Value>,
    /// When the backend stops accepting the credential, where it says so.
    pub expires: Option<Timestamp>,
}

impl From<SecretMap> for Generated {
    fn from(values: SecretMap) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }
}

/// A kind of generator that asks a server, or reads objects of the cluster.
pub trait Generator: 'static {
    /// The kind of its manifests.
    const KIND: &'static str;
    /// Whether it returns a state, so that what it made must be taken back.
    const KEEPS_STATE: bool = false;
    /// `spec` of its manifests. Inside a ClusterGenerator it passes no schema.
    type Spec: DeserializeOwned + Send + 'static;

    /// Makes new values.
    fn generate(
        spec: Self::Spec,
        ctx: &Ctx,
        random: &mut dyn Random,
    ) -> impl Future<Output = Result<Generated>> + Send;

    /// Takes a credential back. Succeeds where the credential is gone already. `spec` is the one
    /// that made it.
    fn cleanup(
        _spec: Self::Spec,
        _state: Value,
        _ctx: &Ctx,
    ) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }
}

/// A kind of generator that computes its values from its manifest and randomness alone.
pub trait LocalGenerator: 'static {
    /// The kind of its manifests.
    const KIND: &'static str;
    /// `spec` of its manifests. Inside a ClusterGenerator it passes no schema.
    type Spec: DeserializeOwned;

    /// Whether making values takes longer than a worker of the async runtime may be kept.
    fn is_costly(_spec: &Self::Spec) -> bool {
        false
    }

    /// Makes new values.
    fn generate(spec: Self::Spec, random: &mut dyn Random) -> Result<SecretMap>;
}

/// How a kind makes values.
#[derive(Clone, Copy)]
pub enum Maker {
    /// By computation.
    Local(LocalMaker),
    /// With the help of a server or of objects of the cluster.
    Remote(RemoteMaker),
}

/// The erased functions of a [`LocalGenerator`].
#[derive(Clone, Copy)]
pub struct LocalMaker {
    is_costly: fn(&Value) -> bool,
    generate: fn(&Value, &mut dyn Random) -> Result<SecretMap>,
}

impl LocalMaker {
    /// Whether making values of `spec` is to be done off the workers.
    pub fn is_costly(&self, spec: &Value) -> bool {
        (self.is_costly)(spec)
    }

    /// Makes new values.
    pub fn generate(&self, spec: &Value, random: &mut dyn Random) -> Result<SecretMap> {
        (self.generate)(spec, random)
    }
}

type Made<'a, T> = BoxFuture<'a, Result<T>>;

/// The erased functions of a [`Generator`].
#[derive(Clone, Copy)]
pub struct RemoteMaker {
    keeps_state: bool,
    generate: for<'a> fn(&Value, &'a Ctx, &'a mut dyn Random) -> Made<'a, Generated>,
    cleanup: for<'a> fn(&Value, Value, &'a Ctx) -> Made<'a, ()>,
}

impl RemoteMaker {
    /// Whether what it makes must be taken back.
    pub fn keeps_state(&self) -> bool {
        self.keeps_state
    }

    /// Makes new values. A generator has no secret that could be missing, so no answer reads as
    /// absence and no target is deleted for it.
    pub async fn generate(
        &self,
        spec: &Value,
        ctx: &Ctx,
        random: &mut dyn Random,
    ) -> Result<Generated> {
        let made = (self.generate)(spec, ctx, random).await;
        made.map_err(never_absent)
    }

    /// Takes a credential back.
    pub async fn cleanup(&self, spec: &Value, state: Value, ctx: &Ctx) -> Result<()> {
        (self.cleanup)(spec, state, ctx).await
    }
}

/// One row of the registry: everything the program needs to know of a kind.
#[derive(Clone, Copy)]
pub struct GeneratorEntry {
    kind: &'static str,
    maker: Maker,
}

impl GeneratorEntry {
    /// The row of a kind that asks a server or reads objects.
    pub const fn of<G: Generator>() -> Self {
        Self {
            kind: G::KIND,
            maker: Maker::Remote(RemoteMaker {
                keeps_state: G::KEEPS_STATE,
                generate: |spec, ctx, random| {
                    let spec = parse::<G::Spec>(G::KIND, spec);
                    Box::pin(async move { G::generate(spec?, ctx, random).await })
                },
                cleanup: |spec, state, ctx| {
                    let spec = parse::<G::Spec>(G::KIND, spec);
                    Box::pin(async move { G::cleanup(spec?, state, ctx).await })
                },
            }),
        }
    }

    /// The row of a kind that computes.
    pub const fn local<G: LocalGenerator>() -> Self {
        Self {
            kind: G::KIND,
            maker: Maker::Local(LocalMaker {
                is_costly: |spec| {
                    parse::<G::Spec>(G::KIND, spec).is_ok_and(|spec| G::is_costly(&spec))
                },
                generate: |spec, random| G::generate(parse::<G::Spec>(G::KIND, spec)?, random),
            }),
        }
    }

    /// The kind of its manifests.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// How it makes values.
    pub const fn maker(&self) -> &Maker {
        &self.maker
    }
}

/// The API's plural of a kind of this group: all of them follow one rule.
pub fn plural(kind: &str) -> String {
    format!("{}s", kind.to_lowercase())
}

fn parse<T: DeserializeOwned>(kind: &str, spec: &Value) -> Result<T> {
    let spec = if spec.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        spec.clone()
    };
    serde_json::from_value(spec)
        .map_err(|error| Error::invalid_spec(format!("spec of generator {kind}: {error}")))
}

fn never_absent(error: Error) -> Error {
    if !error.consequence().absent {
        return error;
    }
    Error::invalid_data(format!("the server has no such resource: {error}"))
}
