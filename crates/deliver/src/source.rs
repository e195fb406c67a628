//! Where values come from: a folder of manifests, resolved by local mode, or the Secrets that an operator
//! keeps in a cluster. Which of the objects are meant is decided in `select`.

use std::path::PathBuf;

use clap::Args;
use lockstep_local::Environment;
use lockstep_local::resolve::{Resolved, Resolver};
use lockstep_provider_api::SecretMap;
#[cfg(feature = "cluster")]
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Failure;

/// Namespace of objects of a folder that do not name one.
const DEFAULT_NAMESPACE: &str = "default";

/// Flags that choose the source.
#[derive(Debug, Args)]
pub struct SourceFlags {
    /// A folder of manifests, resolved here as `lockstep local` does; without it the cluster.
    #[arg(short = 'f', long = "from", value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    /// Namespace of objects of the folder that do not name one [default: default].
    #[cfg(not(feature = "cluster"))]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
}

/// What the binary knows of the world around a command.
pub struct Around {
    /// Credentials of stores, proxies and addresses of backends.
    pub environment: Environment,
    /// Whether standard input is a terminal, so that Ctrl-C reaches the process by itself.
    pub has_terminal: bool,
    /// Whether standard output is a terminal.
    pub prints_to_terminal: bool,
}

/// One ExternalSecret and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) data: SecretMap,
}

/// Everything a source has at a moment.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    pub(crate) objects: Vec<Delivered>,
    /// ExternalSecrets that have no values now: `namespace/name`.
    pub(crate) failed: Vec<String>,
}

/// An open source.
pub(crate) enum Source {
    Folder(Box<Resolver>),
    #[cfg(feature = "cluster")]
    Cluster(crate::cluster::ClusterSource),
}

impl Source {
    /// Opens the source that the flags choose. Reads no value yet.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(clippy::unused_async, reason = "only a cluster is waited for")
    )]
    pub(crate) async fn open(
        flags: &SourceFlags,
        environment: Environment,
    ) -> anyhow::Result<Self> {
        if let Some(dir) = &flags.from {
            let namespace = flags.namespace().unwrap_or(DEFAULT_NAMESPACE);
            let resolver = Resolver::open(dir.clone(), namespace, environment)
                .map_err(|error| Failure::usage(format!("{error:#}")))?;
            return Ok(Self::Folder(Box::new(resolver)));
        }
        #[cfg(feature = "cluster")]
        {
            let cluster = flags.cluster.connect(&environment.proxy).await?;
            Ok(Self::Cluster(crate::cluster::ClusterSource::new(cluster)))
        }
        #[cfg(not(feature = "cluster"))]
        Err(Failure::usage(
            "this build reads folders only; name one with --from DIR",
        ))
    }

    /// Reads everything.
    pub(crate) async fn read(&mut self) -> anyhow::Result<Supply> {
        match self {
            Self::Folder(resolver) => Ok(supply(resolver.resolve().await)),
            #[cfg(feature = "cluster")]
            Self::Cluster(cluster) => cluster.read().await,
        }
    }

    /// Waits until something may have changed, and reads everything.
    pub(crate) async fn changed(&mut self) -> anyhow::Result<Supply> {
        match self {
            Self::Folder(resolver) => Ok(supply(resolver.changed().await?)),
            #[cfg(feature = "cluster")]
            Self::Cluster(cluster) => cluster.changed().await,
        }
    }
}

impl SourceFlags {
    fn namespace(&self) -> Option<&str> {
        #[cfg(feature = "cluster")]
        return self.cluster.namespace.as_deref();
        #[cfg(not(feature = "cluster"))]
        return self.namespace.as_deref();
    }
}

fn supply(resolved: Resolved) -> Supply {
    if !resolved.failures.is_empty() {
        console::fail(&resolved.failures);
    }
    let mut supply = Supply::default();
    for object in resolved.objects {
        match object.data {
            Some(data) => supply.objects.push(Delivered {
                namespace: object.namespace,
                name: object.name,
                data,
            }),
            None => supply
                .failed
                .push(format!("{}/{}", object.namespace, object.name)),
        }
    }
    supply
}
