//! The connection to the objects of one kind. Every read is checked against the whitelist before a
//! request is sent, also for an existence check: a store must not reveal what it may not read.

use std::time::Duration;

use lockstep_api_server::labels;
use lockstep_provider_api::keys::convert_keys;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::api::Objects;
use crate::key::Key;
use crate::read;
use crate::whitelist::{Request, Whitelist, compiled};

/// A store that has signed in.
#[derive(Debug)]
pub struct CrdStore {
    /// `None` while a store that signs in as its caller is checked without one.
    pub(crate) objects: Option<Objects>,
    pub(crate) is_referent: bool,
    pub(crate) renew_after: Option<Duration>,
    /// Namespace of a SecretStore; `None` for a ClusterSecretStore.
    home: Option<String>,
    whitelist: Whitelist,
}

impl CrdStore {
    /// A store without a connection.
    pub(crate) fn unconnected(home: Option<String>, whitelist: Whitelist) -> Self {
        Self {
            objects: None,
            is_referent: true,
            renew_after: None,
            home,
            whitelist,
        }
    }

    fn objects(&self) -> Result<&Objects> {
        self.objects.as_ref().ok_or_else(|| {
            Error::invalid_spec(
                "crd: client has no active connection; a referent ClusterSecretStore is resolved \
                 per-ExternalSecret at reconcile",
            )
        })
    }

    /// The object a reference names, where the whitelist lets it pass.
    fn allowed<'a>(&'a self, key: &'a str, property: Option<&'a str>) -> Result<Key<'a>> {
        let parsed = Key::parse(key, self.home.as_deref())?;
        let request = Request {
            name: parsed.name,
            namespace: parsed.namespace.or(self.home.as_deref()),
            property,
        };
        if self.whitelist.allows(request) {
            return Ok(parsed);
        }
        Err(Error::new(
            ErrorKind::Denied,
            format!("crd: request for {key:?} denied by whitelist rules"),
        ))
    }

    fn value(&self, object: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
        let property = reference.wanted_property();
        let key = self.allowed(&reference.key, property)?;
        read::value(object, key.name, property)
    }
}

impl Store for CrdStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = self.allowed(&reference.key, reference.wanted_property())?;
        let object = self.objects()?.get(key).await?;
        self.value(&object, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        Ok(read::map(self.get(reference).await?))
    }

    /// The object itself, for reads that each passed the whitelist; a whitelist of properties lets
    /// nobody read it as a value.
    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = Key::parse(&reference.key, self.home.as_deref())?;
        self.objects()?.get(key).await
    }

    /// All properties of an object come with one read of it. What the whitelist refuses is read by
    /// itself, and refused there.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        if matches!(read, Read::Raw(_)) {
            return Some(read.clone());
        }
        let allowed = self.allowed(&reference.key, reference.wanted_property());
        allowed.ok()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let object = match containing {
            Ok(Payload::Value(object)) => object,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Raw(_) => Ok(Payload::Value(object.clone())),
            Read::Value(reference) => self.value(object, reference).map(Payload::Value),
            Read::Map(reference) => {
                let value = self.value(object, reference)?;
                Ok(Payload::Map(read::map(value)))
            }
            Read::Find(_) => Err(mismatch()),
        }
    }

    /// Gives whole objects, so rules with properties let none of them pass. Names and labels must
    /// both match; a path means nothing here.
    async fn find(&self, find: &Find) -> Result<SecretMap> {
        if find.path.is_some() && find.name.is_none() && find.tags.is_none() {
            return Err(Error::invalid_spec(
                "crd: find.path has no meaning here: find needs name or tags",
            ));
        }
        let name = find.name.as_deref().filter(|name| !name.is_empty());
        let matcher = name.map(|name| compiled(name, "crd: invalid name pattern"));
        let matcher = matcher.transpose()?;
        let selector = find.tags.as_ref().map(labels::selector).transpose()?;
        let objects = self.objects()?;
        objects.require("list").await?;
        let is_wanted = |key: &str, metadata: &read::Metadata| {
            let namespace = Some(metadata.namespace.as_str());
            let request = Request {
                name: &metadata.name,
                namespace: namespace.filter(|namespace| !namespace.is_empty()),
                property: None,
            };
            matcher.as_ref().is_none_or(|matcher| matcher.matches(key))
                && self.whitelist.allows(request)
        };
        let listed = objects
            .list(&selector.unwrap_or_default(), is_wanted)
            .await?;
        let found = listed.into_iter().map(|one| (one.key, one.object));
        convert_keys(found.collect(), find.conversion)
    }

    async fn push(&self, _: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported("crd: PushSecret: not implemented"))
    }

    async fn delete(&self, _: &PushTarget) -> Result<()> {
        Err(Error::unsupported("crd: DeleteSecret: not implemented"))
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let key = self.allowed(&target.remote_key, target.wanted_property())?;
        match self.objects()?.get(key).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What can be known was asked for when the store connected.
    async fn check(&self) -> Check {
        if self.is_referent {
            return Check::Healthy(Health::Unknown);
        }
        Check::Healthy(Health::Ready)
    }

    fn renew_after(&self) -> Option<Duration> {
        self.renew_after
    }
}
