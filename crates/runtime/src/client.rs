//! Builds the client of the API server: HTTP/2 with dead-peer detection, a time limit on every
//! request, bounded retries, requests counted, and a rate limit only when one is asked for. Makes no
//! request itself, so a server that is down does not keep the program from starting.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::USER_AGENT;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::{Body, ConfigExt};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use rustls::crypto::ring;
use rustls_pki_types::ServerName;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceBuilder, ServiceExt};

use crate::connect::{Connector, Proxy};
use crate::metrics::Metrics;

mod budget;
mod stack;
#[cfg(test)]
mod tests;

pub use budget::Rate;

/// Where a pod finds the name of its namespace.
const NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// How the API server is spoken to.
#[derive(Clone)]
pub struct Settings {
    /// A kubeconfig file; without one it is inferred as kubectl and pods do.
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig; without one the current one.
    pub context: Option<String>,
    /// Limit of requests a second; none unless asked for. Watches are exempt.
    pub rate: Option<Rate>,
    /// Longest time for one try of a request; for a watch, until it starts.
    pub timeout: Duration,
    /// Proxies.
    pub proxy: Proxy,
    /// Whether one HTTP/2 connection carries all requests, where the server offers it.
    pub http2: bool,
    /// How we introduce ourselves.
    pub user_agent: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kubeconfig: None,
            context: None,
            rate: None,
            timeout: Duration::from_secs(30),
            proxy: Proxy::default(),
            http2: true,
            user_agent: "external-secrets".to_owned(),
        }
    }
}

/// Why no client could be built.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The kubeconfig cannot be used.
    #[error("kubeconfig {path}: {error}", path = path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// Neither a kubeconfig nor a pod's credentials were found.
    #[error(
        "no cluster to connect to: this is not a pod, and there is no usable kubeconfig ({0}); set \
         KUBECONFIG, or run `lockstep local DIR`, which needs no cluster"
    )]
    Infer(String),
    /// Certificates, tokens or headers cannot be used.
    #[error("client of the API server: {0}")]
    Client(String),
}

/// A client built from the settings.
pub async fn connect(settings: &Settings, metrics: Arc<Metrics>) -> Result<Client, SetupError> {
    // Other crates may bring a second crypto provider; rustls must not have to guess.
    let _ = ring::default_provider().install_default();
    let options = KubeConfigOptions {
        context: settings.context.clone(),
        ..KubeConfigOptions::default()
    };
    let mut config = match &settings.kubeconfig {
        Some(path) => from_file(path, &options).await?,
        None if options.context.is_some() => Config::from_kubeconfig(&options)
            .await
            .map_err(|error| SetupError::Infer(error.to_string()))?,
        None => Config::infer().await.map_err(|error| no_cluster(&error))?,
    };
    let user_agent = HeaderValue::from_str(&settings.user_agent)
        .map_err(|_| SetupError::Client("the user agent is not a header value".to_owned()))?;
    config.headers.push((USER_AGENT, user_agent));
    build(&config, settings, metrics).map_err(|error| SetupError::Client(error.to_string()))
}

/// Says once why the kubeconfig cannot be used; the error prints each of its causes again.
fn no_cluster(error: &kube::config::InferConfigError) -> SetupError {
    let why = std::error::Error::source(error);
    let why = why.map_or_else(|| error.to_string(), ToString::to_string);
    // The path is quoted twice there.
    SetupError::Infer(why.replace("'\"", "\"").replace("\"'", "\""))
}

async fn from_file(path: &Path, options: &KubeConfigOptions) -> Result<Config, SetupError> {
    let failed = |error: String| SetupError::Kubeconfig {
        path: path.to_owned(),
        error,
    };
    let file = Kubeconfig::read_from(path).map_err(|error| failed(error.to_string()))?;
    Config::from_custom_kubeconfig(file, options)
        .await
        .map_err(|error| failed(error.to_string()))
}

fn build(config: &Config, settings: &Settings, metrics: Arc<Metrics>) -> Result<Client, BoxError> {
    let https = https(config, settings)?;
    let http: legacy::Client<_, Body> = legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(90))
        .pool_max_idle_per_host(32)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .http2_keep_alive_while_idle(true)
        .build(https);
    let wire = ServiceBuilder::new()
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    let wire = wire.map_err(BoxError::from);
    let stack = stack::Stack::new(BoxCloneSyncService::new(wire), settings, metrics);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .service(stack);
    Ok(Client::new(service, config.default_namespace.clone()))
}

fn https(config: &Config, settings: &Settings) -> Result<HttpsConnector<Connector>, BoxError> {
    let timeout = config.connect_timeout.unwrap_or(Duration::from_secs(10));
    let mut builder = HttpsConnectorBuilder::new()
        .with_tls_config(config.rustls_client_config()?)
        .https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = ServerName::try_from(name.clone())?;
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let tcp = Connector::new(&settings.proxy, timeout);
    Ok(if settings.http2 {
        builder.enable_all_versions().wrap_connector(tcp)
    } else {
        builder.enable_http1().wrap_connector(tcp)
    })
}

/// The namespace this process runs in, where it runs in a pod.
pub fn own_namespace() -> Option<String> {
    let name = std::fs::read_to_string(NAMESPACE_FILE).ok()?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
