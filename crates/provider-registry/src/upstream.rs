//! The keys `spec.provider` may have in the API this program is a drop-in for. They tell a typing
//! mistake from a provider that was left out of the build.

/// All keys in byte order.
pub(crate) const NAMES: [&str; 43] = [
    "akeyless",
    "aws",
    "azurekv",
    "barbican",
    "beyondtrust",
    "beyondtrustworkloadcredentials",
    "bitwardensecretsmanager",
    "chef",
    "cloudrusm",
    "conjur",
    "crd",
    "delinea",
    "doppler",
    "dvls",
    "fake",
    "fortanix",
    "gcpsm",
    "github",
    "gitlab",
    "ibm",
    "infisical",
    "keepersecurity",
    "kubernetes",
    "nebiusmysterybox",
    "ngrok",
    "onboardbase",
    "onepassword",
    "onepasswordSDK",
    "openBao",
    "oracle",
    "ovh",
    "passbolt",
    "passworddepot",
    "previder",
    "pulumi",
    "scaleway",
    "secretserver",
    "senhasegura",
    "vault",
    "volcengine",
    "webhook",
    "yandexcertificatemanager",
    "yandexlockbox",
];

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_names_are_sorted_and_different() {
        assert!(NAMES.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
