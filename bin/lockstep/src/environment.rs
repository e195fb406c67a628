//! Environment variables, read here and nowhere below the binary.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStringExt;

use lockstep_local::Environment;
use lockstep_provider_api::{SecretValue, Variables};
use lockstep_runtime::connect::Proxy;
use lockstep_toolbox::output::Screen;

/// The usual proxy variables, in either case.
pub(crate) fn proxy() -> Proxy {
    Proxy {
        http: either("HTTP_PROXY", "http_proxy"),
        https: either("HTTPS_PROXY", "https_proxy"),
        no: either("NO_PROXY", "no_proxy"),
    }
}

/// Variables that describe the identity of the pod at Azure, set by the webhook of AKS, by App Service, or
/// by whoever leads it to other hosts.
const AZURE: [&str; 9] = [
    "AZURE_AUTHORITY_HOST",
    "AZURE_CLIENT_ID",
    "AZURE_CLOUD",
    "AZURE_ENVIRONMENT",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_POD_IDENTITY_AUTHORITY_HOST",
    "AZURE_TENANT_ID",
    "IDENTITY_HEADER",
    "MSI_SECRET",
];

/// Where the operator's own identity at Google is found, under the names of Google's libraries.
const GOOGLE: [&str; 4] = [
    "CLOUDSDK_CONFIG",
    "GCE_METADATA_HOST",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HOME",
];

/// Authorities for connections to AWS, what EKS sets to describe the identity of the pod, and keys
/// that a user gave it.
const AWS: [&str; 12] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_CA_BUNDLE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "AWS_ROLE_ARN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

/// The token of stores of Vault that name no way to log in.
const VAULT: [&str; 1] = ["VAULT_TOKEN"];

/// Addresses of Cloud.ru's services, or of the list that names them.
const CLOUDRU: [&str; 3] = [
    "CLOUDRU_CSM_ADDRESS",
    "CLOUDRU_DISCOVERY_URL",
    "CLOUDRU_IAM_ADDRESS",
];

/// Another metadata server of Yandex Cloud, under the name of the vendor's library.
const YANDEX: [&str; 1] = ["YC_METADATA_ADDR"];

/// The address of Doppler and how its certificate is checked, as upstream's client has them.
const DOPPLER: [&str; 2] = ["DOPPLER_BASE_URL", "DOPPLER_VERIFY_TLS"];

/// Where the operator's own identity at Oracle Cloud is found: another metadata server, the cluster's endpoint
/// and the file with its authorities.
const ORACLE: [&str; 3] = [
    "KUBERNETES_SERVICE_HOST",
    "OCI_KUBERNETES_SERVICE_ACCOUNT_CERT_PATH",
    "OCI_METADATA_BASE_URL",
];

/// The operator's own role at Volcengine, as IRSA sets it, and which hosts its client takes.
const VOLCENGINE: [&str; 6] = [
    "VOLCENGINE_OIDC_ROLE_POLICY",
    "VOLCENGINE_OIDC_ROLE_SESSION_NAME",
    "VOLCENGINE_OIDC_ROLE_TRN",
    "VOLCENGINE_OIDC_TOKEN_FILE",
    "VOLC_BOOTSTRAP_REGION_LIST_CONF",
    "VOLC_ENABLE_DUALSTACK",
];

/// Addresses of backends that the environment changes, as upstream has them, and where identities
/// of the operator are found.
pub(crate) fn provider_settings() -> Variables {
    Variables::new(|name| {
        // Anything else in the environment is none of a provider's business.
        let is_meant = name.ends_with("_ENDPOINT")
            || [
                &AWS[..],
                &AZURE,
                &CLOUDRU,
                &DOPPLER,
                &GOOGLE,
                &ORACLE,
                &VAULT,
                &VOLCENGINE,
                &YANDEX,
            ]
            .iter()
            .any(|names| names.contains(&name));
        is_meant.then(|| std::env::var(name).ok()).flatten()
    })
}

/// What local mode gets from the environment.
pub(crate) fn local() -> Environment {
    Environment {
        credentials: local_credentials(),
        proxy: proxy(),
        variables: provider_settings(),
    }
}

/// What commands get that hand values on.
pub(crate) fn deliver() -> lockstep_deliver::Around {
    lockstep_deliver::Around {
        environment: local(),
        has_terminal: std::io::stdin().is_terminal(),
        prints_to_terminal: std::io::stdout().is_terminal(),
    }
}

/// What commands that show the operator's work get from the environment.
#[cfg(feature = "cluster")]
pub(crate) fn preview() -> lockstep_preview::Edges {
    lockstep_preview::Edges {
        proxy: proxy(),
        variables: provider_settings(),
    }
}

/// Credentials for local mode: every variable that begins with its prefixes, by name.
fn local_credentials() -> BTreeMap<String, SecretValue> {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        let is_ours = name.starts_with("LOCKSTEP_SECRET_") || name.starts_with("LOCKSTEP_TOKEN_");
        is_ours.then(|| (name, SecretValue::new(value.into_vec())))
    });
    variables.collect()
}

/// What commands that print for people know of standard output.
pub(crate) fn screen() -> Screen {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Screen {
        is_terminal: std::io::stdout().is_terminal(),
        no_color,
    }
}

/// What `lockstep backends` gets from the environment.
pub(crate) fn backends() -> lockstep_backends::Environment {
    lockstep_backends::Environment {
        local: local(),
        variable: |name| Some(SecretValue::new(std::env::var_os(name)?.into_vec())),
        screen: screen(),
        terminal: lockstep_backends::Terminal {
            input: std::io::stdin().is_terminal(),
            errors: std::io::stderr().is_terminal(),
        },
    }
}

/// What `lockstep explain` gets from the environment.
#[cfg(feature = "cluster")]
pub(crate) fn explain() -> lockstep_explain::Environment {
    lockstep_explain::Environment {
        proxy: proxy(),
        variables: provider_settings(),
        screen: screen(),
    }
}

/// Name of this host, as the lease's holder shows it.
#[cfg(feature = "cluster")]
pub(crate) fn hostname() -> String {
    let name = std::env::var("HOSTNAME").ok();
    let name = name.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    name.map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
}

fn either(upper: &str, lower: &str) -> String {
    std::env::var(upper)
        .or_else(|_| std::env::var(lower))
        .unwrap_or_default()
}
