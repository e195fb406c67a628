//! The catalog that comes with a token: which services there are, and where. Knows both forms of it and
//! picks the public addresses of the key manager.

use lockstep_provider_api::prelude::*;
use serde::Deserialize;

const KEY_MANAGER: &str = "key-manager";

/// Services and their addresses.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Catalog(Vec<Service>);

#[derive(Debug, Deserialize)]
struct Service {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Endpoint {
    interface: String,
    region: Option<String>,
    region_id: Option<String>,
    url: String,
}

impl Catalog {
    /// The public addresses of the key manager in a region, or in all of them.
    pub(crate) fn key_managers(&self, region: &str) -> impl Iterator<Item = &str> {
        let services = self.0.iter().filter(|service| service.kind == KEY_MANAGER);
        let endpoints = services.flat_map(|service| &service.endpoints);
        let wanted = move |endpoint: &&Endpoint| {
            let names = [&endpoint.region, &endpoint.region_id];
            let there = names.into_iter().flatten().any(|name| name == region);
            endpoint.interface == "public" && (region.is_empty() || there)
        };
        endpoints
            .filter(wanted)
            .map(|endpoint| endpoint.url.as_str())
    }
}

/// The answer of Keystone's version 2.0.
#[derive(Deserialize)]
pub(crate) struct Version2 {
    access: Access,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Access {
    token: Token,
    #[serde(default)]
    service_catalog: Vec<Service2>,
}

#[derive(Deserialize)]
struct Token {
    id: String,
    #[serde(default)]
    expires: Option<String>,
}

#[derive(Deserialize)]
struct Service2 {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    endpoints: Vec<Endpoint2>,
}

#[derive(Deserialize)]
struct Endpoint2 {
    #[serde(default)]
    region: Option<String>,
    #[serde(rename = "publicURL", default)]
    public_url: String,
}

/// Token, its end, and the catalog of an answer of version 2.0.
pub(crate) fn version_2(answer: Version2) -> (SecretValue, Option<String>, Catalog) {
    let services = answer.access.service_catalog.into_iter();
    let endpoint = |endpoint: Endpoint2| Endpoint {
        interface: "public".to_owned(),
        region: endpoint.region,
        region_id: None,
        url: endpoint.public_url,
    };
    let services = services.map(|service| Service {
        kind: service.kind,
        endpoints: service.endpoints.into_iter().map(endpoint).collect(),
    });
    let token = answer.access.token;
    (
        SecretValue::from(token.id),
        token.expires,
        Catalog(services.collect()),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_public_address_in_the_region_is_taken() {
        let catalog: Catalog = serde_json::from_value(json!([
            {"type": "compute", "endpoints": [{"interface": "public", "region": "A", "url": "c"}]},
            {"type": "key-manager", "endpoints": [
                {"interface": "internal", "region": "A", "url": "i"},
                {"interface": "public", "region": "A", "url": "a"},
                {"interface": "public", "region_id": "B", "url": "b"},
            ]},
        ]))
        .unwrap();
        let of = |region| catalog.key_managers(region).collect::<Vec<_>>();

        assert_eq!(of("B"), ["b"]);
        assert_eq!(of(""), ["a", "b"]);
        assert!(of("C").is_empty());
    }

    #[test]
    fn a_catalog_of_version_2_names_public_addresses() {
        let answer = json!({"access": {
            "token": {"id": "t", "expires": "2099-01-01T00:00:00Z"},
            "serviceCatalog": [{"type": "key-manager", "endpoints": [{"region": "A", "publicURL": "a"}]}],
        }});

        let (token, expires, catalog) = version_2(serde_json::from_value(answer).unwrap());

        assert_eq!(token, "t".into());
        assert_eq!(expires.unwrap(), "2099-01-01T00:00:00Z");
        assert_eq!(catalog.key_managers("A").next(), Some("a"));
    }
}
