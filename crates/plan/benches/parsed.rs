//! Times planning an everyday ExternalSecret with templates parsed each time and with templates kept:
//! `cargo bench -p lockstep-plan`. On two busy virtual cores, 2026-11-15: 48 and 50 µs a plan parsed, 25
//! and 30 µs kept.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    FetchItem, FetchList, Observed, ObservedTarget, Payload, Read, Source, SpecEntry,
    TemplateSources, plan,
};
use lockstep_plan::{Budget, ParsedTemplates, Settings, StoreKey, StoreView, Work};
use lockstep_provider_api::{MetadataPolicy, RemoteRef, SecretMap, SecretValue};

const OBJECT: &str = r#"
metadata: {name: es, namespace: ns, uid: u, generation: 1}
spec:
  secretStoreRef: {name: s}
  dataFrom:
  - extract: {key: u}
  target:
    template:
      data:
        dsn: "postgres://{{ .user | urlquery }}:{{ .password | urlquery }}@{{ .host }}:5432/app"
        .dockerconfigjson: '{"auths":{"{{ .host }}":{"auth":"{{ printf "%s:%s" .user .password | b64enc }}"}}}'
        app.env: |
          {{- range $key, $value := . }}
          {{ $key | upper }}={{ $value | quote }}
          {{- end }}
        config.yaml: |
          database:
            user: {{ .user | quote }}
            {{- if eq .tls "true" }}
            sslmode: require
            {{- else }}
            sslmode: disable
            {{- end }}
"#;

const ROUNDS: u32 = 20_000;

fn main() {
    let object: ExternalSecret = serde_saphyr::from_str(OBJECT).unwrap();
    let stores: BTreeMap<StoreKey, Arc<StoreView>> = BTreeMap::new();
    let data: SecretMap = [
        ("user", "alice"),
        ("password", "s3cr&t"),
        ("host", "db.internal"),
        ("tls", "true"),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), SecretValue::from(value)))
    .collect();
    let observed = Observed {
        object,
        namespace_labels: Some(Arc::default()),
        stores: &stores,
        target: ObservedTarget::Absent,
        former_targets: Vec::new(),
        last_refresh: None,
        inputs_changed: false,
        asked: jiff::Timestamp::UNIX_EPOCH,
        sources: TemplateSources::new(),
        jitter: 0.0,
    };
    let list = FetchList {
        items: vec![FetchItem {
            entry: SpecEntry::DataFrom(0),
            source: Source::Store {
                key: StoreKey::namespaced("ns".to_owned(), "s".to_owned()),
                read: Read::Map(RemoteRef {
                    key: "u".to_owned(),
                    property: None,
                    version: None,
                    metadata: MetadataPolicy::None,
                }),
            },
        }],
    };
    let answers = [Ok(Payload::Map(data))];
    let shared = Settings::default();
    let run = |settings: &Settings| {
        let work = Work {
            settings,
            now: jiff::Timestamp::UNIX_EPOCH,
            budget: &Budget::new(settings.template_limits),
        };
        std::hint::black_box(plan(&observed, &list, &answers, work).unwrap());
    };
    let timed = |round: &dyn Fn()| {
        let start = Instant::now();
        (0..ROUNDS).for_each(|_| round());
        start.elapsed() / ROUNDS
    };

    for _ in 0..2 {
        let parsed = timed(&|| {
            run(&Settings {
                templates: ParsedTemplates::default(),
                ..shared.clone()
            });
        });
        let kept = timed(&|| run(&shared.clone()));
        let share = kept.as_secs_f64() / parsed.as_secs_f64();
        println!("parsed {parsed:?}, kept {kept:?} a plan: {share:.2} of the time");
    }
}
