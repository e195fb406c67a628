//! Requests to Azure: many ExternalSecrets over fewer secrets, on the test servers of Entra ID and Key
//! Vault. The count is the servers' own, so any operator can be measured that trusts their CA.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::azure::{Azure, CLIENT, SECRET, TENANT};
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

use crate::cli::CloudArgs;
use crate::cloud::{INTERVAL, all_ready, one_refresh};

const NAMESPACE: &str = "bench-azure";

pub(crate) fn run(args: &CloudArgs) -> Result<()> {
    if args.secrets == 0 || args.objects == 0 {
        bail!("--objects and --secrets must be at least 1");
    }
    let azure = Azure::start()?;
    for number in 0..args.secrets {
        let path = format!("/secrets/bench-{number}");
        azure.vault("PUT", &azure.host(), &path, &json!({ "value": "value" }))?;
    }
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let api = plane.admin()?;
    prepare(&api, &azure)?;
    for number in 0..args.objects {
        api.apply_in(NAMESPACE, &object(number, number % args.secrets))?;
    }
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let kubeconfig = plane.operator_kubeconfig();
    let environment = azure.environment();
    let mut operator = Operator::start_in(&args.operator, &kubeconfig, &[], &environment, &log)?;
    let took = all_ready(&api, NAMESPACE, &mut operator, args.objects)?;
    let first = counts(&azure);
    one_refresh(INTERVAL);
    let refresh = counts(&azure);
    operator.check()?;
    say(&format!(
        "{} ExternalSecrets over {} secrets, refreshed every {} s; all Ready after {:.1} s",
        args.objects,
        args.secrets,
        INTERVAL.as_secs(),
        took.as_secs_f64()
    ));
    for (what, (tokens, reads)) in [("first sync", first), ("one refresh", refresh)] {
        let total: usize = reads.values().sum();
        let most = reads.values().max().copied().unwrap_or(0);
        say(&format!(
            "{what}: {tokens} token requests and {total} reads of {} secrets, each at most {most} \
             times; the original makes a token request and a read an object, {} each",
            reads.len(),
            args.objects
        ));
    }
    Ok(())
}

fn prepare(api: &Api, azure: &Azure) -> Result<()> {
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    api.apply(&namespace)?;
    let keys = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "id": CLIENT, "secret": SECRET },
    });
    api.apply_in(NAMESPACE, &keys)?;
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "provider": { "azurekv": {
            "vaultUrl": azure.url(), "tenantId": TENANT,
            "authSecretRef": {
                "clientId": { "name": "creds", "key": "id" },
                "clientSecret": { "name": "creds", "key": "secret" },
            },
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

/// Token requests and reads by secret since the last time.
fn counts(azure: &Azure) -> (usize, BTreeMap<String, usize>) {
    let (mut tokens, mut reads) = (0, BTreeMap::new());
    for seen in azure.take_seen() {
        match seen.text.split_once("/secrets/") {
            Some((_, name)) => *reads.entry(name.to_owned()).or_default() += 1,
            None => tokens += 1,
        }
    }
    (tokens, reads)
}
