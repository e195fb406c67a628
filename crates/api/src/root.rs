//! The outer shape of every custom resource: metadata, spec and status.
//!
//! Written here and not derived by kube for one reason: upstream's schemas do not require `spec`,
//! so an object without one exists, and it must not stop the watch of its kind. CRDs are generated
//! in [`crate::crds`] alone.

/// Declares the root object of a kind around its spec and status types.
macro_rules! custom_resource {
    (
        $(#[$meta:meta])*
        $kind:ident in $group:literal $version:literal as $plural:literal, $scope:ident,
        spec: $spec:ty, status: $status:ty
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        #[serde(default)]
        pub struct $kind {
            /// Standard object metadata.
            pub metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
            /// What the user wants.
            pub spec: $spec,
            /// What was last observed.
            pub status: Option<$status>,
        }

        impl $kind {
            /// The `apiVersion` of this type.
            pub const API_VERSION: &'static str = concat!($group, "/", $version);
            /// The `kind` of this type.
            pub const KIND: &'static str = stringify!($kind);
            /// Name of the CustomResourceDefinition.
            pub const CRD_NAME: &'static str = concat!($plural, ".", $group);

            /// An object with a name and a spec.
            pub fn new(name: &str, spec: $spec) -> Self {
                let mut object = Self { spec, ..Self::default() };
                object.metadata.name = Some(name.to_owned());
                object
            }
        }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                let fields = 4 + usize::from(self.status.is_some());
                let mut object = serializer.serialize_struct(Self::KIND, fields)?;
                object.serialize_field("apiVersion", Self::API_VERSION)?;
                object.serialize_field("kind", Self::KIND)?;
                object.serialize_field("metadata", &self.metadata)?;
                object.serialize_field("spec", &self.spec)?;
                if let Some(status) = &self.status {
                    object.serialize_field("status", status)?;
                }
                object.end()
            }
        }

        impl kube::Resource for $kind {
            type DynamicType = ();
            type Scope = kube::core::$scope;

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                Self::KIND.into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                $group.into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $version.into()
            }

            fn api_version((): &()) -> std::borrow::Cow<'_, str> {
                Self::API_VERSION.into()
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                $plural.into()
            }

            fn meta(&self) -> &kube::core::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {
                &mut self.metadata
            }
        }

        impl kube::core::object::HasSpec for $kind {
            type Spec = $spec;

            fn spec(&self) -> &$spec {
                &self.spec
            }

            fn spec_mut(&mut self) -> &mut $spec {
                &mut self.spec
            }
        }

        impl kube::core::object::HasStatus for $kind {
            type Status = $status;

            fn status(&self) -> Option<&$status> {
                self.status.as_ref()
            }

            fn status_mut(&mut self) -> &mut Option<$status> {
                &mut self.status
            }
        }
    };
}

pub(crate) use custom_resource;
