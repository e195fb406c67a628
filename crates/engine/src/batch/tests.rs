//! Reads that go out together.

use std::sync::Mutex;

use futures_util::future::{join, join_all};
use lockstep_provider::conformance::{ManualTime, block_on};

use super::*;

/// Answers each key with itself and notes what was asked together.
#[derive(Default)]
struct Echo(Arc<Mutex<Vec<Vec<String>>>>);

impl Store for Echo {
    async fn get(&self, _: &RemoteRef) -> Result<SecretValue> {
        Err(Error::new(ErrorKind::Internal, "not one by one"))
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let keys = references.iter().map(|reference| reference.key.clone());
        self.0.lock().unwrap().push(keys.collect());
        let answers = references.iter().map(|reference| match &*reference.key {
            "gone" => Err(Error::not_found()),
            key => Ok(SecretValue::from(key)),
        });
        answers.collect()
    }
}

#[test]
fn reads_at_the_same_time_go_out_together_and_each_gets_its_own_answer() {
    let asked = Arc::new(Mutex::default());
    let time = ManualTime::new();
    let store = batched(
        Arc::new(Echo(Arc::clone(&asked))),
        3,
        Arc::new(time.clone()),
    );
    let keys = ["a", "gone", "b", "c"].map(RemoteRef::key);

    let reads = join_all(keys.iter().map(|key| store.get(key)));
    let (answers, ()) = block_on(join(reads, async { time.advance(WINDOW) }));

    let texts: Vec<String> = answers
        .into_iter()
        .map(|answer| match answer {
            Ok(value) => value.expose_utf8().unwrap().to_owned(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(texts, ["a", "Secret does not exist", "b", "c"]);
    let asked = asked.lock().unwrap();
    assert_eq!(*asked, [vec!["a", "gone", "b"], vec!["c"]]);
}
