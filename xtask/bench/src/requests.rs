//! The API server's own count of requests (`apiserver_request_total`) for Secrets and both of our
//! API groups. The benchmark's own requests stay out by being made before the first or after the
//! last reading; its watches are only counted by the server when they end.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Result;
use lockstep_testkit::api::Api;

const GROUPS: [&str; 2] = ["external-secrets.io", "generators.external-secrets.io"];

/// Requests by resource and verb, for example `secrets POST`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests(pub(crate) BTreeMap<String, u64>);

impl Requests {
    /// Reads the counters now.
    pub(crate) fn read(admin: &Api) -> Result<Self> {
        Ok(Self::parse(&admin.text("/metrics")?))
    }

    /// What was added since an earlier reading.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let added = self.0.iter().map(|(key, count)| {
            let before = earlier.0.get(key).copied().unwrap_or_default();
            (key.clone(), count.saturating_sub(before))
        });
        Self(added.filter(|(_, count)| *count > 0).collect())
    }

    /// All of them.
    pub(crate) fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Those made for single ExternalSecrets and their Secrets: everything but lists, watches and
    /// what concerns stores.
    pub(crate) fn of_objects(&self) -> u64 {
        self.sum(|resource, verb| {
            let object = resource.starts_with("externalsecrets") || resource == "secrets";
            object && !matches!(verb, "LIST" | "WATCH")
        })
    }

    /// All but watches, which the server counts when it ends them after some minutes.
    pub(crate) fn single(&self) -> u64 {
        self.sum(|_, verb| verb != "WATCH")
    }

    /// Those that wrote something.
    pub(crate) fn writes(&self) -> u64 {
        self.sum(|_, verb| !matches!(verb, "GET" | "LIST" | "WATCH"))
    }

    fn sum(&self, counts: impl Fn(&str, &str) -> bool) -> u64 {
        let counted = self.0.iter().filter(|(key, _)| {
            key.split_once(' ')
                .is_some_and(|(resource, verb)| counts(resource, verb))
        });
        counted.map(|(_, count)| count).sum()
    }

    fn parse(text: &str) -> Self {
        let mut found = BTreeMap::new();
        for line in text.lines() {
            let Some(rest) = line.strip_prefix("apiserver_request_total{") else {
                continue;
            };
            let Some((labels, value)) = rest.rsplit_once("} ") else {
                continue;
            };
            let label = |name: &str| {
                let (_, after) = labels.split_once(&format!("{name}=\""))?;
                after.split('"').next()
            };
            let (group, resource) = (
                label("group").unwrap_or_default(),
                label("resource").unwrap_or_default(),
            );
            if !GROUPS.contains(&group) && (group, resource) != ("", "secrets") {
                continue;
            }
            let part = match label("subresource") {
                Some(sub) if !sub.is_empty() => format!("{resource}/{sub}"),
                _ => resource.to_owned(),
            };
            let key = format!("{part} {}", label("verb").unwrap_or_default());
            *found.entry(key).or_default() += whole(value);
        }
        Self(found)
    }
}

impl fmt::Display for Requests {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return out.write_str("none");
        }
        for (position, (key, count)) in self.0.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(out, "{comma}{count} {key}")?;
        }
        Ok(())
    }
}

/// Counters are printed as floating point numbers but count whole requests.
fn whole(value: &str) -> u64 {
    value.parse::<u64>().unwrap_or_else(|_| {
        let number = value.parse::<f64>().unwrap_or_default();
        format!("{number:.0}").parse().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
# TYPE apiserver_request_total counter
apiserver_request_total{code="201",dry_run="",group="",resource="secrets",scope="resource",subresource="",verb="POST",version="v1"} 1e+03
apiserver_request_total{code="409",dry_run="",group="",resource="secrets",scope="resource",subresource="",verb="POST",version="v1"} 2
apiserver_request_total{code="200",dry_run="",group="external-secrets.io",resource="externalsecrets",scope="resource",subresource="status",verb="PATCH",version="v1"} 7
apiserver_request_total{code="200",dry_run="",group="",resource="pods",scope="resource",subresource="",verb="LIST",version="v1"} 9
"#;

    #[test]
    fn only_secrets_and_our_groups_count() {
        let found = Requests::parse(TEXT);

        let want = [("secrets POST", 1002), ("externalsecrets/status PATCH", 7)];
        assert_eq!(
            found.0,
            want.map(|(key, count)| (key.to_owned(), count)).into()
        );
    }

    #[test]
    fn lists_and_stores_are_not_of_objects() {
        let counts = [
            ("secrets POST", 2),
            ("secrets LIST", 1),
            ("externalsecrets/status PATCH", 2),
            ("clustersecretstores/status PATCH", 1),
            ("secrets GET", 1),
        ];
        let found = Requests(counts.map(|(key, count)| (key.to_owned(), count)).into());

        assert_eq!(found.of_objects(), 5);
        assert_eq!(found.writes(), 5);
        assert_eq!(found.single(), 7);
    }

    #[test]
    fn what_was_there_before_is_subtracted() {
        let before = Requests::parse(TEXT);
        let mut after = before.clone();
        after.0.insert("secrets PUT".into(), 3);

        assert_eq!(after.since(&before).total(), 3);
    }

    #[test]
    fn requests_are_listed_by_resource_and_verb() {
        let counts = [("secrets LIST", 1), ("secrets GET", 5)];
        let found = Requests(counts.map(|(key, count)| (key.to_owned(), count)).into());

        assert_eq!(found.to_string(), "5 secrets GET, 1 secrets LIST");
        assert_eq!(Requests::default().to_string(), "none");
    }
}
