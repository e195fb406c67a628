//! The reconcile of a ClusterExternalSecret or ClusterPushSecret over a scene: which children it would
//! write in which namespace. The children are then run like any other object.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_index::ObjectKey;
use lockstep_plan::Settings;
use lockstep_plan::fan_out::{Child, Observed, OwnedChild, Parent, Wanted, child_name, controls};
use lockstep_reconcile::fan_out::{FanOutWorld, Reconciler};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use parking_lot::Mutex;
use serde_json::Value;

use crate::scene::Scene;

/// Children that would be written; `None` for one that would be deleted.
pub(crate) type Children<C> = BTreeMap<ObjectKey, Option<C>>;

/// What a reconcile of a parent would write. `existing` are all objects of its children's kind.
pub(crate) async fn children<P>(
    scene: &Scene,
    object: P,
    existing: &BTreeMap<ObjectKey, P::Child>,
    (settings, now): (&Settings, Timestamp),
) -> Children<P::Child>
where
    P: Parent + Clone + Send + Sync,
    P::Child: Send + Sync,
    P::Status: Send + Sync,
{
    let world = Recorder {
        existing,
        written: Mutex::default(),
    };
    let reconciler = Reconciler {
        world: &world,
        settings,
    };
    let observed = observe(scene, object, existing);
    reconciler.reconcile(observed, now).await;
    world.written.into_inner()
}

fn observe<P: Parent>(
    scene: &Scene,
    object: P,
    existing: &BTreeMap<ObjectKey, P::Child>,
) -> Observed<P> {
    let wanted = Wanted::of(&object).map(|selected| {
        let names = scene.namespaces().into_iter();
        let names = names.filter(|name| selected.contains(name, &scene.namespace_labels(name)));
        names
            .map(|name| {
                let namespace = scene.present.objects.namespaces.get(&name);
                let metadata = namespace.map(|held| held.metadata.clone());
                (name, metadata.unwrap_or_default())
            })
            .collect::<BTreeMap<_, _>>()
    });
    let own = object.metadata().name.clone();
    let owned = existing.iter().filter(|(_, child)| {
        let owner = controls::<P>(child.metadata());
        owner.is_some() && owner == own
    });
    let owned = owned.map(|(key, child)| OwnedChild {
        namespace: key.namespace().to_owned(),
        name: key.name().to_owned(),
        uid: child.metadata().uid.clone().unwrap_or_default(),
    });
    let owned = owned.collect();
    let named = wanted.iter().flat_map(BTreeMap::keys).filter_map(|name| {
        let key = ObjectKey::new(name, child_name(&object));
        Some((name.clone(), existing.get(&key)?.clone()))
    });
    Observed {
        existing: named.collect(),
        wanted,
        marked: BTreeMap::new(),
        owned,
        object: Arc::new(object),
    }
}

/// Notes children in place of writing them.
struct Recorder<'a, C> {
    existing: &'a BTreeMap<ObjectKey, C>,
    written: Mutex<Children<C>>,
}

impl<C: Child> Recorder<'_, C> {
    fn note(&self, namespace: &str, name: &str, child: &C) {
        let key = ObjectKey::new(namespace, name);
        self.written.lock().insert(key, Some(child.clone()));
    }
}

impl<P> FanOutWorld<P> for Recorder<'_, P::Child>
where
    P: Parent + Clone + Send + Sync,
    P::Child: Send + Sync,
    P::Status: Send + Sync,
{
    async fn patch_parent(&self, object: &P, patch: &Value) -> Result<P, ApiError> {
        let mut object = object.clone();
        let finalizers = patch.pointer("/metadata/finalizers").cloned();
        object.metadata_mut().finalizers = serde_json::from_value(finalizers.unwrap_or_default())
            .map_err(|_| {
            ApiError::new(ApiErrorKind::Invalid, "finalizers are a list of names")
        })?;
        Ok(object)
    }

    async fn mark_namespace(&self, _: &str, _: &Value) -> Result<(), ApiError> {
        Ok(())
    }

    async fn read_child(&self, namespace: &str, name: &str) -> Result<Option<P::Child>, ApiError> {
        let key = ObjectKey::new(namespace, name);
        Ok(self.existing.get(&key).cloned())
    }

    async fn create_child(
        &self,
        namespace: &str,
        name: &str,
        child: &P::Child,
    ) -> Result<(), ApiError> {
        self.note(namespace, name, child);
        Ok(())
    }

    async fn replace_child(
        &self,
        namespace: &str,
        name: &str,
        child: &P::Child,
    ) -> Result<(), ApiError> {
        self.note(namespace, name, child);
        Ok(())
    }

    async fn delete_child(&self, owned: &OwnedChild) -> Result<(), ApiError> {
        let key = ObjectKey::new(&owned.namespace, &owned.name);
        self.written.lock().insert(key, None);
        Ok(())
    }
}
