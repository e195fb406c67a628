//! Requests to Google: many ExternalSecrets over fewer secrets, on the test server, which counts
//! them. The count is the server's own, so any operator that can be led there can be measured.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::gcp::Google;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

use crate::cli::CloudArgs;
use crate::cloud::{INTERVAL, all_ready, one_refresh};

const NAMESPACE: &str = "bench-gcp";

pub(crate) fn run(args: &CloudArgs) -> Result<()> {
    if args.secrets == 0 || args.objects == 0 {
        bail!("--objects and --secrets must be at least 1");
    }
    let google = Google::start()?;
    for number in 0..args.secrets {
        google.seed(
            "projects/p",
            &format!("bench-{number}"),
            &[b"v"],
            &json!({}),
        )?;
    }
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let api = plane.admin()?;
    prepare(&api, &google)?;
    for number in 0..args.objects {
        api.apply_in(NAMESPACE, &object(number, number % args.secrets))?;
    }
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let kubeconfig = plane.operator_kubeconfig();
    let environment = google.environment();
    let mut operator = Operator::start_in(&args.operator, &kubeconfig, &[], &environment, &log)?;
    let took = all_ready(&api, NAMESPACE, &mut operator, args.objects)?;
    let first = counts(&google);
    one_refresh(INTERVAL);
    let refresh = counts(&google);
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

fn prepare(api: &Api, google: &Google) -> Result<()> {
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    api.apply(&namespace)?;
    let key = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "key": google.key("bench@p.iam.gserviceaccount.com") },
    });
    api.apply_in(NAMESPACE, &key)?;
    let key = json!({ "name": "creds", "key": "key" });
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "provider": { "gcpsm": {
            "projectID": "p",
            "auth": { "secretRef": { "secretAccessKeySecretRef": key } },
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
            "refreshInterval": "2m",
            "secretStoreRef": { "name": "store" },
            "data": [{ "secretKey": "v", "remoteRef": { "key": format!("bench-{secret}") } }],
        },
    })
}

/// Requests since the last time, tokens included.
fn counts(google: &Google) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for seen in google.take_seen() {
        *counts.entry(seen.call).or_default() += 1;
    }
    counts
}
