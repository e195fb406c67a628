//! Requests to Vault: many ExternalSecrets over fewer secrets and one AppRole, on an OpenBao server.
//! The count is that of a relay in front of it, so any operator can be measured.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::bao::Bao;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

use crate::cli::CloudArgs;
use crate::cloud::{all_ready, one_refresh};

/// Time between two refreshes of an object.
const INTERVAL: Duration = Duration::from_mins(1);
const NAMESPACE: &str = "bench-vault";

pub(crate) fn run(args: &CloudArgs) -> Result<()> {
    if args.secrets == 0 || args.objects == 0 {
        bail!("--objects and --secrets must be at least 1");
    }
    let bao = Bao::start()?;
    for number in 0..args.secrets {
        bao.put(&format!("bench-{number}"), &json!({ "v": "v" }))?;
    }
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let api = plane.admin()?;
    prepare(&api, &bao)?;
    for number in 0..args.objects {
        api.apply_in(NAMESPACE, &object(number, number % args.secrets))?;
    }
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let kubeconfig = plane.operator_kubeconfig();
    let environment = [];
    let mut operator = Operator::start_in(&args.operator, &kubeconfig, &[], &environment, &log)?;
    let took = all_ready(&api, NAMESPACE, &mut operator, args.objects)?;
    let first = counts(&bao);
    one_refresh(INTERVAL);
    let refresh = counts(&bao);
    operator.check()?;
    say(&format!(
        "{} ExternalSecrets over {} secrets, refreshed every {} s; all Ready after {:.1} s",
        args.objects,
        args.secrets,
        INTERVAL.as_secs(),
        took.as_secs_f64()
    ));
    for (what, counts) in [("first sync", first), ("one refresh", refresh)] {
        let total: usize = counts.values().sum();
        let parts: Vec<_> = counts
            .iter()
            .map(|(call, count)| format!("{call} {count}"))
            .collect();
        say(&format!(
            "{what}: {total} requests ({}); one read an object would be {}",
            parts.join(", "),
            args.objects
        ));
    }
    Ok(())
}

fn prepare(api: &Api, bao: &Bao) -> Result<()> {
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    api.apply(&namespace)?;
    let role = json!({ "token_policies": ["bench"] });
    bao.policy("bench", &[("kv/*", "read,list")])?;
    bao.enable("approle")?;
    bao.call("POST", "auth/approle/role/bench", &role)?;
    let id = json!({ "role_id": "bench" });
    bao.call("POST", "auth/approle/role/bench/role-id", &id)?;
    let secret = json!({ "secret_id": "bench" });
    bao.call("POST", "auth/approle/role/bench/custom-secret-id", &secret)?;
    let credentials = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "sid": "bench" },
    });
    api.apply_in(NAMESPACE, &credentials)?;
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "provider": { "vault": {
            "server": bao.url(), "path": "kv", "auth": { "appRole": {
                "path": "approle", "roleId": "bench", "secretRef": { "name": "creds", "key": "sid" },
            } },
        } } },
    });
    api.apply_in(NAMESPACE, &store)?;
    Ok(())
}

fn object(number: usize, secret: usize) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": { "name": format!("es-{number}") },
        "spec": {
            "refreshInterval": "1m",
            "secretStoreRef": { "name": "store" },
            "data": [{ "secretKey": "v", "remoteRef": { "key": format!("bench-{secret}"), "property": "v" } }],
        },
    })
}

/// Requests since the last time, by what they are for.
fn counts(bao: &Bao) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for seen in bao.take_seen() {
        let call = match seen.split_once("kv/data/") {
            Some(_) => "reads".to_owned(),
            None => seen,
        };
        *counts.entry(call).or_default() += 1;
    }
    counts
}
