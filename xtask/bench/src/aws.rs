//! Requests to AWS: many ExternalSecrets over fewer secrets, on moto behind a counting relay. The
//! count is the relay's own, so any operator can be measured.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::moto::{Moto, REGION};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

use crate::cli::CloudArgs;
use crate::cloud::{INTERVAL, all_ready, one_refresh};

const NAMESPACE: &str = "bench-aws";

pub(crate) fn run(args: &CloudArgs) -> Result<()> {
    if args.secrets == 0 || args.objects == 0 {
        bail!("--objects and --secrets must be at least 1");
    }
    let moto = Moto::start()?;
    for number in 0..args.secrets {
        let secret = json!({ "Name": format!("bench/{number}"), "SecretString": "value" });
        moto.call("secretsmanager.CreateSecret", &secret)?;
    }
    let plane = ControlPlane::start(None)?;
    plane.install_crds()?;
    let api = plane.admin()?;
    prepare(&api)?;
    for number in 0..args.objects {
        api.apply_in(NAMESPACE, &object(number, number % args.secrets))?;
    }
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let kubeconfig = plane.operator_kubeconfig();
    let environment = moto.environment();
    let program: &Path = &args.operator;
    let mut operator = Operator::start_in(program, &kubeconfig, &[], &environment, &log)?;
    let took = all_ready(&api, NAMESPACE, &mut operator, args.objects)?;
    let first = counts(&moto);
    one_refresh(INTERVAL);
    let refresh = counts(&moto);
    operator.check()?;
    report(
        args,
        took,
        [("first sync", &first), ("one refresh", &refresh)],
    );
    Ok(())
}

fn prepare(api: &Api) -> Result<()> {
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
    api.apply(&namespace)?;
    let keys = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "id": "bench", "secret": "any" },
    });
    api.apply_in(NAMESPACE, &keys)?;
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "provider": { "aws": {
            "service": "SecretsManager", "region": REGION,
            "auth": { "secretRef": {
                "accessKeyIDSecretRef": { "name": "creds", "key": "id" },
                "secretAccessKeySecretRef": { "name": "creds", "key": "secret" },
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
            "refreshInterval": "2m",
            "secretStoreRef": { "name": "store" },
            "data": [{ "secretKey": "v", "remoteRef": { "key": format!("bench/{secret}") } }],
        },
    })
}

/// Requests since the last time.
struct Counts {
    by_action: BTreeMap<String, usize>,
    /// How often each secret was asked for.
    by_secret: BTreeMap<String, usize>,
}

fn counts(moto: &Moto) -> Counts {
    let (mut by_action, mut by_secret) = (BTreeMap::new(), BTreeMap::new());
    for seen in moto.take_seen() {
        *by_action.entry(seen.action).or_default() += 1;
        let words = seen.body.split('"');
        for name in words.filter(|word| word.starts_with("bench/")) {
            *by_secret.entry(name.to_owned()).or_default() += 1;
        }
    }
    Counts {
        by_action,
        by_secret,
    }
}

fn report(args: &CloudArgs, took: Duration, counted: [(&str, &Counts); 2]) {
    say(&format!(
        "{} ExternalSecrets over {} secrets, refreshed every {} s; all Ready after {:.1} s",
        args.objects,
        args.secrets,
        INTERVAL.as_secs(),
        took.as_secs_f64()
    ));
    for (what, counts) in counted {
        let total: usize = counts.by_action.values().sum();
        let by_action: Vec<_> = counts
            .by_action
            .iter()
            .map(|(action, count)| format!("{action} {count}"))
            .collect();
        let most = counts.by_secret.values().max().copied().unwrap_or(0);
        say(&format!(
            "{what}: {total} requests ({}) for {} secrets, each at most {most} times; one read an \
             object would be {}",
            by_action.join(", "),
            counts.by_secret.len(),
            args.objects
        ));
    }
}
