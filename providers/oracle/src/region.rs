//! Where the services of a region are: hosts are made of the region's name and the domain of its realm.
//! Regions that are not listed belong to the first realm, so that a new region needs no release.

/// Domain of the first realm.
const DOMAIN: &str = "oraclecloud.com";

/// Short names by which manifests and metadata servers call regions.
const SHORT: [(&str, &str); 80] = [
    ("yny", "ap-chuncheon-1"),
    ("hyd", "ap-hyderabad-1"),
    ("mel", "ap-melbourne-1"),
    ("bom", "ap-mumbai-1"),
    ("kix", "ap-osaka-1"),
    ("icn", "ap-seoul-1"),
    ("syd", "ap-sydney-1"),
    ("nrt", "ap-tokyo-1"),
    ("yul", "ca-montreal-1"),
    ("yyz", "ca-toronto-1"),
    ("ams", "eu-amsterdam-1"),
    ("fra", "eu-frankfurt-1"),
    ("zrh", "eu-zurich-1"),
    ("jed", "me-jeddah-1"),
    ("dxb", "me-dubai-1"),
    ("gru", "sa-saopaulo-1"),
    ("cwl", "uk-cardiff-1"),
    ("lhr", "uk-london-1"),
    ("iad", "us-ashburn-1"),
    ("phx", "us-phoenix-1"),
    ("sjc", "us-sanjose-1"),
    ("vcp", "sa-vinhedo-1"),
    ("scl", "sa-santiago-1"),
    ("mtz", "il-jerusalem-1"),
    ("mrs", "eu-marseille-1"),
    ("sin", "ap-singapore-1"),
    ("auh", "me-abudhabi-1"),
    ("lin", "eu-milan-1"),
    ("arn", "eu-stockholm-1"),
    ("jnb", "af-johannesburg-1"),
    ("cdg", "eu-paris-1"),
    ("qro", "mx-queretaro-1"),
    ("mad", "eu-madrid-1"),
    ("ord", "us-chicago-1"),
    ("mty", "mx-monterrey-1"),
    ("aga", "us-saltlake-2"),
    ("bog", "sa-bogota-1"),
    ("vap", "sa-valparaiso-1"),
    ("xsp", "ap-singapore-2"),
    ("ruh", "me-riyadh-1"),
    ("onm", "ap-delhi-1"),
    ("hsg", "ap-batam-1"),
    ("orf", "eu-madrid-3"),
    ("lfi", "us-langley-1"),
    ("luf", "us-luke-1"),
    ("ric", "us-gov-ashburn-1"),
    ("pia", "us-gov-chicago-1"),
    ("tus", "us-gov-phoenix-1"),
    ("ltn", "uk-gov-london-1"),
    ("brs", "uk-gov-cardiff-1"),
    ("nja", "ap-chiyoda-1"),
    ("ukb", "ap-ibaraki-1"),
    ("mct", "me-dcc-muscat-1"),
    ("ibr", "me-ibri-1"),
    ("wga", "ap-dcc-canberra-1"),
    ("bgy", "eu-dcc-milan-1"),
    ("mxp", "eu-dcc-milan-2"),
    ("snn", "eu-dcc-dublin-2"),
    ("dtm", "eu-dcc-rating-2"),
    ("dus", "eu-dcc-rating-1"),
    ("ork", "eu-dcc-dublin-1"),
    ("dac", "ap-dcc-gazipur-1"),
    ("vll", "eu-madrid-2"),
    ("str", "eu-frankfurt-2"),
    ("beg", "eu-jovanovac-1"),
    ("doh", "me-dcc-doha-1"),
    ("ebb", "us-somerset-1"),
    ("ebl", "us-thames-1"),
    ("avz", "eu-dcc-zurich-1"),
    ("avf", "eu-crissier-1"),
    ("ahu", "me-abudhabi-3"),
    ("rba", "me-alain-1"),
    ("rkt", "me-abudhabi-2"),
    ("shj", "me-abudhabi-4"),
    ("dtz", "ap-seoul-2"),
    ("dln", "ap-suwon-1"),
    ("bno", "ap-chuncheon-2"),
    ("yxj", "us-ashburn-2"),
    ("pgc", "us-newark-1"),
    ("jsk", "eu-budapest-1"),
];

