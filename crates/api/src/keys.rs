//! Labels, annotations, finalizers and field managers, spelled as upstream spells them.
//! Existing clusters are full of them: a changed letter loses track of existing objects.

use std::fmt::Write as _;

use sha3::{Digest, Sha3_224};

/// API group of stores, external secrets and push secrets.
pub const GROUP: &str = "external-secrets.io";
/// API group of generators.
pub const GENERATORS_GROUP: &str = "generators.external-secrets.io";

/// Label of every target we write.
pub const LABEL_MANAGED: &str = "reconcile.external-secrets.io/managed";
/// Value of [`LABEL_MANAGED`].
pub const LABEL_MANAGED_VALUE: &str = "true";
/// Label of targets an ExternalSecret owns: hash of its namespace and name.
pub const LABEL_OWNER: &str = "reconcile.external-secrets.io/created-by";
/// Label of a GeneratorState: hash that names its owner.
pub const LABEL_GENERATOR_STATE_OWNER: &str = "generators.external-secrets.io/owner-key";
/// Label of CRDs and webhook configurations.
pub const LABEL_COMPONENT: &str = "external-secrets.io/component";
/// Value of [`LABEL_COMPONENT`] on CRDs.
pub const COMPONENT_CONTROLLER: &str = "controller";
/// Value of [`LABEL_COMPONENT`] on webhook configurations.
pub const COMPONENT_WEBHOOK: &str = "webhook";
/// Label that the API server puts on every namespace.
pub const LABEL_NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Annotation of targets: hash of the data we wrote.
pub const ANNOTATION_DATA_HASH: &str = "reconcile.external-secrets.io/data-hash";
/// Annotation that a ClusterExternalSecret passes on to its children.
pub const ANNOTATION_FORCE_SYNC: &str = "external-secrets.io/force-sync";
/// Annotation of stores: no maintenance events. Its presence counts, not its value.
pub const ANNOTATION_IGNORE_MAINTENANCE: &str = "external-secrets.io/ignore-maintenance-checks";
/// Annotation of stores: `"true"` releases the mass-deletion guard.
pub const ANNOTATION_ALLOW_MASS_DELETION: &str =
    "reconcile.external-secrets.io/allow-mass-deletion";
/// Annotation that keeps an object when its Helm release goes.
pub const ANNOTATION_RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// Finalizer of an ExternalSecret.
pub const FINALIZER_EXTERNAL_SECRET: &str =
    "externalsecrets.external-secrets.io/externalsecret-cleanup";
/// Finalizer of a ClusterExternalSecret.
pub const FINALIZER_CLUSTER_EXTERNAL_SECRET: &str =
    "externalsecrets.external-secrets.io/clusterexternalsecret-cleanup";
/// Finalizer of a PushSecret.
pub const FINALIZER_PUSH_SECRET: &str = "pushsecret.externalsecrets.io/finalizer";
/// Finalizer of a SecretStore or ClusterSecretStore.
pub const FINALIZER_STORE: &str = "secretstore.externalsecrets.io/finalizer";
/// Finalizer of a GeneratorState.
pub const FINALIZER_GENERATOR_STATE: &str = "generatorstate.externalsecrets.io/finalizer";

/// Label of a GeneratorState by which the states of its owner's entry are found.
pub const LABEL_GENERATOR_OWNER_KEY: &str = "generators.external-secrets.io/owner-key";

/// Field manager of every write but those of targets.
pub const FIELD_MANAGER: &str = "external-secrets";

/// Field manager under which an ExternalSecret's target is written.
///
/// Names that would make it longer than 63 bytes are replaced by their hash.
pub fn target_field_manager(external_secret: &str) -> String {
    const PREFIX: &str = "externalsecrets.external-secrets.io/";
    if PREFIX.len() + external_secret.len() <= 63 {
        return format!("{PREFIX}{external_secret}");
    }
    let mut manager = format!("{PREFIX}sha3/");
    for byte in Sha3_224::digest(external_secret.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(manager, "{byte:02x}");
    }
    manager
}

/// Finalizer that a ClusterExternalSecret puts on the namespaces it fills.
pub fn namespace_finalizer(cluster_external_secret: &str) -> String {
    format!("externalsecrets.external-secrets.io/ces-{cluster_external_secret}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_27_bytes_stand_in_the_field_manager() {
        let name = "a".repeat(27);

        assert_eq!(
            target_field_manager(&name),
            format!("externalsecrets.external-secrets.io/{name}")
        );
    }

    #[test]
    fn longer_names_are_hashed_in_the_field_manager() {
        // SHA3-224 of 28 times the letter a.
        assert_eq!(
            target_field_manager(&"a".repeat(28)),
            "externalsecrets.external-secrets.io/sha3/\
             52a6f48b37cd3535ef771a530c08d9cc4b78350ccdd33f2405e22ebb"
        );
    }

    #[test]
    fn namespace_finalizer_carries_the_name() {
        assert_eq!(
            namespace_finalizer("all"),
            "externalsecrets.external-secrets.io/ces-all"
        );
    }
}
