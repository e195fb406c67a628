//! The fake provider keeps the contract. It has no network, so what needs one is skipped.
#![expect(clippy::unwrap_used, reason = "a test may end with a panic")]

use std::sync::Mutex;

use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{Subject, assert_conforms};
use lockstep_provider_fake::Fake;
use serde_json::{Value, json};

#[derive(Default)]
struct FakeSubject {
    data: Mutex<Vec<Value>>,
}

impl Subject for FakeSubject {
    type Provider = Fake;

    fn spec(&self) -> Value {
        json!({ "data": *self.data.lock().unwrap() })
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a manifest holds text")?;
        let item = json!({ "key": key, "value": text });
        self.data.lock().unwrap().push(item);
        Ok(())
    }
}

#[test]
fn fake_keeps_the_contract() {
    assert_conforms(&FakeSubject::default());
}
