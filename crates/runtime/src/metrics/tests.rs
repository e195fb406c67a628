//! What a scrape looks like, and that it comes in pages.

use std::time::Duration;

use super::*;

fn scraped(metrics: &Arc<Metrics>) -> String {
    metrics.scrape().collect()
}

#[test]
fn provider_calls_are_counted_by_provider_call_and_status() {
    let metrics = Arc::new(Metrics::default());
    metrics.record("Fake", "Get", CallOutcome::Success);
    metrics.record("Fake", "Get", CallOutcome::Success);
    metrics.record("Fake", "Get", CallOutcome::Error);

    let text = scraped(&metrics);

    assert!(text.contains("# TYPE externalsecret_provider_api_calls_count counter\n"));
    let success =
        r#"externalsecret_provider_api_calls_count{provider="Fake",call="Get",status="success"} 2"#;
    assert!(text.contains(success));
}

#[test]
fn label_values_are_escaped() {
    let mut text = Text::default();

    text.sample("m", &[("a", "x\\\"\n")], 1.0);

    assert_eq!(text.into_string(), "m{a=\"x\\\\\\\"\\n\"} 1\n");
}

#[test]
fn a_run_is_counted_with_its_result_and_duration() {
    let metrics = Arc::new(Metrics::default());
    let controller = metrics.controller("externalsecret");
    let waiting = Waiting {
        objects: 3,
        oldest: Duration::from_millis(2500),
    };
    controller.attach(8, Box::new(move || waiting));
    let run = controller.start(Duration::from_millis(1));
    let during = scraped(&metrics);
    run.end(RunResult::Error);

    let after = scraped(&metrics);

    assert!(during.contains(r#"controller_runtime_active_workers{controller="externalsecret"} 1"#));
    for line in [
        r#"controller_runtime_reconcile_total{controller="externalsecret",result="error"} 1"#,
        r#"controller_runtime_reconcile_total{controller="externalsecret",result="success"} 0"#,
        r#"controller_runtime_reconcile_errors_total{controller="externalsecret"} 1"#,
        r#"controller_runtime_reconcile_time_seconds_bucket{controller="externalsecret",le="+Inf"} 1"#,
        r#"controller_runtime_max_concurrent_reconciles{controller="externalsecret"} 8"#,
        r#"controller_runtime_active_workers{controller="externalsecret"} 0"#,
        r#"workqueue_depth{controller="externalsecret",name="externalsecret",priority=""} 3"#,
        r#"lockstep_queue_oldest_seconds{controller="externalsecret"} 2.5"#,
        r#"workqueue_queue_duration_seconds_bucket{controller="externalsecret",name="externalsecret",le="1e-08"} 0"#,
        r#"workqueue_queue_duration_seconds_bucket{controller="externalsecret",name="externalsecret",le="0.001"} 1"#,
        r#"workqueue_queue_duration_seconds_count{controller="externalsecret",name="externalsecret"} 1"#,
    ] {
        assert!(
            after.contains(&format!("{line}\n")),
            "{line} not in:\n{after}"
        );
    }
}

#[test]
fn a_family_appears_once_for_all_controllers() {
    let metrics = Arc::new(Metrics::default());
    metrics.controller("secretstore");
    metrics.controller("externalsecret");
    metrics.controller("secretstore");

    let text = scraped(&metrics);

    assert_eq!(text.matches("# TYPE workqueue_depth gauge").count(), 1);
    assert_eq!(text.matches("workqueue_depth{").count(), 2);
}

#[test]
fn process_series_are_there() {
    let text = scraped(&Arc::new(Metrics::default()));

    assert!(text.contains("# TYPE process_resident_memory_bytes gauge\n"));
    assert!(text.contains("# TYPE process_cpu_seconds_total counter\n"));
}

struct Numbers(u32);

const NUMBERS: &[Family] = &[
    Family {
        name: "first",
        kind: Kind::Gauge,
        help: "one",
    },
    Family {
        name: "second",
        kind: Kind::Counter,
        help: "two",
    },
];

impl Rows for Numbers {
    fn families(&self) -> &'static [Family] {
        NUMBERS
    }

    fn page(&self, _: &Family, cursor: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let start = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        for number in start..self.0 {
            if page.is_full() {
                return Some(number.to_string());
            }
            page.sample(&[("n", &number.to_string())], 1.0);
        }
        None
    }
}

#[test]
fn rows_come_in_pages_of_bounded_size_and_completely() {
    let metrics = Arc::new(Metrics::default());
    metrics.add_rows(Arc::new(Numbers(10_000)));

    let pages: Vec<String> = metrics.scrape().skip(1).collect();

    assert!(pages.len() > 5);
    assert!(pages.iter().all(|page| page.len() < PAGE + 100));
    let text: String = pages.concat();
    assert_eq!(text.matches("first{").count(), 10_000);
    assert_eq!(text.matches("second{").count(), 10_000);
    assert_eq!(text.matches("# TYPE second counter").count(), 1);
}
