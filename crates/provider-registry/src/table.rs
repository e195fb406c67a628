//! The static table. `cargo xtask generate` writes the lines between the markers: one for each
//! folder in `providers/`, in the order of their names.

use lockstep_provider_api::Entry;

pub(crate) static TABLE: &[Entry] = &[
    // generated: begin
    #[cfg(feature = "akeyless")]
    Entry::of::<lockstep_provider_akeyless::Akeyless>(),
    #[cfg(feature = "aws")]
    Entry::of::<lockstep_provider_aws::Aws>(),
    #[cfg(feature = "azurekv")]
    Entry::of::<lockstep_provider_azurekv::Azurekv>(),
    #[cfg(feature = "barbican")]
    Entry::of::<lockstep_provider_barbican::Barbican>(),
    #[cfg(feature = "beyondtrust")]
    Entry::of::<lockstep_provider_beyondtrust::Beyondtrust>(),
    #[cfg(feature = "beyondtrustworkloadcredentials")]
    Entry::of::<lockstep_provider_beyondtrustworkloadcredentials::Beyondtrustworkloadcredentials>(),
    #[cfg(feature = "bitwardensecretsmanager")]
    Entry::of::<lockstep_provider_bitwardensecretsmanager::Bitwarden>(),
    #[cfg(feature = "chef")]
    Entry::of::<lockstep_provider_chef::Chef>(),
    #[cfg(feature = "cloudrusm")]
    Entry::of::<lockstep_provider_cloudrusm::Cloudrusm>(),
    #[cfg(feature = "conjur")]
    Entry::of::<lockstep_provider_conjur::Conjur>(),
    #[cfg(feature = "crd")]
    Entry::of::<lockstep_provider_crd::Crd>(),
    #[cfg(feature = "delinea")]
    Entry::of::<lockstep_provider_delinea::Delinea>(),
    #[cfg(feature = "doppler")]
    Entry::of::<lockstep_provider_doppler::Doppler>(),
    #[cfg(feature = "dvls")]
    Entry::of::<lockstep_provider_dvls::Dvls>(),
    #[cfg(feature = "fake")]
    Entry::of::<lockstep_provider_fake::Fake>(),
    #[cfg(feature = "fortanix")]
    Entry::of::<lockstep_provider_fortanix::Fortanix>(),
    #[cfg(feature = "gcpsm")]
    Entry::of::<lockstep_provider_gcpsm::Gcpsm>(),
    #[cfg(feature = "github")]
    Entry::of::<lockstep_provider_github::Github>(),
    #[cfg(feature = "gitlab")]
    Entry::of::<lockstep_provider_gitlab::Gitlab>(),
    #[cfg(feature = "ibm")]
    Entry::of::<lockstep_provider_ibm::Ibm>(),
    #[cfg(feature = "infisical")]
    Entry::of::<lockstep_provider_infisical::Infisical>(),
    #[cfg(feature = "keepersecurity")]
    Entry::of::<lockstep_provider_keepersecurity::Keepersecurity>(),
    #[cfg(feature = "kubernetes")]
    Entry::of::<lockstep_provider_kubernetes::Kubernetes>(),
    #[cfg(feature = "nebiusmysterybox")]
    Entry::of::<lockstep_provider_nebiusmysterybox::Nebiusmysterybox>(),
    #[cfg(feature = "ngrok")]
    Entry::of::<lockstep_provider_ngrok::Ngrok>(),
    #[cfg(feature = "onboardbase")]
    Entry::of::<lockstep_provider_onboardbase::Onboardbase>(),
    #[cfg(feature = "onepassword")]
    Entry::of::<lockstep_provider_onepassword::Onepassword>(),
    #[cfg(feature = "openbao")]
    Entry::of::<lockstep_provider_openbao::OpenBao>(),
    #[cfg(feature = "oracle")]
    Entry::of::<lockstep_provider_oracle::Oracle>(),
    #[cfg(feature = "ovh")]
    Entry::of::<lockstep_provider_ovh::Ovh>(),
    #[cfg(feature = "passbolt")]
    Entry::of::<lockstep_provider_passbolt::Passbolt>(),
    #[cfg(feature = "passworddepot")]
    Entry::of::<lockstep_provider_passworddepot::Passworddepot>(),
    #[cfg(feature = "previder")]
    Entry::of::<lockstep_provider_previder::Previder>(),
    #[cfg(feature = "pulumi")]
    Entry::of::<lockstep_provider_pulumi::Pulumi>(),
    #[cfg(feature = "scaleway")]
    Entry::of::<lockstep_provider_scaleway::Scaleway>(),
    #[cfg(feature = "secretserver")]
    Entry::of::<lockstep_provider_secretserver::Secretserver>(),
    #[cfg(feature = "senhasegura")]
    Entry::of::<lockstep_provider_senhasegura::Senhasegura>(),
    #[cfg(feature = "vault")]
    Entry::of::<lockstep_provider_vault::Vault>(),
    #[cfg(feature = "volcengine")]
    Entry::of::<lockstep_provider_volcengine::Volcengine>(),
    #[cfg(feature = "webhook")]
    Entry::of::<lockstep_provider_webhook::Webhook>(),
    #[cfg(feature = "yandexcertificatemanager")]
    Entry::of::<lockstep_provider_yandexcertificatemanager::Yandexcertificatemanager>(),
    #[cfg(feature = "yandexlockbox")]
    Entry::of::<lockstep_provider_yandexlockbox::Yandexlockbox>(),
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
