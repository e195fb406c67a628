//! What an operator finds when it starts: namespaces, a store and the objects, created by a few
//! parallel workers. No kube-controller-manager runs, because its garbage collector would look
//! owners up and blur the count of requests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::scope;

use anyhow::{Context, Result, anyhow};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::progress::{Step, say};
use serde_json::json;

/// How many namespaces the objects are spread over.
pub(crate) const NAMESPACES: u32 = 100;
const STORE: &str = "bench";
const WORKERS: usize = 8;
const GROUP: &str = "/apis/external-secrets.io/v1";

/// A cluster with everything in place and no operator.
pub(crate) struct Fixture {
    /// The control plane; ends with the fixture.
    pub(crate) plane: ControlPlane,
    /// A client with all rights.
    pub(crate) admin: Api,
}

impl Fixture {
    /// Starts a cluster and creates `objects` ExternalSecrets.
    pub(crate) fn make(objects: u32) -> Result<Self> {
        say("starting a control plane");
        let plane = ControlPlane::start_bare()?;
        plane.install_crds()?;
        let admin = plane.admin()?;
        admin.apply(&json!({
            "apiVersion": "external-secrets.io/v1",
            "kind": "ClusterSecretStore",
            "metadata": {"name": STORE},
            "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "8 bytes!"}]}}},
        }))?;
        let step = Step::begin(
            format!("creating {objects} ExternalSecrets"),
            "2 s a thousand",
        );
        parallel(WORKERS, NAMESPACES, |number| {
            let metadata = json!({"name": namespace(number)});
            admin
                .post("/api/v1/namespaces", &json!({"metadata": metadata}))
                .map(drop)
        })?;
        parallel(WORKERS, objects, |number| create(&admin, number).map(drop))?;
        step.done("cluster prepared");
        Ok(Self { plane, admin })
    }

    /// The cluster behind the fixture.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.plane
    }
}

/// Creates the ExternalSecret with this number and returns its name.
pub(crate) fn create(admin: &Api, number: u32) -> Result<String> {
    let name = object(number);
    let manifest = json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": STORE, "kind": "ClusterSecretStore"},
            "data": [{"secretKey": "value", "remoteRef": {"key": "k"}}],
        },
    });
    admin.post(
        &format!("{GROUP}/namespaces/{}/externalsecrets", namespace(number)),
        &manifest,
    )?;
    Ok(name)
}

/// The namespace of the object with this number.
pub(crate) fn namespace(number: u32) -> String {
    format!("bench-{:03}", number % NAMESPACES)
}

/// The name of the object with this number, unique over all namespaces.
pub(crate) fn object(number: u32) -> String {
    format!("es-{number:06}")
}

/// The path of the object with this number.
pub(crate) fn path(number: u32) -> String {
    format!(
        "{GROUP}/namespaces/{}/externalsecrets/{}",
        namespace(number),
        object(number)
    )
}

/// Calls `work` with every number below `count`, from several threads; the first error ends it.
pub(crate) fn parallel(
    workers: usize,
    count: u32,
    work: impl Fn(u32) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicU32::new(0);
    scope(|threads| {
        let running: Vec<_> = (0..workers)
            .map(|_| {
                threads.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return Ok(());
                        }
                        if let Err(error) = work(number) {
                            next.store(count, Ordering::Relaxed);
                            return Err(error);
                        }
                    }
                })
            })
            .collect();
        for thread in running {
            thread.join().map_err(|_| anyhow!("a worker panicked"))??;
        }
        Ok(())
    })
}

/// The resourceVersion a watch of this list starts from.
pub(crate) fn list_version(admin: &Api, path: &str) -> Result<String> {
    let list = admin.get(&format!("{path}?limit=1"))?;
    let version = list["metadata"]["resourceVersion"].as_str();
    Ok(version
        .context("the list has no resourceVersion")?
        .to_owned())
}
