//! The requests on objects of one kind: looking up the kind, reading an object, listing. What a
//! value means to a caller is decided elsewhere.

use http::Method;
use lockstep_api_server::{Call, Client, List, Resource, is_absent};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::key::Key;
use crate::read::{self, Metadata};
use crate::spec::ObjectType;

/// The objects of one kind, on one API server.
#[derive(Debug)]
pub(crate) struct Objects {
    client: Client,
    kind: ObjectType,
    plural: String,
    is_namespaced: bool,
    /// Namespace of a SecretStore; `None` for a ClusterSecretStore.
    home: Option<String>,
}

/// An object of a list, by the name a search gives it.
pub(crate) struct Listed {
    /// Name, with the namespace in front where the store sees several.
    pub(crate) key: String,
    /// The object as JSON.
    pub(crate) object: SecretValue,
}

#[derive(Deserialize)]
struct Registered {
    name: String,
    kind: String,
    #[serde(default)]
    namespaced: bool,
}

impl Objects {
    /// Finds out how the API server calls the kind, and whether it lives in namespaces.
    pub(crate) async fn discover(
        client: Client,
        kind: ObjectType,
        home: Option<String>,
    ) -> Result<Self> {
        #[derive(Deserialize)]
        struct Resources {
            #[serde(default)]
            resources: Vec<Registered>,
        }
        let names = Resource {
            group: &kind.group,
            version: &kind.version,
            plural: "",
        };
        let path = names.root()?;
        let answer: Result<Resources> = client.run(Call::new(None, Method::GET, &path)).await;
        let known = match answer {
            Ok(known) => known.resources,
            // A group or version that the API server does not serve.
            Err(error) if error.kind() == &ErrorKind::InvalidSpec => Vec::new(),
            Err(error) => return Err(error.context("crd: failed to look up the kind")),
        };
        // Subresources, such as `widgets/status`, have the kind of their parent.
        let mut known = known.into_iter().filter(|one| !one.name.contains('/'));
        let Some(found) = known.find(|one| one.kind == kind.kind) else {
            return Err(not_registered(&kind));
        };
        Ok(Self {
            client,
            plural: found.name,
            is_namespaced: found.namespaced,
            kind,
            home,
        })
    }

    /// An error unless we may do `verb` wherever this store reads.
    pub(crate) async fn require(&self, verb: &str) -> Result<()> {
        let namespace = self.home.as_deref().filter(|_| self.is_namespaced);
        let asked = self.client.may(verb, self.resource(), namespace).await;
        let plural = &self.plural;
        let may = asked.map_err(|error| {
            error.context(format!(
                "crd: failed to verify {verb:?} permission for resource {plural:?}"
            ))
        })?;
        if may {
            return Ok(());
        }
        let group = &self.kind.group;
        Err(Error::new(
            ErrorKind::Denied,
            format!(
                "crd: serviceaccount is not allowed to {verb:?} resource {plural:?} in apiGroup \
                 {group:?}"
            ),
        ))
    }

    /// The namespace that a key means; `None` for a kind of the whole cluster.
    pub(crate) fn namespace_of<'a>(&'a self, key: Key<'a>) -> Result<Option<&'a str>> {
        let kind = &self.kind.kind;
        match (self.is_namespaced, key.namespace, &self.home) {
            (true, Some(namespace), _) => Ok(Some(namespace)),
            (true, None, Some(home)) => Ok(Some(home)),
            (true, None, None) => Err(Error::invalid_spec(format!(
                "crd: namespaced resource kind {kind:?} requires remoteRef.key in the form \
                 namespace/objectName when using ClusterSecretStore"
            ))),
            (false, None, _) => Ok(None),
            (false, Some(_), _) => Err(Error::invalid_spec(format!(
                "crd: cluster-scoped resource kind {kind:?} does not allow '/' in remoteRef.key \
                 (use object name only)"
            ))),
        }
    }

    /// Reads an object.
    pub(crate) async fn get(&self, key: Key<'_>) -> Result<SecretValue> {
        let namespace = self.namespace_of(key)?;
        let path = self.resource().object(namespace, key.name)?;
        let call = Call::new(None, Method::GET, &path).about(&self.plural);
        let answer: Result<Box<RawValue>> = self.client.run(call).await;
        match answer {
            Ok(object) => read::sorted(&SecretValue::from(object.get())),
            Err(error) if is_absent(&error) => Err(Error::not_found()),
            Err(error) => {
                let (kind, name) = (&self.kind.kind, key.name);
                Err(error.context(match namespace {
                    Some(namespace) => format!("crd: failed to get {kind} {namespace}/{name}"),
                    None => format!("crd: failed to get {kind}/{name}"),
                }))
            }
        }
    }

    /// Reads all objects with the given labels that are wanted by key, name and namespace.
    pub(crate) async fn list(
        &self,
        selector: &str,
        is_wanted: impl Fn(&str, &Metadata) -> bool + Sync,
    ) -> Result<Vec<Listed>> {
        #[derive(Deserialize)]
        struct Named {
            #[serde(default)]
            metadata: Metadata,
        }
        let namespace = self.home.as_deref().filter(|_| self.is_namespaced);
        let list = List {
            name: None,
            path: &self.resource().collection(namespace)?,
            selector,
            objects: "objects",
        };
        let keep = |object: Box<RawValue>| {
            let named: Named = serde_json::from_str(object.get())
                .map_err(|_| Error::invalid_data("an object of the list has no usable metadata"))?;
            let key = self.key_of(&named.metadata);
            if !is_wanted(&key, &named.metadata) {
                return Ok(None);
            }
            let object = read::with_kind(&SecretValue::from(object.get()), &self.kind)?;
            let bytes = object.len();
            Ok(Some((Listed { key, object }, bytes)))
        };
        let listed = self.client.list(list, keep).await;
        listed.map_err(|error| error.context(format!("crd: failed to list {}", self.kind.kind)))
    }

    fn key_of(&self, metadata: &Metadata) -> String {
        if self.is_namespaced && self.home.is_none() {
            return format!("{}/{}", metadata.namespace, metadata.name);
        }
        metadata.name.clone()
    }

    fn resource(&self) -> Resource<'_> {
        Resource {
            group: &self.kind.group,
            version: &self.kind.version,
            plural: &self.plural,
        }
    }
}

fn not_registered(wanted: &ObjectType) -> Error {
    let ObjectType {
        group,
        version,
        kind,
    } = wanted;
    let full = match group.as_str() {
        "" => version.clone(),
        group => format!("{group}/{version}"),
    };
    Error::invalid_spec(format!(
        "crd: group {group:?} version {version:?} kind {kind:?} is not registered in the cluster: \
         no matches for kind {kind:?} in version {full:?}"
    ))
}
