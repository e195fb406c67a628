//! Finds the controllers in a cluster: Deployments of the original and of Lockstep, and who holds their
//! lease. The original is whatever runs an image of External Secrets that is not ours.

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use lockstep_runtime::api_object::list_all;
use lockstep_toolbox::cluster::failure;

use crate::deployment::{Container, Deployment};

/// Name of the lease, unless a flag changes it.
const LEASE: &str = "external-secrets-controller";
/// The label by which the chart's Deployments are found whatever their image is called.
const NAME_LABEL: &str = "app.kubernetes.io/name";
/// Value of that label on the controller.
const CONTROLLER: &str = "external-secrets";

/// A Deployment of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) image: String,
    /// Replicas it wants.
    pub(crate) wanted: i32,
    /// Pods it has.
    pub(crate) pods: i32,
}

/// Where the original publishes its image.
const ORIGINALS: [&str; 2] = [
    "ghcr.io/external-secrets/external-secrets",
    "oci.external-secrets.io/external-secrets/external-secrets",
];

impl Running {
    /// Whether its image is one that the original publishes.
    pub(crate) fn is_original(&self) -> bool {
        let image = self.image.split('@').next().unwrap_or_default();
        let image = match image.rsplit_once(':') {
            Some((image, tag)) if !tag.contains('/') => image,
            _ => image,
        };
        ORIGINALS.contains(&image)
    }

    /// Whether it runs, or will.
    pub(crate) fn is_awake(&self) -> bool {
        self.wanted > 0 || self.pods > 0
    }
}

/// A lease that somebody holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) holder: String,
    pub(crate) until: Timestamp,
}

/// The controllers of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Operators {
    pub(crate) original: Vec<Running>,
    pub(crate) lockstep: Vec<Running>,
    pub(crate) leases: Vec<Held>,
    /// Every Deployment of the cluster, as `namespace/name`.
    pub(crate) deployments: Vec<String>,
}

impl Operators {
    /// The Deployment of Lockstep that was named.
    pub(crate) fn named(&self, (namespace, name): (&str, &str)) -> Option<&Running> {
        let mut all = self.lockstep.iter();
        all.find(|one| one.namespace == namespace && one.name == name)
    }
}

/// Looks for the controllers. `ours` is the Deployment of Lockstep, where its image does not say so.
pub(crate) async fn find(
    client: &Client,
    ours: Option<(&str, &str)>,
    now: Timestamp,
) -> Result<Operators> {
    let deployments: Vec<Deployment> = list_all(client, None)
        .await
        .map_err(|error| failure("list deployments", &error))?;
    let leases: Vec<Lease> = list_all(client, None)
        .await
        .map_err(|error| failure("list leases", &error))?;
    let mut found = sorted(&deployments, ours);
    found.leases = leases.iter().filter_map(|lease| held(lease, now)).collect();
    Ok(found)
}

/// The controllers among Deployments.
fn sorted(deployments: &[Deployment], ours: Option<(&str, &str)>) -> Operators {
    let mut found = Operators::default();
    for deployment in deployments {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let namespace = text(&deployment.metadata.namespace);
        let name = text(&deployment.metadata.name);
        found.deployments.push(format!("{namespace}/{name}"));
        let named = ours == Some((namespace.as_str(), name.as_str()));
        let image = if named {
            containers(deployment).find_map(|one| one.image.clone())
        } else {
            image(deployment)
        };
        let Some(image) = image else {
            continue;
        };
        let status = deployment.status.as_ref();
        let one = Running {
            namespace,
            name,
            wanted: deployment
                .spec
                .as_ref()
                .map_or(0, |spec| spec.replicas.unwrap_or(1)),
            pods: status.and_then(|status| status.replicas).unwrap_or(0),
            image,
        };
        if named || one.image.contains("lockstep") {
            found.lockstep.push(one);
        } else {
            found.original.push(one);
        }
    }
    found
}

