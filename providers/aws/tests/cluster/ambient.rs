//! The operator's own identity. The SDK reads the environment of the process, which tests of one
//! process share; so each identity is tried by the built operator in `bin/lockstep`. Here is only
//! what needs no environment.

use std::sync::Arc;

use lockstep_provider_api::ErrorKind;
use lockstep_provider_api::conformance::MemoryObjects;
use lockstep_testkit::moto::REGION;
use serde_json::json;

use crate::bench::{Bench, moto};

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_auth_is_refused_where_ambient_identity_is_off() {
    let variables = moto().environment().into_iter().collect();
    let memory: Arc<MemoryObjects> = Arc::default();
    let bench = Bench::over(Arc::clone(&memory), memory as _, variables, false);
    let spec = json!({ "service": "SecretsManager", "region": REGION });

    let error = bench.connect(spec).await.err().unwrap();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(
        error.to_string().contains("set auth.secretRef or auth.jwt"),
        "{error}"
    );
}
