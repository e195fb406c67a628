//! Generators: values made here, or asked from a server, instead of read from a store. One module a
//! kind, each of the same shape; kinds that sign in as a provider does are in that provider's crate.
//! When values are made and what becomes of them is decided by the callers.

mod beyondtrust_dynamic_secret;
mod cloudsmith_access_token;
mod cluster;
#[cfg(test)]
mod conformance;
mod encoding;
mod fake;
mod github_access_token;
mod gitlab_deploy_token;
mod grafana;
mod jwt_expiry;
mod mfa;
mod password;
mod quay_access_token;
mod random;
mod refusal;
mod ssh_key;
#[cfg(test)]
mod template_token;
#[cfg(test)]
mod testing;
mod uuid;

use lockstep_provider_api::{Error, GeneratorEntry, Random, Result, SecretMap};
use serde_json::Value;

pub use cluster::unwrap;
pub use lockstep_provider_api::generator::{Maker, plural};
pub use random::SystemRandom;

/// Kind of the cluster-scoped wrapper.
pub const CLUSTER_KIND: &str = "ClusterGenerator";

/// The kinds of this crate, in order of their names.
static TABLE: &[GeneratorEntry] = &[
    GeneratorEntry::of::<beyondtrust_dynamic_secret::BeyondtrustDynamicSecret>(),
    GeneratorEntry::of::<cloudsmith_access_token::CloudsmithAccessToken>(),
    GeneratorEntry::local::<fake::Fake>(),
    GeneratorEntry::of::<github_access_token::GithubAccessToken>(),
    GeneratorEntry::of::<gitlab_deploy_token::GitlabDeployToken>(),
    GeneratorEntry::of::<grafana::Grafana>(),
    GeneratorEntry::of::<mfa::Mfa>(),
    GeneratorEntry::local::<password::Password>(),
    GeneratorEntry::of::<quay_access_token::QuayAccessToken>(),
    GeneratorEntry::local::<ssh_key::SshKey>(),
    GeneratorEntry::local::<uuid::Uuid>(),
];

/// Every kind of this build: those of this crate, then those of the providers compiled in.
pub fn kinds() -> impl Iterator<Item = &'static GeneratorEntry> {
    let of_providers = lockstep_provider_registry::registry();
    let of_providers = of_providers
        .iter()
        .flat_map(lockstep_provider_registry::Entry::generators);
    TABLE.iter().chain(of_providers)
}

/// The row of a kind, or what this build has instead.
pub fn lookup(kind: &str) -> Result<&'static GeneratorEntry> {
    kinds().find(|entry| entry.kind() == kind).ok_or_else(|| {
        let mut known: Vec<&str> = kinds().map(GeneratorEntry::kind).collect();
        known.sort_unstable();
        Error::unsupported(format!(
            "generator kind {kind} is not in this build, which has {}",
            known.join(", ")
        ))
    })
}

/// Makes values of a kind that asks nobody, where there is no cluster to ask with.
pub fn generate_locally(kind: &str, spec: &Value, random: &mut dyn Random) -> Result<SecretMap> {
    match lookup(kind)?.maker() {
        Maker::Local(maker) => maker.generate(spec, random),
        Maker::Remote(_) => Err(Error::unsupported(format!(
            "generator kind {kind} needs a cluster or a server, so its values cannot be shown here"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Counting;

    #[test]
    fn a_kind_of_another_build_is_named_with_what_there_is() {
        let error = lookup("Nope").err().unwrap().to_string();

        assert!(error.starts_with("generator kind Nope is not in this build, which has "));
        assert!(
            error.contains("BeyondtrustWorkloadCredentialsDynamicSecret, CloudsmithAccessToken,")
        );
    }

    #[test]
    fn no_two_rows_have_one_kind() {
        for entry in kinds() {
            let rows = kinds().filter(|other| other.kind() == entry.kind());
            assert_eq!(rows.count(), 1, "{}", entry.kind());
        }
    }

    #[test]
    fn a_kind_that_asks_a_server_is_not_made_locally() {
        let made = generate_locally("Grafana", &Value::Null, &mut Counting::default());

        let error = made.unwrap_err().to_string();
        assert!(error.contains("needs a cluster or a server"), "{error}");
    }
}
