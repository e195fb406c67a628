//! Tests of keys, filters and orders, and of what is drawn, on a terminal in memory.

use jiff::Timestamp;
use lockstep_api::{ExternalSecret, SecretStore};
use lockstep_toolbox::output::Paint;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde_json::{Value, json};

use super::{Effect, Event, Key, Tab, View};
use crate::draw::draw;
use crate::facts::Reduce;
use crate::model::{Health, Model};
use crate::seen::{News, Seen};
use crate::watches::Connection;

fn now() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn object(name: &str, interval: &str, ready: Value) -> ExternalSecret {
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {
            "refreshInterval": interval,
            "secretStoreRef": {"name": "vault"},
            "data": [{"secretKey": "p", "remoteRef": {"key": "db"}}],
        },
        "status": {
            "refreshTime": "2026-01-01T11:30:00Z",
            "nextUpdateTime": "2026-01-01T12:30:00Z",
            "conditions": [ready],
        },
    }))
    .unwrap()
}

fn ready() -> Value {
    json!({"type": "Ready", "status": "True", "message": "secret synced"})
}

fn failed(message: &str) -> Value {
    json!({"type": "Ready", "status": "False", "message": message})
}

fn model() -> Model {
    let store: SecretStore = serde_json::from_value(json!({
        "metadata": {"name": "vault", "namespace": "team-a"},
        "spec": {"provider": {"vault": {}}},
        "status": {"conditions": [ready()]},
    }))
    .unwrap();
    let mut stale = object("old", "1h", ready());
    if let Some(status) = &mut stale.status {
        status.next_update_time = None;
        status.refresh_time = Some("2026-01-01T01:00:00Z".parse().map(time).unwrap());
    }
    let objects = [
        object("database", "1h", ready()),
        object("queue", "1m", ready()),
        object(
            "broken",
            "1h",
            failed("could not get secret data from provider: NotFound: x"),
        ),
        object(
            "slow",
            "1h",
            failed("could not get secret data from provider: Throttled: x"),
        ),
        stale,
    ];
    let mut seen = Seen::default();
    let facts = objects.map(Reduce::reduced);
    for facts in facts.into_iter().chain([store.reduced()]) {
        seen.take(facts.kind, News::There(Box::new(facts)));
    }
    Model::of(&seen, now())
}

fn time(at: Timestamp) -> k8s_openapi::apimachinery::pkg::apis::meta::v1::Time {
    k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(at)
}

fn names(view: &View) -> Vec<String> {
    view.rows().iter().map(|row| row.name.clone()).collect()
}

fn press(view: &mut View, keys: &str) -> Effect {
    let mut last = Effect::None;
    for letter in keys.chars() {
        let key = match letter {
            '\n' => Key::Enter,
            '\t' => Key::Tab,
            letter => Key::Char(letter),
        };
        last = view.update(Event::Key(key));
    }
    last
}

fn drawn(view: &View) -> String {
    let mut terminal = Terminal::new(TestBackend::new(120, 14)).unwrap();
    terminal
        .draw(|frame| draw(frame, view, (now(), Paint::ON)))
        .unwrap();
    terminal.backend().to_string()
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    let colours = |paint| {
        let mut terminal = Terminal::new(TestBackend::new(120, 14)).unwrap();
        terminal
            .draw(|frame| draw(frame, &View::new(model()), (now(), paint)))
            .unwrap();
        let cells = terminal.backend().buffer().content.iter();
        cells.filter(|cell| cell.fg != Color::Reset).count()
    };

    assert!(colours(Paint::ON) > 0);
    assert_eq!(colours(Paint::OFF), 0);
}

#[test]
fn trouble_comes_first_and_is_counted() {
    let view = View::new(model());

    assert_eq!(names(&view), ["broken", "slow", "old", "database", "queue"]);
    assert_eq!(view.model.count(Health::Throttled), 1);
    insta::assert_snapshot!(drawn(&view));
}

#[test]
fn orders_follow_each_other() {
    let mut view = View::new(model());

    press(&mut view, "o");
    assert_eq!(names(&view)[0], "queue");
    press(&mut view, "o");
    assert_eq!(names(&view)[0], "queue");
    press(&mut view, "o");
    assert_eq!(names(&view)[0], "broken");
}

#[test]
fn filters_follow_each_other() {
    let mut view = View::new(model());

    press(&mut view, "f");
    assert_eq!(names(&view), ["broken", "slow"]);
    press(&mut view, "f");
    assert_eq!(names(&view), ["old"]);
    press(&mut view, "f");
    assert_eq!(names(&view), ["slow"]);
}

#[test]
fn a_search_takes_letters_that_are_keys_elsewhere() {
    let mut view = View::new(model());

    press(&mut view, "/queue\n");

    assert_eq!(names(&view), ["queue"]);
    assert!(drawn(&view).contains("/queue"));
}

#[test]
fn the_selected_object_is_explained_and_synced() {
    let mut view = View::new(model());

    let explained = press(&mut view, "j\n");
    let synced = press(&mut view, "s");

    assert!(matches!(explained, Effect::Explain(named) if named.name == "slow"));
    assert!(matches!(synced, Effect::Sync(named) if named.name == "slow"));
}

#[test]
fn stores_are_not_synced() {
    let mut view = View::new(model());

    assert_eq!(press(&mut view, "\ts"), Effect::None);
    assert_eq!(view.tab, Tab::Stores);
    insta::assert_snapshot!(drawn(&view));
}

#[test]
fn the_selection_stays_with_its_object_when_rows_change_places() {
    let mut view = View::new(model());
    press(&mut view, "j");
    let mut changed = model();
    changed.objects.retain(|row| row.name != "broken");

    view.update(Event::Loaded(changed));

    assert_eq!(view.rows()[view.selected].name, "slow");
}

#[test]
fn an_explanation_stands_in_front_until_a_key_closes_it() {
    let mut view = View::new(model());
    view.update(Event::Explained(
        "ExternalSecret team-a/slow\nline".to_owned(),
    ));

    let shown = drawn(&view);
    let effect = press(&mut view, "q");

    assert!(shown.contains("ExternalSecret team-a/slow"), "{shown}");
    assert_eq!(effect, Effect::None);
    assert!(view.explained.is_none());
}

#[test]
fn a_lost_connection_has_a_line_until_it_is_back() {
    let mut view = View::new(model());
    let reason = "externalsecrets: connection refused".to_owned();

    view.update(Event::Connection(Connection::Lost(reason)));
    press(&mut view, "j");
    let lost = drawn(&view);
    view.update(Event::Connection(Connection::Back));
    let back = drawn(&view);

    let line = "connection lost, trying again: externalsecrets: connection refused";
    assert!(lost.contains(line), "{lost}");
    assert!(lost.contains("broken"), "rows stay: {lost}");
    assert!(back.contains("connected again"), "{back}");
    assert!(!back.contains("connection lost"), "{back}");
}

#[test]
fn everything_is_listed_again_when_asked_for() {
    let mut view = View::new(model());

    assert_eq!(press(&mut view, "r"), Effect::Relist);
}

#[test]
fn the_table_for_logs_has_the_same_rows() {
    let text = crate::table::text(&model(), Paint::OFF, now());

    insta::assert_snapshot!(text);
}
