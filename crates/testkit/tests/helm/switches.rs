//! Single values with a shape of their own: extra arguments, fallbacks, probes, platforms, monitors.

use lockstep_testkit::helm::find;
use serde_json::{Value, json};

use crate::{args, rendered, try_rendered};

fn controller(values: &Value) -> Value {
    let objects = rendered(values);
    find(&objects, "Deployment", "external-secrets")
        .unwrap()
        .clone()
}

fn pod(values: &Value) -> Value {
    controller(values)["spec"]["template"]["spec"].clone()
}

#[test]
fn extra_arguments_keep_false_and_zero() {
    let found = controller(&json!({"extraArgs": {
        "enable-flood-gate": false, "client-qps": 0, "client-burst": 1_000_000, "bare": null, "text": "a b",
    }}));

    let args = args(&found);
    for flag in [
        "--enable-flood-gate=false",
        "--client-qps=0",
        "--client-burst=1000000",
        "--bare",
        "--text=a b",
    ] {
        assert!(args.contains(&flag), "{flag} in {args:?}");
    }
}

#[test]
fn flags_follow_the_values_of_the_controller() {
    let found = controller(&json!({
        "leaderElect": true, "leaderElectionID": "mine", "leaderElectionLeaseDuration": "30s",
        "controllerClass": "blue", "scopedNamespace": "team-a", "storeRequeueInterval": "1m",
        "genericTargets": {"enabled": true}, "concurrent": 8, "extendedMetricLabels": true,
        "writeEveryRefresh": true,
        "log": {"level": "debug"}, "enableHTTP2": true, "vault": {"enableTokenCache": true},
    }));

    let args = args(&found);
    for flag in [
        "--enable-leader-election=true",
        "--leader-election-id=mine",
        "--leader-election-lease-duration=30s",
        "--controller-class=blue",
        "--namespace=team-a",
        "--store-requeue-interval=1m",
        "--unsafe-allow-generic-targets=true",
        "--concurrent=8",
        "--enable-extended-metric-labels=true",
        "--write-every-refresh=true",
        "--loglevel=debug",
        "--enable-http2=true",
        "--vault-token-cache-size=262144",
    ] {
        assert!(args.contains(&flag), "{flag} in {args:?}");
    }
}

#[test]
fn global_values_are_fallbacks_and_are_not_merged() {
    let values = json!({
        "global": {
            "nodeSelector": {"disk": "ssd"}, "podLabels": {"team": "all"}, "repository": "mirror.example/eso",
            "imagePullSecrets": [{"name": "pull"}],
        },
        "nodeSelector": {"zone": "a"},
    });
    let objects = rendered(&values);

    let controller = find(&objects, "Deployment", "external-secrets").unwrap();
    let webhook = find(&objects, "Deployment", "external-secrets-webhook").unwrap();
    assert_eq!(
        controller["spec"]["template"]["spec"]["nodeSelector"],
        json!({"zone": "a"})
    );
    assert_eq!(
        webhook["spec"]["template"]["spec"]["nodeSelector"],
        json!({"disk": "ssd"})
    );
    for deployment in [controller, webhook] {
        let template = &deployment["spec"]["template"];
        assert_eq!(template["metadata"]["labels"]["team"], "all");
        assert_eq!(
            template["spec"]["imagePullSecrets"],
            json!([{"name": "pull"}])
        );
        assert_eq!(
            template["spec"]["containers"][0]["image"],
            "mirror.example/eso:v2.9.0"
        );
    }
}

#[test]
fn a_spread_constraint_without_a_selector_gets_that_of_the_component() {
    let values = json!({"global": {"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"},
    ]}});
    let objects = rendered(&values);
    let webhook = find(&objects, "Deployment", "external-secrets-webhook").unwrap();

    let constraint = &webhook["spec"]["template"]["spec"]["topologySpreadConstraints"][0];
    assert_eq!(constraint["maxSkew"], 1);
    assert_eq!(
        constraint["labelSelector"]["matchLabels"]["app.kubernetes.io/name"],
        "external-secrets-webhook"
    );
}

#[test]
fn either_probe_opens_the_health_port() {
    let pod = pod(
        &json!({"readinessProbe": {"enabled": true}, "livenessProbe": {"spec": {"port": 9000}}}),
    );

    let container = &pod["containers"][0];
    assert!(container["args"].to_string().contains("--live-addr=:9000"));
    assert_eq!(
        container["ports"][1],
        json!({"name": "live", "containerPort": 9000, "protocol": "TCP"})
    );
    assert_eq!(
        container["readinessProbe"]["httpGet"],
        json!({"path": "/readyz", "port": "live"})
    );
    assert_eq!(container["livenessProbe"], Value::Null);
}

#[test]
fn a_probe_that_names_its_port_by_number_moves_the_health_port() {
    let probe = json!({"enabled": true, "spec": {"httpGet": {"port": 9001}}});
    let pod = pod(&json!({"livenessProbe": probe}));

    let container = &pod["containers"][0];
    assert!(container["args"].to_string().contains("--live-addr=:9001"));
    assert_eq!(container["ports"][1]["containerPort"], 9001);
    assert_eq!(container["livenessProbe"]["httpGet"]["port"], 9001);
}

#[test]
fn openshift_assigns_users_itself() {
    let force = json!({
        "global": {"compatibility": {"openshift": {"adaptSecurityContext": "force"}}},
        "podSecurityContext": {"fsGroup": 1, "runAsNonRoot": true},
    });
    let pod = pod(&force);

    assert_eq!(pod["securityContext"], json!({"runAsNonRoot": true}));
    assert_eq!(
        pod["containers"][0]["securityContext"]["runAsUser"],
        Value::Null
    );
}

