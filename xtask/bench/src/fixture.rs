//! What an operator finds when it starts: namespaces, a store and the objects, created by a few
//! parallel workers. No kube-controller-manager runs, because its garbage collector would look
//! owners up and blur the count of requests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::scope;

use anyhow::{Context, Result, anyhow};
use lockstep_testkit::api::Api;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::progress::{Step, say};
use serde_json::{Value, json};

/// How many namespaces the objects are spread over.
pub(crate) const NAMESPACES: u32 = 100;
const STORE: &str = "bench";
const WORKERS: usize = 8;
const GROUP: &str = "/apis/external-secrets.io/v1";

/// What the cluster holds.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How many ExternalSecrets.
    pub(crate) objects: u32,
    address: String,
    interval: &'static str,
    shared: &'static [&'static str],
}

impl Plan {
    /// Objects that read from a server, each its own remote key, refreshed every hour.
    pub(crate) fn new(objects: u32, backend: &Backend) -> Self {
        Self {
            objects,
            address: format!("{}/{{{{ .remoteRef.key }}}}", backend.url()),
            interval: "1h",
            shared: &[],
        }
    }

    /// The same with another refresh interval.
    pub(crate) fn every(mut self, interval: &'static str) -> Self {
        self.interval = interval;
        self
    }

    /// The same with these remote keys in every object.
    pub(crate) fn sharing(mut self, keys: &'static [&'static str]) -> Self {
        self.shared = keys;
        self
    }

    fn store(&self) -> Value {
        json!({
            "apiVersion": "external-secrets.io/v1",
            "kind": "ClusterSecretStore",
            "metadata": {"name": STORE},
            "spec": {"provider": {"webhook": {"url": self.address}}},
        })
    }

    fn data(&self, number: u32) -> Vec<Value> {
        if self.shared.is_empty() {
            let key = format!("key-{number:06}");
            return vec![json!({"secretKey": "value", "remoteRef": {"key": key}})];
        }
        let keys = self.shared.iter();
        keys.map(|key| json!({"secretKey": key, "remoteRef": {"key": key}}))
            .collect()
    }
}

/// A cluster with everything in place and no operator.
pub(crate) struct Fixture {
    /// The control plane; ends with the fixture.
    pub(crate) plane: ControlPlane,
    /// A client with all rights.
    pub(crate) admin: Api,
}

impl Fixture {
    /// Starts a cluster and creates the store and the objects.
    pub(crate) fn make(plan: &Plan) -> Result<Self> {
        say("starting a control plane");
        let plane = ControlPlane::start_bare()?;
        plane.install_crds()?;
        let admin = plane.admin()?;
        admin.apply(&plan.store())?;
        parallel(WORKERS, NAMESPACES, |number| {
            let metadata = json!({"name": namespace(number)});
            admin
                .post("/api/v1/namespaces", &json!({"metadata": metadata}))
                .map(drop)
        })?;
        let fixture = Self { plane, admin };
        fixture.fill(plan, 0)?;
        Ok(fixture)
    }

    /// Creates the objects of a plan from this number on.
    pub(crate) fn fill(&self, plan: &Plan, from: u32) -> Result<()> {
        let count = plan.objects - from;
        let step = Step::begin(
            format!("creating {count} ExternalSecrets"),
            "2 s a thousand",
        );
        parallel(WORKERS, count, |number| {
            create(&self.admin, plan, from + number).map(drop)
        })?;
        step.done("cluster prepared");
        Ok(())
    }

    /// The cluster behind the fixture.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.plane
    }
}

/// Creates the ExternalSecret with this number and returns its name.
pub(crate) fn create(admin: &Api, plan: &Plan, number: u32) -> Result<String> {
    let name = object(number);
    let manifest = json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "refreshInterval": plan.interval,
            "secretStoreRef": {"name": STORE, "kind": "ClusterSecretStore"},
            "data": plan.data(number),
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
