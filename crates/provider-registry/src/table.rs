//! The static table. `cargo xtask generate` writes the lines between the markers: one for each
//! folder in `providers/`, in the order of their names.

use lockstep_provider_api::Entry;

pub(crate) static TABLE: &[Entry] = &[
    // generated: begin
    #[cfg(feature = "aws")]
    Entry::of::<lockstep_provider_aws::Aws>(),
    #[cfg(feature = "azurekv")]
    Entry::of::<lockstep_provider_azurekv::Azurekv>(),
    #[cfg(feature = "bitwardensecretsmanager")]
    Entry::of::<lockstep_provider_bitwardensecretsmanager::Bitwarden>(),
    #[cfg(feature = "conjur")]
    Entry::of::<lockstep_provider_conjur::Conjur>(),
    #[cfg(feature = "crd")]
    Entry::of::<lockstep_provider_crd::Crd>(),
    #[cfg(feature = "delinea")]
    Entry::of::<lockstep_provider_delinea::Delinea>(),
    #[cfg(feature = "doppler")]
    Entry::of::<lockstep_provider_doppler::Doppler>(),
    #[cfg(feature = "fake")]
    Entry::of::<lockstep_provider_fake::Fake>(),
    #[cfg(feature = "gcpsm")]
    Entry::of::<lockstep_provider_gcpsm::Gcpsm>(),
    #[cfg(feature = "gitlab")]
    Entry::of::<lockstep_provider_gitlab::Gitlab>(),
    #[cfg(feature = "infisical")]
    Entry::of::<lockstep_provider_infisical::Infisical>(),
    #[cfg(feature = "kubernetes")]
    Entry::of::<lockstep_provider_kubernetes::Kubernetes>(),
    #[cfg(feature = "onepassword")]
    Entry::of::<lockstep_provider_onepassword::Onepassword>(),
    #[cfg(feature = "openbao")]
    Entry::of::<lockstep_provider_openbao::OpenBao>(),
    #[cfg(feature = "ovh")]
    Entry::of::<lockstep_provider_ovh::Ovh>(),
    #[cfg(feature = "pulumi")]
    Entry::of::<lockstep_provider_pulumi::Pulumi>(),
    #[cfg(feature = "scaleway")]
    Entry::of::<lockstep_provider_scaleway::Scaleway>(),
    #[cfg(feature = "vault")]
    Entry::of::<lockstep_provider_vault::Vault>(),
    #[cfg(feature = "webhook")]
    Entry::of::<lockstep_provider_webhook::Webhook>(),
    // generated: end
];

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn no_two_rows_have_one_name() {
        for entry in TABLE {
            let rows = TABLE.iter().filter(|other| other.name() == entry.name());
            assert_eq!(rows.count(), 1, "{}", entry.name());
        }
    }
}
