//! Waiting for a cluster and preparing it: `/readyz`, the operator's account with upstream's
//! rights, and CRDs. The rights are those of `deploy/rbac/controller.yaml`, applied as they are, so
//! that a missing one fails in tests.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::PATIENCE;
use crate::api::Api;
use crate::{manifest, poll};

const RIGHTS: &str = include_str!("../../../../deploy/rbac/controller.yaml");
const ACCOUNT: &str = "/api/v1/namespaces/external-secrets/serviceaccounts/external-secrets";
const TOKEN_SECONDS: u32 = 7 * 24 * 3600;

/// Waits until the API server says it is ready; a program that ends meanwhile is an error with the
/// end of its log.
pub(super) fn wait(
    api: &Api,
    dir: &Path,
    mut ended: impl FnMut() -> Option<(&'static str, ExitStatus)>,
) -> Result<()> {
    let waited = poll::until(PATIENCE, || {
        let answer = api.text("/readyz");
        if answer.is_ok_and(|answer| answer.trim() == "ok") {
            return ControlFlow::Break(Ok(()));
        }
        match ended() {
            Some((name, status)) => ControlFlow::Break(Err(anyhow!(
                "{name} ended with {status}:\n{}",
                log_tail(dir, name)
            ))),
            None => ControlFlow::Continue(()),
        }
    });
    waited.unwrap_or_else(|()| {
        let logs = ["etcd", "kube-apiserver"].map(|name| log_tail(dir, name));
        Err(anyhow!(
            "the API server was not ready within {PATIENCE:?}:\n{}",
            logs.join("\n")
        ))
    })
}

/// Makes the operator's ServiceAccount with its roles and returns a token for it.
pub(super) fn operator_account(api: &Api) -> Result<String> {
    let objects = manifest::parse(RIGHTS).context("deploy/rbac/controller.yaml")?;
    for object in &objects {
        api.apply(object)?;
    }
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": TOKEN_SECONDS},
    });
    let answer = api.post(&format!("{ACCOUNT}/token"), &request)?;
    let token = manifest::text(&answer, "/status/token");
    if token.is_empty() {
        bail!("the API server issued no token for {ACCOUNT}");
    }
    Ok(token.to_owned())
}

/// Applies CRDs and waits until each is served; other kinds are an error.
pub(crate) fn install_crds(api: &Api, objects: &[Value]) -> Result<usize> {
    for object in objects {
        if object["kind"] != "CustomResourceDefinition" {
            bail!("{} is no CustomResourceDefinition", manifest::label(object));
        }
        api.apply(object)?;
    }
    for object in objects {
        let path = api.path_of(object)?;
        holds(&format!("{} established", manifest::label(object)), || {
            Ok(established(&api.get(&path)?))
        })?;
    }
    for object in objects {
        served(api, object)?;
    }
    Ok(objects.len())
}

/// An established CRD may still answer 404 for a moment, and discovery may be behind: wait for both.
fn served(api: &Api, crd: &Value) -> Result<()> {
    let group = manifest::text(crd, "/spec/group");
    let plural = manifest::text(crd, "/spec/names/plural");
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    for version in versions.filter(|version| version["served"] == true) {
        let version = format!("/apis/{group}/{}", manifest::text(version, "/name"));
        let path = format!("{version}/{plural}?limit=1");
        holds(&format!("{path} served"), || {
            Ok(api.find(&path)?.is_some() && listed(api.find(&version)?, plural))
        })?;
    }
    Ok(())
}

/// Waits until a question is answered with yes; an error of the question ends the wait.
fn holds(what: &str, mut ask: impl FnMut() -> Result<bool>) -> Result<()> {
    let waited = poll::until(PATIENCE, || match ask() {
        Ok(false) => ControlFlow::Continue(()),
        Ok(true) => ControlFlow::Break(Ok(())),
        Err(error) => ControlFlow::Break(Err(error)),
    });
    waited.unwrap_or_else(|()| bail!("{what}: not within {PATIENCE:?}"))
}

fn listed(discovery: Option<Value>, plural: &str) -> bool {
    let listed = discovery.unwrap_or_default();
    let listed = listed["resources"].as_array();
    listed
        .into_iter()
        .flatten()
        .any(|resource| resource["name"] == plural)
}

fn established(crd: &Value) -> bool {
    let conditions = crd["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
}

fn log_tail(dir: &Path, name: &str) -> String {
    let path = dir.join(format!("{name}.log"));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    let from = lines.len().saturating_sub(15);
    format!("--- {}\n{}", path.display(), lines[from..].join("\n"))
}
