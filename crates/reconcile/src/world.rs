//! What reconciles of all kinds may do to the world around them; each kind's folder adds what is its own. One
//! implementation talks to an API server, one to a folder of manifests; a reconcile does not know which.

use std::future::Future;

use jiff::Timestamp;
use lockstep_api::GeneratorState;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_plan::external_secret::SourceKey;
use lockstep_provider_api::{Error, SecretMap};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

/// Reads of inputs, and the states of generators.
pub trait World: Send + Sync {
    /// Reads the data of an object that templates take their texts from.
    fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> impl Future<Output = Result<SecretMap, String>> + Send;

    /// Reads a generator an object of `namespace` names.
    fn generator(
        &self,
        _namespace: &str,
        reference: &GeneratorRef,
    ) -> impl Future<Output = Result<Generator, Error>> + Send {
        let text = format!("generators of kind {} cannot be read here", reference.kind);
        async { Err(Error::unsupported(text)) }
    }

    /// Stores the state of a credential that a generator made, and returns its name.
    fn create_state(
        &self,
        state: &GeneratorState,
    ) -> impl Future<Output = Result<String, ApiError>> + Send {
        let kind = state
            .spec
            .resource
            .get("kind")
            .and_then(|kind| kind.as_str());
        let kind = kind.unwrap_or_default();
        let text = format!("generators of kind {kind} need a cluster that keeps their states");
        async { Err(ApiError::new(ApiErrorKind::Invalid, text)) }
    }

    /// Lists the states with this owner key.
    fn states(
        &self,
        _namespace: &str,
        _owner_key: &str,
    ) -> impl Future<Output = Result<Vec<GeneratorState>, ApiError>> + Send {
        async { Ok(Vec::new()) }
    }

    /// Says when a state is to be deleted. Its absence is success.
    fn flag_state(
        &self,
        _namespace: &str,
        _name: &str,
        _deadline: Timestamp,
    ) -> impl Future<Output = Result<(), ApiError>> + Send {
        async { Ok(()) }
    }
}

/// A generator as it stands in its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// Its kind; never the cluster-scoped wrapper.
    pub kind: String,
    /// Its metadata; empty for one out of the cluster-scoped wrapper.
    pub metadata: serde_json::Value,
    /// Its spec.
    pub spec: serde_json::Value,
}

impl Generator {
    /// Whether it names a controller class other than `class`.
    pub fn is_foreign_to(&self, class: &str) -> bool {
        let named = self.spec.get("controller").and_then(|name| name.as_str());
        named.is_some_and(|named| !named.is_empty() && named != class)
    }
}
