//! The ways to sign in, with the names that Infisical, its SDK, error texts and metrics have for them.

/// One way to sign in.
pub(super) struct Method {
    /// Its name in the address: `universal` of `universal-auth`.
    pub(super) path: &'static str,
    /// Its name in error texts.
    pub(super) words: &'static str,
    /// What the SDK calls it.
    pub(super) operation: &'static str,
    /// The metric's label.
    pub(super) call: &'static str,
}

pub(super) const UNIVERSAL: Method = Method {
    path: "universal",
    words: "universal",
    operation: "CallUniversalAuthLogin",
    call: "MachineIdentityLoginViaUniversalAuth",
};

pub(super) const AZURE: Method = Method {
    path: "azure",
    words: "azure",
    operation: "CallAzureAuthLogin",
    call: "MachineIdentityLoginViaAzureAuth",
};

pub(super) const GOOGLE: Method = Method {
    path: "gcp",
    words: "gcp id token",
    operation: "CallGCPAuthLogin",
    call: "MachineIdentityLoginViaGcpIdTokenAuth",
};

pub(super) const GOOGLE_KEY: Method = Method {
    path: "gcp",
    words: "gcp iam",
    operation: "CallGCPAuthLogin",
    call: "MachineIdentityLoginViaGcpServiceAccountAuth",
};

pub(super) const JWT: Method = Method {
    path: "jwt",
    words: "jwt",
    operation: "CallJwtAuthLogin",
    call: "MachineIdentityLoginViaJwtAuth",
};

pub(super) const LDAP: Method = Method {
    path: "ldap",
    words: "ldap",
    operation: "CallLdapAuthLogin",
    call: "MachineIdentityLoginViaLdapAuth",
};

pub(super) const ORACLE: Method = Method {
    path: "oci",
    words: "oci",
    operation: "CallOciAuthLogin",
    call: "MachineIdentityLoginViaOciAuth",
};

pub(super) const KUBERNETES: Method = Method {
    path: "kubernetes",
    words: "kubernetes",
    operation: "CallKubernetesAuthLogin",
    call: "MachineIdentityLoginViaKubernetesAuth",
};

pub(super) const AWS: Method = Method {
    path: "aws",
    words: "aws",
    operation: "CallAWSIamAuthLogin",
    call: "MachineIdentityLoginViaAwsAuth",
};