/// Domains of the regions outside of the first realm.
const DOMAINS: [(&str, &[&str]); 17] = [
    (
        "oraclegovcloud.com",
        &[
            "us-langley-1",
            "us-luke-1",
            "us-gov-ashburn-1",
            "us-gov-chicago-1",
            "us-gov-phoenix-1",
        ],
    ),
    (
        "oraclegovcloud.uk",
        &["uk-gov-london-1", "uk-gov-cardiff-1"],
    ),
    ("oraclecloud8.com", &["ap-chiyoda-1", "ap-ibaraki-1"]),
    ("oraclecloud9.com", &["me-dcc-muscat-1", "me-ibri-1"]),
    ("oraclecloud10.com", &["ap-dcc-canberra-1"]),
    (
        "oraclecloud14.com",
        &[
            "eu-dcc-milan-1",
            "eu-dcc-milan-2",
            "eu-dcc-dublin-1",
            "eu-dcc-dublin-2",
            "eu-dcc-rating-1",
            "eu-dcc-rating-2",
        ],
    ),
    ("oraclecloud15.com", &["ap-dcc-gazipur-1"]),
    ("oraclecloud.eu", &["eu-madrid-2", "eu-frankfurt-2"]),
    ("oraclecloud20.com", &["eu-jovanovac-1"]),
    ("oraclecloud21.com", &["me-dcc-doha-1"]),
    ("oraclecloud23.com", &["us-somerset-1", "us-thames-1"]),
    ("oraclecloud24.com", &["eu-dcc-zurich-1", "eu-crissier-1"]),
    ("oraclecloud26.com", &["me-abudhabi-3", "me-alain-1"]),
    ("oraclecloud29.com", &["me-abudhabi-2", "me-abudhabi-4"]),
    (
        "oraclecloud35.com",
        &["ap-seoul-2", "ap-suwon-1", "ap-chuncheon-2"],
    ),
    ("oraclecloud42.com", &["us-ashburn-2", "us-newark-1"]),
    ("oraclecloud51.com", &["eu-budapest-1"]),
];

/// A region with the domain of its realm.
pub(crate) struct Region {
    name: String,
    /// Empty for a name that has its domain in itself.
    domain: &'static str,
}

impl Region {
    /// A region by its name or its short name.
    pub(crate) fn new(text: &str) -> Self {
        let lower = text.trim().to_ascii_lowercase();
        if lower.contains('.') {
            return Self {
                name: lower,
                domain: "",
            };
        }
        let long = SHORT.iter().find(|(short, _)| *short == lower);
        let name = long.map_or(lower.as_str(), |(_, name)| name);
        let known = DOMAINS.iter().find(|(_, regions)| regions.contains(&name));
        Self {
            name: name.to_owned(),
            domain: known.map_or(DOMAIN, |(domain, _)| domain),
        }
    }

    /// Where secrets are read.
    pub(crate) fn secrets(&self) -> String {
        self.host("secrets", "secrets.vaults", "oci.")
    }

    /// Where secrets are listed and written.
    pub(crate) fn vaults(&self) -> String {
        self.host("vaults", "vaults", "oci.")
    }

    /// Where vaults are looked up.
    pub(crate) fn kms(&self) -> String {
        self.host("kms", "kms", "")
    }

    /// Where an instance exchanges its certificate for a token.
    pub(crate) fn auth(&self) -> String {
        self.host("auth", "auth", "")
    }

    fn host(&self, short: &str, service: &str, before: &str) -> String {
        let Self { name, domain } = self;
        if domain.is_empty() {
            return format!("https://{short}.{name}");
        }
        format!("https://{service}.{name}.{before}{domain}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_made_of_the_region_and_the_domain_of_its_realm() {
        let ashburn = Region::new("us-ashburn-1");
        let london = Region::new("ltn");
        let new = Region::new("xx-new-1");

        assert_eq!(
            ashburn.secrets(),
            "https://secrets.vaults.us-ashburn-1.oci.oraclecloud.com"
        );
        assert_eq!(
            ashburn.vaults(),
            "https://vaults.us-ashburn-1.oci.oraclecloud.com"
        );
        assert_eq!(ashburn.kms(), "https://kms.us-ashburn-1.oraclecloud.com");
        assert_eq!(
            london.auth(),
            "https://auth.uk-gov-london-1.oraclegovcloud.uk"
        );
        assert_eq!(new.kms(), "https://kms.xx-new-1.oraclecloud.com");
    }

    #[test]
    fn short_names_stand_for_the_long_ones() {
        for short in ["iad", "IAD", "us-ashburn-1"] {
            assert_eq!(Region::new(short).name, "us-ashburn-1");
        }
        assert_eq!(
            Region::new("jsk").kms(),
            "https://kms.eu-budapest-1.oraclecloud51.com"
        );
    }

    #[test]
    fn a_name_with_a_domain_is_taken_as_it_is() {
        let dedicated = Region::new("r1.cloud.example");

        assert_eq!(dedicated.secrets(), "https://secrets.r1.cloud.example");
        assert_eq!(dedicated.vaults(), "https://vaults.r1.cloud.example");
    }
}