#[test]
fn host_users_are_set_where_the_api_knows_them() {
    assert_eq!(pod(&json!({"hostUsers": false}))["hostUsers"], false);
    assert_eq!(pod(&json!({}))["hostUsers"], Value::Null);
}

#[test]
fn disruption_budgets_take_one_of_both_limits() {
    let budget = |values: Value| {
        let objects = rendered(&values);
        find(&objects, "PodDisruptionBudget", "external-secrets-pdb").unwrap()["spec"].clone()
    };

    assert_eq!(
        budget(json!({"podDisruptionBudget": {"enabled": true}}))["minAvailable"],
        1
    );
    let other = budget(json!({"podDisruptionBudget": {"enabled": true, "maxUnavailable": "50%"}}));
    assert_eq!(other["maxUnavailable"], "50%");
    assert_eq!(other["minAvailable"], Value::Null);
}

#[test]
fn monitors_are_rendered_where_the_kind_exists() {
    let values = json!({"serviceMonitor": {"enabled": true}, "metrics": {"listen": {
        "auth": {"enabled": true}, "secure": {"enabled": true},
    }}});
    let objects = rendered(&values);

    let monitor = find(&objects, "ServiceMonitor", "external-secrets-metrics").unwrap();
    let endpoint = &monitor["spec"]["endpoints"][0];
    assert_eq!(endpoint["scheme"], "https");
    assert_eq!(
        endpoint["authorization"]["credentials"]["name"],
        "external-secrets-token"
    );
    find(
        &objects,
        "ServiceMonitor",
        "external-secrets-webhook-metrics",
    )
    .unwrap();
    find(&objects, "Service", "external-secrets-metrics").unwrap();
    let controller = find(&objects, "Deployment", "external-secrets").unwrap();
    assert!(args(controller).contains(&"--metrics-cert-name=tls.crt"));

    let helm = lockstep_testkit::helm::Helm::ready().unwrap();
    let bare = lockstep_testkit::helm::Render::default();
    let off = json!({"installCRDs": false, "serviceMonitor": {"enabled": true}});
    assert!(!helm.text(bare, &off).unwrap().contains("ServiceMonitor"));
    let strict = json!({"installCRDs": false, "serviceMonitor": {"enabled": true, "renderMode": "failIfMissing"}});
    let error = helm.text(bare, &strict).unwrap_err();
    assert!(
        error.to_string().contains("Prometheus operator's CRDs"),
        "{error}"
    );
}

#[test]
fn extra_objects_and_init_containers_are_templates() {
    let objects = rendered(&json!({
        "extraObjects": [{
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "{{ include \"external-secrets.fullname\" . }}-extra"},
        }],
        "extraInitContainers": [{"name": "wait", "image": "{{ .Chart.Name }}:x"}],
    }));

    find(&objects, "ConfigMap", "external-secrets-extra").unwrap();
    let controller = find(&objects, "Deployment", "external-secrets").unwrap();
    let init = &controller["spec"]["template"]["spec"]["initContainers"][0];
    assert_eq!(init["image"], "external-secrets:x");
}

#[test]
fn an_operator_can_be_left_out_and_its_crds_and_rights_stay() {
    let objects = rendered(&json!({"createOperator": false}));

    assert!(find(&objects, "Deployment", "external-secrets").is_err());
    find(&objects, "ClusterRole", "external-secrets-controller").unwrap();
}

#[test]
fn the_dashboard_and_the_alerts_name_metrics_that_are_exported() {
    let objects = rendered(&json!({
        "grafanaDashboard": {"enabled": true}, "prometheusRule": {"enabled": true},
    }));

    let board = find(&objects, "ConfigMap", "external-secrets-dashboard").unwrap();
    assert_eq!(board["metadata"]["labels"]["grafana_dashboard"], "1");
    let text = board["data"]["external-secrets.json"].as_str().unwrap();
    let board: Value = serde_json::from_str(text).unwrap();
    assert!(board["panels"].as_array().unwrap().len() > 10);
    let rule = find(&objects, "PrometheusRule", "external-secrets-alerts").unwrap();
    let alerts = rule["spec"]["groups"][0]["rules"].as_array().unwrap();
    assert!(
        alerts
            .iter()
            .all(|alert| alert["annotations"]["summary"].is_string())
    );
    assert!(try_rendered(&json!({"grafanaDashboard": {"enabled": false}})).is_ok());
}

#[test]
fn the_delay_of_the_readiness_probe_is_rendered_as_it_is_set() {
    let probe = |values: &Value| {
        let objects = rendered(values);
        let webhook = find(&objects, "Deployment", "external-secrets-webhook").unwrap();
        webhook["spec"]["template"]["spec"]["containers"][0]["readinessProbe"].clone()
    };
    let with =
        |seconds: u32| json!({"webhook": {"readinessProbe": {"initialDelaySeconds": seconds}}});

    let usual = probe(&json!({}));
    assert_eq!(usual["initialDelaySeconds"], 2);
    assert_eq!(usual["periodSeconds"], 5);
    assert_eq!(usual["httpGet"]["path"], "/readyz");
    for seconds in [0, 7, 20] {
        assert_eq!(probe(&with(seconds))["initialDelaySeconds"], seconds);
    }
}
