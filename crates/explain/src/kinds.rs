//! The kinds that can be explained, under the names kubectl takes for them: kind, singular, plural and
//! short name, in any case.

use kube::core::{ApiResource, GroupVersionKind};
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::suggest::closest;

/// A kind of object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// ExternalSecret.
    ExternalSecret,
    /// SecretStore.
    SecretStore,
    /// ClusterSecretStore.
    ClusterSecretStore,
    /// PushSecret.
    PushSecret,
    /// ClusterExternalSecret.
    ClusterExternalSecret,
    /// ClusterPushSecret.
    ClusterPushSecret,
    /// A generator of this kind.
    Generator(String),
}

/// Kinds that are no generators, with their short names.
const FIXED: [(Kind, &str); 6] = [
    (Kind::ExternalSecret, "es"),
    (Kind::SecretStore, "ss"),
    (Kind::ClusterSecretStore, "css"),
    (Kind::PushSecret, "ps"),
    (Kind::ClusterExternalSecret, "ces"),
    (Kind::ClusterPushSecret, "cps"),
];

impl Kind {
    /// The kind that somebody wrote.
    pub fn parse(written: &str) -> anyhow::Result<Self> {
        let wanted = written.to_lowercase();
        // `externalsecrets.external-secrets.io`, as kubectl prints it.
        let wanted = wanted.split('.').next().unwrap_or_default();
        let known = Self::all();
        let found = known.iter().find(|(kind, short)| {
            kind.plural() == wanted || kind.singular() == wanted || *short == wanted
        });
        if let Some((kind, _)) = found {
            return Ok(kind.clone());
        }
        let names: Vec<String> = known.iter().map(|(kind, _)| kind.singular()).collect();
        let near = closest(wanted, names.iter().map(String::as_str));
        let hint = near.map_or_else(
            || format!("use one of: {}", names.join(", ")),
            |near| format!("did you mean {near}?"),
        );
        Err(Failure::usage(format!("unknown kind {written:?}; {hint}")))
    }

    fn all() -> Vec<(Self, &'static str)> {
        let generators = lockstep_generators::kinds()
            .map(|entry| entry.kind().to_owned())
            .chain([lockstep_generators::CLUSTER_KIND.to_owned()]);
        let generators = generators.map(|kind| (Self::Generator(kind), ""));
        FIXED.into_iter().chain(generators).collect()
    }

    /// The kind as manifests spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ExternalSecret => "ExternalSecret",
            Self::SecretStore => "SecretStore",
            Self::ClusterSecretStore => "ClusterSecretStore",
            Self::PushSecret => "PushSecret",
            Self::ClusterExternalSecret => "ClusterExternalSecret",
            Self::ClusterPushSecret => "ClusterPushSecret",
            Self::Generator(kind) => kind,
        }
    }

    /// Whether objects of this kind have a namespace.
    pub fn is_namespaced(&self) -> bool {
        !self.as_str().starts_with("Cluster")
    }

    /// The resource at the API server.
    pub fn resource(&self) -> ApiResource {
        let (group, version) = match self {
            Self::PushSecret | Self::ClusterPushSecret => ("external-secrets.io", "v1alpha1"),
            Self::Generator(_) => ("generators.external-secrets.io", "v1alpha1"),
            _ => ("external-secrets.io", "v1"),
        };
        let gvk = GroupVersionKind::gvk(group, version, self.as_str());
        ApiResource::from_gvk_with_plural(&gvk, &self.plural())
    }

    fn singular(&self) -> String {
        self.as_str().to_lowercase()
    }

    /// The name of the resource.
    pub fn plural(&self) -> String {
        format!("{}s", self.singular())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_kubectl_takes_is_known() {
        for written in [
            "es",
            "externalsecret",
            "ExternalSecrets",
            "externalsecrets.external-secrets.io",
        ] {
            assert_eq!(Kind::parse(written).unwrap(), Kind::ExternalSecret);
        }
        assert_eq!(Kind::parse("css").unwrap(), Kind::ClusterSecretStore);
        assert_eq!(
            Kind::parse("password").unwrap(),
            Kind::Generator("Password".to_owned())
        );
    }

    #[test]
    fn a_slip_gets_a_suggestion() {
        let text = Kind::parse("externalsecrt").unwrap_err().to_string();

        assert_eq!(
            text,
            "unknown kind \"externalsecrt\"; did you mean externalsecret?"
        );
    }
}
