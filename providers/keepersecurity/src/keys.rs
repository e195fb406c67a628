//! The public keys of Keeper's servers, which every request is encrypted to. They are built in, so that
//! who answers in Keeper's place learns nothing.

/// Public keys of a server by their ids.
pub trait ServerKeys: Send + Sync + 'static {
    /// A point on P-256 in base64; `None` for an id that is not known.
    fn key(id: &str) -> Option<&'static str>;
}

/// The keys of Keeper.
pub struct PinnedKeys;

/// The key for configurations that name none, or one that is not known.
pub(crate) const DEFAULT_ID: &str = "10";

impl ServerKeys for PinnedKeys {
    fn key(id: &str) -> Option<&'static str> {
        let number: usize = id.parse().ok()?;
        let key = KEYS.get(number.checked_sub(FIRST)?)?;
        // One spelling a key: what is sent to the server is what is looked up.
        (id == number.to_string()).then_some(*key)
    }
}

const FIRST: usize = 7;
const KEYS: [&str; 11] = [
    "BK9w6TZFxE6nFNbMfIpULCup2a8xc6w2tUTABjxny7yFmxW0dAEojwC6j6zb5nTlmb1dAx8nwo3qF7RPYGmloRM",
    "BKnhy0obglZJK-igwthNLdknoSXRrGB-mvFRzyb_L-DKKefWjYdFD2888qN1ROczz4n3keYSfKz9Koj90Z6w_tQ",
    "BAsPQdCpLIGXdWNLdAwx-3J5lNqUtKbaOMV56hUj8VzxE2USLHuHHuKDeno0ymJt-acxWV1xPlBfNUShhRTR77g",
    "BNYIh_Sv03nRZUUJveE8d2mxKLIDXv654UbshaItHrCJhd6cT7pdZ_XwbdyxAOCWMkBb9AZ4t1XRCsM8-wkEBRg",
    "BA6uNfeYSvqagwu4TOY6wFK4JyU5C200vJna0lH4PJ-SzGVXej8l9dElyQ58_ljfPs5Rq6zVVXpdDe8A7Y3WRhk",
    "BMjTIlXfohI8TDymsHxo0DqYysCy7yZGJ80WhgOBR4QUd6LBDA6-_318a-jCGW96zxXKMm8clDTKpE8w75KG-FY",
    "BJBDU1P1H21IwIdT2brKkPqbQR0Zl0TIHf7Bz_OO9jaNgIwydMkxt4GpBmkYoprZ_DHUGOrno2faB7pmTR7HhuI",
    "BJFF8j-dH7pDEw_U347w2CBM6xYM8Dk5fPPAktjib-opOqzvvbsER-WDHM4ONCSBf9O_obAHzCyygxmtpktDuiE",
    "BDKyWBvLbyZ-jMueORl3JwJnnEpCiZdN7yUvT0vOyjwpPBCDf6zfL4RWzvSkhAAFnwOni_1tQSl8dfXHbXqXsQ8",
    "BDXyZZnrl0tc2jdC5I61JjwkjK2kr7uet9tZjt8StTiJTAQQmnVOYBgbtP08PWDbecxnHghx3kJ8QXq1XE68y8c",
    "BFX68cb97m9_sweGdOVavFM3j5ot6gveg6xT4BtGahfGhKib-zdZyO9pwvv1cBda9ahkSzo1BQ4NVXp9qRyqVGU",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::{decode, seal_to};

    #[test]
    fn every_pinned_key_is_a_point_that_can_be_encrypted_to() {
        for id in 7..=17 {
            let key = PinnedKeys::key(&id.to_string()).unwrap();
            let point = decode(key).unwrap();
            assert!(seal_to(&point, b"x").is_some(), "{id}");
        }
        for id in ["", "6", "18", "07", "-7", "x"] {
            assert!(PinnedKeys::key(id).is_none(), "{id}");
        }
    }
}
