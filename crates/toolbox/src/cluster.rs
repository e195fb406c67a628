//! The cluster a command talks to, as kubectl's flags choose it, and the one way in which its failures
//! are shown: a sentence with the next step, and for a refusal the rule that is missing.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use kube::Client;
use kube::config::Kubeconfig;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::client;
use lockstep_runtime::connect::Proxy;
use lockstep_runtime::metrics::Metrics;

use crate::denied;
use crate::exit::Failure;
use crate::suggest::instead;

/// How we introduce ourselves to the API server.
const USER_AGENT: &str = "lockstep";

/// Which cluster, and which namespace in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct ClusterFlags {
    /// A kubeconfig file; without it KUBECONFIG, ~/.kube/config or the pod's own account.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// A context of the kubeconfig; without it the current one.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// The namespace; without it the one of the context.
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,
}

/// A cluster, and the namespace the user means.
#[derive(Clone)]
pub struct Cluster {
    /// Sends requests.
    pub client: Client,
    /// The namespace of objects that do not name one.
    pub namespace: String,
}

impl ClusterFlags {
    /// A client for the cluster. Sends nothing yet.
    pub async fn connect(&self, proxy: &Proxy) -> anyhow::Result<Cluster> {
        self.check_context()?;
        let settings = client::Settings {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
            proxy: proxy.clone(),
            user_agent: USER_AGENT.to_owned(),
            ..client::Settings::default()
        };
        let client = client::connect(&settings, Arc::new(Metrics::default())).await;
        let client = client.map_err(without_cluster)?;
        let namespace = self.namespace.clone();
        let namespace = namespace.unwrap_or_else(|| client.default_namespace().to_owned());
        Ok(Cluster { client, namespace })
    }

    /// Refuses a context that the kubeconfig does not have. A kubeconfig that cannot be read is left to
    /// the connection, which says why.
    fn check_context(&self) -> anyhow::Result<()> {
        let Some(context) = &self.context else {
            return Ok(());
        };
        let read = match &self.kubeconfig {
            Some(path) => Kubeconfig::read_from(path),
            None => Kubeconfig::read(),
        };
        let Ok(read) = read else {
            return Ok(());
        };
        let known: Vec<&str> = read.contexts.iter().map(|one| one.name.as_str()).collect();
        if known.contains(&context.as_str()) {
            return Ok(());
        }
        let hint = instead(context, known, "contexts in it");
        Err(Failure::usage(format!(
            "the kubeconfig has no context {context:?}; {hint}"
        )))
    }
}

/// Why there is no cluster, with the next step for a person at a terminal.
fn without_cluster(error: client::SetupError) -> anyhow::Error {
    match error {
        client::SetupError::Infer(why) => anyhow::anyhow!(
            "no cluster to connect to: there is no usable kubeconfig ({why}); set KUBECONFIG, or name a \
             file with --kubeconfig"
        ),
        other => other.into(),
    }
}

/// A failed request as a user reads it. `doing` says what was tried: `read externalsecret a/b`.
pub fn failure(doing: &str, error: &ApiError) -> anyhow::Error {
    let text = told(error);
    anyhow::anyhow!("{doing}: {text}")
}

/// The text of a failed request with the next step.
pub fn told(error: &ApiError) -> String {
    match error.kind() {
        ApiErrorKind::Forbidden => denied::explained(&error.to_string()),
        ApiErrorKind::Unauthorized => format!(
            "{error}; log in to the cluster again, or name another --context or --kubeconfig"
        ),
        ApiErrorKind::Unreachable => {
            format!("{error}; check the cluster with: kubectl get --raw /readyz")
        }
        _ => error.to_string(),
    }
}

/// Runs a command's asynchronous part to its end on this thread.
pub fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let result = runtime.block_on(work);
    // Connections that are still open must not hold the process.
    runtime.shutdown_background();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_without_a_cluster_names_its_own_flag() {
        let text = without_cluster(client::SetupError::Infer("no file".to_owned())).to_string();

        assert!(text.ends_with("(no file); set KUBECONFIG, or name a file with --kubeconfig"));
    }

    #[test]
    fn a_refusal_names_the_rule() {
        let refused = ApiError::new(
            ApiErrorKind::Forbidden,
            "x is forbidden: User \"jane\" cannot list resource \"pods\" in API group \"\" in the \
             namespace \"a\"",
        );

        let text = failure("list pods", &refused).to_string();

        assert!(
            text.starts_with("list pods: jane may not list pods"),
            "{text}"
        );
        assert!(text.contains("resources: [\"pods\"]"), "{text}");
    }

    #[test]
    fn a_context_that_does_not_exist_is_named_with_those_that_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        let text = "apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts:\n- name: somewhere\n  \
                    context: {cluster: c, user: u}\n";
        std::fs::write(&file, text).unwrap();
        let flags = ClusterFlags {
            kubeconfig: Some(file),
            context: Some("nowhere".to_owned()),
            namespace: None,
        };

        let failed = block_on(async { flags.connect(&Proxy::default()).await.map(|_| ()) });

        assert_eq!(
            failed.unwrap_err().to_string(),
            "the kubeconfig has no context \"nowhere\"; there are: somewhere"
        );
    }
}