/// The image of a controller; nothing for Deployments of something else, webhooks included.
fn image(deployment: &Deployment) -> Option<String> {
    let labels = deployment.metadata.labels.as_ref();
    let label = labels.and_then(|labels| labels.get(NAME_LABEL));
    let mut controllers = containers(deployment).filter(|container| {
        let words = container.args.iter().chain(&container.command).flatten();
        let mut words = words.map(String::as_str);
        !words.any(|word| matches!(word, "webhook" | "certcontroller"))
    });
    let is_meant = |image: &str| {
        let name = image.rsplit('/').next().unwrap_or(image);
        let name = name.split([':', '@']).next().unwrap_or(name);
        label.is_some_and(|label| label == CONTROLLER)
            || name == "external-secrets"
            || name.contains("lockstep")
    };
    let images = controllers.find_map(|container| container.image.clone());
    images.filter(|image| is_meant(image))
}

fn containers(deployment: &Deployment) -> impl Iterator<Item = &Container> {
    let spec = deployment.spec.as_ref();
    let pod = spec.and_then(|spec| spec.template.spec.as_ref());
    pod.into_iter().flat_map(|pod| &pod.containers)
}

fn held(lease: &Lease, now: Timestamp) -> Option<Held> {
    let name = lease.metadata.name.clone().filter(|name| name == LEASE)?;
    let spec = lease.spec.as_ref()?;
    let holder = spec.holder_identity.clone().filter(|who| !who.is_empty())?;
    let renewed = spec.renew_time.as_ref()?.0;
    let lasts = SignedDuration::from_secs(spec.lease_duration_seconds?.into());
    let until = renewed.saturating_add(lasts).ok()?;
    (until > now).then(|| Held {
        namespace: lease.metadata.namespace.clone().unwrap_or_default(),
        name,
        holder,
        until,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(name: &str, label: &str, image: &str, args: &[&str]) -> Deployment {
        serde_json::from_value(json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {
                "name": name, "namespace": "es", "labels": {"app.kubernetes.io/name": label},
            },
            "spec": {
                "replicas": 1, "selector": {},
                "template": {"spec": {"containers": [{"name": "c", "image": image, "args": args}]}},
            },
        }))
        .unwrap()
    }

    fn names(found: &[Running]) -> Vec<&str> {
        found.iter().map(|one| one.name.as_str()).collect()
    }

    #[test]
    fn controllers_are_told_apart_by_their_image_and_webhooks_are_left_out() {
        let deployments = [
            deployment(
                "a",
                "external-secrets",
                "mirror.local/eso:1",
                &["--concurrent=1"],
            ),
            deployment(
                "b",
                "x",
                "ghcr.io/external-secrets/external-secrets:v2.9.0",
                &[],
            ),
            deployment(
                "hook",
                "external-secrets-webhook",
                "ghcr.io/x/external-secrets:1",
                &["webhook"],
            ),
            deployment("c", "external-secrets", "registry/lockstep:2.9.0", &[]),
            deployment("other", "web", "nginx:1", &[]),
        ];

        let found = sorted(&deployments, None);

        assert_eq!(names(&found.original), ["a", "b"]);
        assert_eq!(names(&found.lockstep), ["c"]);
    }

    #[test]
    fn a_deployment_that_is_named_is_ours_whatever_its_image() {
        let deployments = [deployment(
            "a",
            "external-secrets",
            "mirror.local/secrets:1",
            &[],
        )];

        let found = sorted(&deployments, Some(("es", "a")));

        assert_eq!(names(&found.lockstep), ["a"]);
        assert_eq!(names(&found.original), [] as [&str; 0]);
        assert!(
            found
                .named(("es", "a"))
                .is_some_and(|one| !one.is_original())
        );
    }

    #[test]
    fn the_originals_own_image_is_known_with_any_tag() {
        let image = "ghcr.io/external-secrets/external-secrets";
        for image in [
            image,
            &format!("{image}:v2.9.0"),
            &format!("{image}@sha256:0"),
        ] {
            let deployments = [deployment("a", "x", image, &[])];
            let found = sorted(&deployments, Some(("es", "a")));
            assert!(found.named(("es", "a")).is_some_and(Running::is_original));
        }
    }

    #[test]
    fn a_lease_counts_until_it_ends() {
        let lease: Lease = serde_json::from_value(json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": LEASE, "namespace": "es"},
            "spec": {
                "holderIdentity": "pod_1", "leaseDurationSeconds": 15,
                "renewTime": "2026-01-01T00:00:00.000000Z",
            },
        }))
        .unwrap();
        let at = |second: i64| {
            let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
            start + SignedDuration::from_secs(second)
        };

        assert!(held(&lease, at(14)).is_some());
        assert!(held(&lease, at(15)).is_none());
    }
}
