//! The client against a scripted transport: requests, answers, errors and what they show.

use std::sync::Mutex;

use futures_util::FutureExt;
use serde_json::json;

use super::*;

const CANARY: &str = "hunter2";

/// Answers with one response and keeps the request.
struct Once {
    answer: Mutex<Option<Result<http::Response<Bytes>>>>,
    request: Mutex<Option<http::Request<Bytes>>>,
}

impl Transport for Once {
    fn send(&self, request: http::Request<Bytes>) -> BoxFuture<'_, Result<http::Response<Bytes>>> {
        *self.request.lock().unwrap() = Some(request);
        let answer = self.answer.lock().unwrap().take().unwrap();
        Box::pin(async { answer })
    }
}

fn client(answer: Result<http::Response<Bytes>>) -> (HttpClient, Arc<Once>) {
    let transport = Arc::new(Once {
        answer: Mutex::new(Some(answer)),
        request: Mutex::new(None),
    });
    (
        HttpClient::new(Arc::clone(&transport) as Arc<dyn Transport>),
        transport,
    )
}

fn response(status: u16, body: &str) -> http::Response<Bytes> {
    let body = Bytes::from(body.to_owned());
    http::Response::builder().status(status).body(body).unwrap()
}

fn send(builder: RequestBuilder) -> Result<Answer> {
    builder.send().now_or_never().unwrap()
}

#[test]
fn an_address_without_a_scheme_is_told_without_its_password() {
    let (client, _) = client(Ok(response(200, "{}")));
    let refused = |url: &str| client.get(url).build().unwrap_err().to_string();

    assert_eq!(
        refused("user:hun/ter2@vault.example:8200/v1?token=x"),
        "the URL \"vault.example:8200\" must begin with http:// or https://; correct the address in the \
         manifest"
    );
    assert!(client.get("HTTPS://vault.example").build().is_ok());
}

#[test]
fn a_request_carries_query_headers_and_body_and_hides_its_credentials() {
    let (client, transport) = client(Ok(response(200, "{}")));

    let builder = client
        .post("https://h/v1/a?x=1")
        .query("name", "b c/d")
        .bearer(&format!("{CANARY}\n").as_str().into())
        .json(&json!({ "k": CANARY }));
    let debug = format!("{builder:?}");
    send(builder).unwrap();

    let request = transport.request.lock().unwrap().take().unwrap();
    assert_eq!(request.uri(), "https://h/v1/a?x=1&name=b%20c%2Fd");
    assert_eq!(request.headers()["authorization"], "Bearer hunter2");
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(request.body(), r#"{"k":"hunter2"}"#);
    assert!(!debug.contains(CANARY), "{debug}");
    assert!(!format!("{:?}", request.headers()).contains(CANARY));
}

#[test]
fn basic_credentials_are_encoded_and_hidden() {
    let (client, _) = client(Ok(response(200, "")));

    let request = client.get("https://h/").basic("u", &"p:w".into()).build();

    let headers = request.unwrap().headers().clone();
    assert_eq!(headers["authorization"], "Basic dTpwOnc=");
    assert!(headers["authorization"].is_sensitive());
}

#[test]
fn an_error_names_method_and_redacted_url_and_nothing_of_the_body() {
    let (client, _) = client(Ok(response(403, &json!({ "message": CANARY }).to_string())));

    let answer = send(client.get("https://h/v1/kv").query("token", CANARY)).unwrap();
    let debug = format!("{answer:?}");
    let error = answer.check().unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert_eq!(
        error.to_string(),
        "GET https://h/v1/kv?token=***: 403 Forbidden"
    );
    assert!(!debug.contains(CANARY), "{debug}");
}

#[test]
fn a_message_is_shown_when_the_provider_asks_for_it_on_one_line() {
    let (client, _) = client(Ok(response(403, r#"{"errors":["no\npolicy "]}"#)));

    let error = send(client.get("https://h/p")).unwrap();
    let error = error.check_with("/errors/0").unwrap_err();

    assert_eq!(
        error.to_string(),
        "GET https://h/p: 403 Forbidden: no policy"
    );
}

#[test]
fn no_answer_is_unreachable_whatever_the_transport_calls_it() {
    let (client, _) = client(Err(Error::not_found()));

    let error = send(client.get("https://h/p")).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().starts_with("GET https://h/p: "));
}

#[test]
fn json_that_does_not_fit_is_told_by_position_only() {
    let (client, _) = client(Ok(response(200, r#"{"n":"hunter2"}"#)));

    let answer = send(client.get("https://h/p")).unwrap();
    let error = answer
        .json::<std::collections::BTreeMap<String, u8>>()
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidData);
    assert!(!error.to_string().contains(CANARY), "{error}");
}

#[test]
fn mistakes_in_a_request_are_the_users_to_mend_and_hide_values() {
    let (client, _) = client(Ok(response(200, "")));
    let lines: SecretValue = "hunter2\nhunter2".into();

    let mistakes = [
        client.get("vault.example.com/v1"),
        client.get("https://h/ p"),
        client.get("ftp://hunter2@h/"),
        client.get("https://h/").header("bad name", "x"),
        client.get("https://h/").bearer(&lines),
    ];

    for builder in mistakes {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(!error.to_string().contains(CANARY), "{error}");
    }
}

#[test]
fn a_list_is_read_to_its_end() {
    let list = pages(|token| async move {
        let from: u32 = token.map_or(0, |token| token.parse().unwrap());
        Ok(Page {
            items: vec![from],
            next: (from < 3).then(|| (from + 1).to_string()),
        })
    });

    assert_eq!(list.now_or_never().unwrap().unwrap(), [0, 1, 2, 3]);
}

#[test]
fn a_list_that_breaks_or_goes_in_circles_is_an_error() {
    let circle = pages(|_| async {
        Ok(Page {
            items: vec![()],
            next: Some("same".to_owned()),
        })
    });
    let broken = pages(|token| async move {
        match token {
            None => Ok(Page {
                items: vec![1],
                next: Some("2".to_owned()),
            }),
            Some(_) => Err(Error::unreachable("gone")),
        }
    });

    let circle = circle.now_or_never().unwrap().unwrap_err();
    let broken = broken.now_or_never().unwrap().unwrap_err();

    assert_eq!(circle.kind(), &ErrorKind::InvalidData);
    assert_eq!(broken.kind(), &ErrorKind::Unreachable);
}
