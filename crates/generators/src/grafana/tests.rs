//! Tokens of Grafana against a server that a function plays.

use serde_json::{Value, json};

use crate::testing::{Bench, Seen, always};

const KIND: &str = "Grafana";
const FOUND: &str = r#"{"serviceAccounts":[
    {"id":2,"name":"eso-other","login":"sa-2"},{"id":3,"name":"eso","login":"sa-3"}]}"#;

fn spec() -> Value {
    json!({
        "url": "https://grafana.example/sub",
        "auth": { "token": { "name": "creds", "key": "token" } },
        "serviceAccount": { "name": "eso", "role": "Viewer" },
    })
}

fn bench(answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static) -> Bench {
    let creds = Bench::new().secret("creds", &[("token", "glsa"), ("password", "pw")]);
    creds.server(answer)
}

fn answers(found: &'static str) -> impl Fn(&Seen) -> (u16, String) {
    move |seen| match &*seen.line {
        line if line.contains("/search") => (200, found.to_owned()),
        line if line.ends_with("/tokens") => (200, r#"{"id":8,"key":"glsa_new"}"#.to_owned()),
        _ => (201, r#"{"id":5,"name":"eso","login":"sa-5"}"#.to_owned()),
    }
}

#[test]
fn a_token_of_the_account_of_that_very_name_is_made() {
    let bench = bench(answers(FOUND));

    let made = bench.generate(KIND, &spec()).unwrap();

    let texts = [("login", "sa-3"), ("token", "glsa_new")];
    assert_eq!(
        made.texts(),
        texts.map(|(k, v)| (k.to_owned(), v.to_owned()))
    );
    let held = json!({ "id": 3, "login": "sa-3", "tokenID": 8 });
    assert_eq!(made.0.state, Some(json!({ "serviceAccount": held })));
    let lines: Vec<String> = bench.seen().into_iter().map(|seen| seen.line).collect();
    let base = "https://grafana.example/sub/api/serviceaccounts";
    assert_eq!(
        lines,
        [
            format!("GET {base}/search?query=eso"),
            format!("POST {base}/3/tokens")
        ]
    );
    assert_eq!(bench.seen()[0].header("authorization"), "Bearer glsa");
}

#[test]
fn an_account_that_does_not_exist_is_made_first() {
    let bench = bench(answers(r#"{"serviceAccounts":[]}"#));

    let made = bench.generate(KIND, &spec()).unwrap();

    assert_eq!(made.0.values.get("login").unwrap().expose(), b"sa-5");
    assert_eq!(bench.seen()[1].body, r#"{"name":"eso","role":"Viewer"}"#);
}

#[test]
fn a_lifetime_is_sent_and_gives_the_end() {
    let mut short = spec();
    short["serviceAccount"]["secondsToLive"] = json!(600);
    let bench = bench(answers(FOUND));

    let made = bench.generate(KIND, &short).unwrap();

    assert!(made.0.expires.is_some());
    assert!(bench.seen()[1].body.contains(r#""secondsToLive":600"#));
}

#[test]
fn a_user_with_a_password_signs_in_too() {
    let mut basic = spec();
    basic["auth"] = json!({ "basic": {
        "username": "admin", "password": { "name": "creds", "key": "password" } } });
    let bench = bench(answers(FOUND));

    bench.generate(KIND, &basic).unwrap();

    assert_eq!(
        bench.seen()[0].header("authorization"),
        "Basic YWRtaW46cHc="
    );
}

#[test]
fn clean_up_deletes_the_token_and_a_missing_one_is_deleted() {
    let state = json!({ "serviceAccount": { "id": 3, "login": "sa-3", "tokenID": 8 } });
    for status in [200, 404] {
        let bench = bench(always(status, "{}"));
        bench.cleanup(KIND, &spec(), state.clone()).unwrap();
        let line = "DELETE https://grafana.example/sub/api/serviceaccounts/3/tokens/8";
        assert_eq!(bench.seen()[0].line, line);
    }

    assert!(
        bench(always(500, "{}"))
            .cleanup(KIND, &spec(), state)
            .is_err()
    );
}

#[test]
fn refusals_name_the_call_and_the_explanation() {
    let bench = bench(always(401, r#"{"message":"Invalid API key"}"#));

    let error = bench.generate(KIND, &spec()).unwrap_err();

    assert_eq!(error, "[GET /serviceaccounts/search][401] Invalid API key");
}

#[test]
fn without_credentials_nobody_is_asked() {
    let mut bare = spec();
    bare["auth"] = json!({});
    let bench = bench(answers(FOUND));

    let error = bench.generate(KIND, &bare).unwrap_err();

    assert_eq!(error, "no auth configuration found");
    assert!(bench.seen().is_empty());
}
