//! Waiting for a cluster and preparing it: `/readyz`, the operator's account with upstream's
//! rights, and CRDs. The rights are those of `deploy/rbac/controller.yaml`, applied as they are, so
//! that a missing one fails in tests.

use std::path::Path;
use std::process::ExitStatus;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::PATIENCE;
use crate::api::Api;
use crate::manifest;

const RIGHTS: &str = include_str!("../../../../deploy/rbac/controller.yaml");
const ACCOUNT: &str = "/api/v1/namespaces/external-secrets/serviceaccounts/external-secrets";
const TOKEN_SECONDS: u32 = 7 * 24 * 3600;
const POLL: Duration = Duration::from_millis(100);

/// Waits until the API server says it is ready; a program that ends meanwhile is an error with the
/// end of its log.
pub(super) fn wait(
    api: &Api,
    dir: &Path,
    mut ended: impl FnMut() -> Option<(&'static str, ExitStatus)>,
) -> Result<()> {
    let began = Instant::now();
    while !api
        .text("/readyz")
        .is_ok_and(|answer| answer.trim() == "ok")
    {
        if let Some((name, status)) = ended() {
            bail!("{name} ended with {status}:\n{}", log_tail(dir, name));
        }
        if began.elapsed() > PATIENCE {
            let logs = ["etcd", "kube-apiserver"].map(|name| log_tail(dir, name));
            bail!(
                "the API server was not ready within {PATIENCE:?}:\n{}",
                logs.join("\n")
            );
        }
        sleep(POLL);
    }
    Ok(())
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
pub(super) fn install_crds(api: &Api, objects: &[Value]) -> Result<usize> {
    for object in objects {
        if object["kind"] != "CustomResourceDefinition" {
            bail!("{} is no CustomResourceDefinition", manifest::label(object));
        }
        api.apply(object)?;
    }
    let began = Instant::now();
    for object in objects {
        while !established(&api.get(&api.path_of(object)?)?) {
            if began.elapsed() > PATIENCE {
                bail!(
                    "{} was not established within {PATIENCE:?}",
                    manifest::label(object)
                );
            }
            sleep(POLL);
        }
    }
    for object in objects {
        served(api, object, began)?;
    }
    Ok(objects.len())
}

/// An established CRD may still answer 404 for a moment, and discovery may be behind: wait for both.
fn served(api: &Api, crd: &Value, began: Instant) -> Result<()> {
    let group = manifest::text(crd, "/spec/group");
    let plural = manifest::text(crd, "/spec/names/plural");
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    for version in versions.filter(|version| version["served"] == true) {
        let version = format!("/apis/{group}/{}", manifest::text(version, "/name"));
        let path = format!("{version}/{plural}?limit=1");
        while api.find(&path)?.is_none() || !listed(api.find(&version)?, plural) {
            if began.elapsed() > PATIENCE {
                bail!("{path} was not served within {PATIENCE:?}");
            }
            sleep(POLL);
        }
    }
    Ok(())
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
