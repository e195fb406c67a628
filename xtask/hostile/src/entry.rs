//! One entry of the catalogue: a header that says what a tenant would gain, how its backend answers
//! and what is checked, then the manifests. Only the shape; nothing is run here.

use serde::Deserialize;
use serde_json::Value;

/// A file of the catalogue.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The file's name without its ending; stable, and named in the threat model.
    pub(crate) name: String,
    /// The folder it is in.
    pub(crate) area: String,
    /// The first document.
    pub(crate) header: Header,
    /// All further documents, with macros.
    pub(crate) manifests: Vec<Value>,
}

/// The first document of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// One sentence: what is done.
    pub(crate) title: String,
    /// What a tenant would gain by it.
    pub(crate) gains: String,
    /// `$COUNT` in a long run.
    #[serde(default)]
    pub(crate) count: u32,
    /// `$COUNT` in a short run, where it differs.
    pub(crate) short_count: Option<u32>,
    /// Seconds of observation in a long run.
    pub(crate) seconds: Option<f64>,
    /// Flags of the original operator that it needs.
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    /// The API server or its admission may refuse the manifests.
    #[serde(default)]
    pub(crate) refusable: bool,
    /// Never in one round with other entries.
    #[serde(default)]
    pub(crate) alone: bool,
    /// How paths of its backend answer, the longest prefix first.
    #[serde(default)]
    pub(crate) backend: Vec<Route>,
    /// What happens after the manifests are applied.
    #[serde(default)]
    pub(crate) steps: Vec<Step>,
    /// Secrets that must come to exist and then stay as they are.
    #[serde(default)]
    pub(crate) keep: Vec<Place>,
    /// Secrets that must never exist.
    #[serde(default)]
    pub(crate) absent: Vec<Place>,
    /// Most requests for paths of the backend while the entry runs.
    #[serde(default)]
    pub(crate) asked: Vec<Asked>,
}

/// A Secret.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// Without one, the entry's own.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    /// A key it must have before it counts as there.
    pub(crate) key: Option<String>,
}

/// A limit for requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// A prefix of paths.
    pub(crate) path: String,
    /// How many are allowed.
    pub(crate) most: u64,
}

/// What happens after a while, once or again and again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// Seconds after the manifests are applied.
    #[serde(default)]
    pub(crate) after: f64,
    /// Seconds between repetitions; without them it happens once.
    pub(crate) every: Option<f64>,
    /// What is done with the object.
    #[serde(rename = "do")]
    pub(crate) verb: Verb,
    /// The object: what to create, what to merge into it, or what to delete.
    pub(crate) object: Value,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    /// Creates it.
    Create,
    /// Merges the object into what exists.
    Merge,
    /// Deletes it.
    Delete,
    /// The object is a route: the backend answers so from now on.
    Answer,
}

/// How the backend answers requests for paths with a prefix.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    /// The prefix; one that begins with `/shared/` is of the store that healthy tenants read.
    pub(crate) path: String,
    /// The HTTP status.
    #[serde(default = "ok")]
    pub(crate) status: u16,
    /// Further headers.
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
    /// Seconds before the answer begins.
    #[serde(default)]
    pub(crate) delay: f64,
    /// The body, with macros.
    #[serde(default)]
    pub(crate) body: String,
    /// What is wrong with the way it answers.
    #[serde(default)]
    pub(crate) fault: Fault,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// Nothing.
    #[default]
    None,
    /// One byte of the body every half second.
    Drip,
    /// One byte of the head every half second.
    DripHead,
    /// A chunked body without an end.
    Endless,
    /// Headers without an end.
    EndlessHead,
    /// The length promises more than is sent, and the connection stays open.
    Short,
    /// Bytes that are no HTTP.
    Noise,
    /// The connection is closed without an answer.
    Close,
    /// A gigabyte of zeros, compressed.
    Gzip,
    /// A redirect to a path that redirects again, without an end.
    Redirect,
    /// The status for every second request, 200 for the others.
    Flap,
}

fn ok() -> u16 {
    200
}
