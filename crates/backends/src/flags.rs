//! Flags of `lockstep backends`, one struct a verb. What they mean is in the modules of the verbs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
#[cfg(feature = "cluster")]
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::output::OutputFlags;

const EXAMPLES: &str = "\
Examples:
  lockstep backends status --store-file store.yaml                     every secret of a backend
  lockstep backends status --store-file store.yaml -f secrets.yaml     compared with a manifest
  lockstep backends apply  --store-file store.yaml -f secrets.yaml --plan
  lockstep backends apply  --store-file store.yaml -f secrets.yaml
  lockstep backends delete --store-file store.yaml app/db --confirm app/db
  lockstep backends restore --store prod --kind ClusterSecretStore app/db
  lockstep backends purge  --store-file store.yaml app/db --confirm app/db

A manifest lists what should be there; values come from files, the environment and generators:
  apiVersion: lockstep/v1
  kind: BackendSecrets
  secrets:
  - name: app/db
    description: Account of the application
    fields:
    - {name: user, from: {env: DB_USER}}
    - {name: password, from: {generator: {kind: Password, spec: {length: 24}}}}

Credentials of a store file come from Secret manifests beside it or from LOCKSTEP_SECRET_<NAMESPACE>_<NAME>_<KEY>.
Nothing but names, fields, states and dates is printed.

Exit codes: 0 fine, 1 a failure or an interrupt, 2 wrong usage, 3 not all available (status), 4 something was refused";

/// Look after the secrets of a backend: what is there, deleted, disabled or destroyed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BackendsFlags {
    #[command(subcommand)]
    pub(crate) verb: VerbFlags,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum VerbFlags {
    /// Show the state of secrets, deleted ones included; with a manifest also whether they differ.
    Status(StatusFlags),
    /// Bring the backend in line with a manifest; deleted secrets are restored, then updated.
    Apply(ApplyFlags),
    /// Delete secrets so that they can be restored, where the backend can do that.
    Delete(DeleteFlags),
    /// Bring deleted or disabled secrets back.
    Restore(RestoreFlags),
    /// Remove secrets for good.
    Purge(PurgeFlags),
}

/// Where the secrets are, and how they are worked on.
#[derive(Debug, Args)]
pub(crate) struct StoreFlags {
    /// File or folder with the manifest of the store, and of Secrets with its credentials.
    #[arg(long, value_name = "PATH", required_unless_present = "store")]
    pub(crate) store_file: Option<PathBuf>,

    /// Name of the store: in the file, or without a file in the cluster.
    #[arg(long, value_name = "NAME")]
    pub(crate) store: Option<String>,

    /// Kind of a store in the cluster.
    #[arg(long, value_enum, default_value_t, conflicts_with = "store_file")]
    pub(crate) kind: Kind,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    /// The namespace of objects that name none.
    #[cfg(not(feature = "cluster"))]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// Most secrets that are worked on at one time.
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) concurrency: u16,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Kind of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    #[default]
    #[value(name = "SecretStore")]
    SecretStore,
    #[value(name = "ClusterSecretStore")]
    ClusterSecretStore,
}

#[cfg(feature = "cluster")]
impl Kind {
    /// Its word in manifests.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::SecretStore => "SecretStore",
            Self::ClusterSecretStore => "ClusterSecretStore",
        }
    }
}

/// Which secrets.
#[derive(Debug, Args)]
pub(crate) struct NameFlags {
    /// Names of secrets, as an ExternalSecret's remoteRef.key has them.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Manifest with the secrets; can be given more than once.
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatusFlags {
    #[command(flatten)]
    pub(crate) names: NameFlags,

    /// Only secrets whose name begins so, where neither names nor a manifest are given.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) prefix: String,

    #[command(flatten)]
    pub(crate) store: StoreFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyFlags {
    /// Manifest with the desired secrets; can be given more than once.
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Only these entries of the manifest.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Leave deleted secrets alone and say why, in place of restoring them.
    #[arg(long)]
    pub(crate) no_restore: bool,

    /// Take over secrets that are not marked as managed.
    #[arg(long)]
    pub(crate) adopt: bool,

    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub(crate) plan: bool,

    /// Leave a report in this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) store: StoreFlags,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreFlags {
    #[command(flatten)]
    pub(crate) names: NameFlags,

    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub(crate) plan: bool,

    /// Leave a report in this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) store: StoreFlags,
}

/// What both ways to end a secret have.
#[derive(Debug, Args)]
pub(crate) struct RemovalFlags {
    #[command(flatten)]
    pub(crate) names: NameFlags,

    /// The same names once more; without it a terminal is asked for a yes.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub(crate) confirm: Vec<String>,

    /// Also secrets that are not marked as managed.
    #[arg(long)]
    pub(crate) unmanaged: bool,

    /// Show what would be lost, and do nothing.
    #[arg(long)]
    pub(crate) plan: bool,

    /// File of the report; without it one with the time in its name, in the present folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) store: StoreFlags,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteFlags {
    #[command(flatten)]
    pub(crate) removal: RemovalFlags,

    /// Days in which a deletion can be undone, where the backend lets that be chosen (AWS: 7 to 30).
    #[arg(long, value_name = "DAYS")]
    pub(crate) recovery_days: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct PurgeFlags {
    #[command(flatten)]
    pub(crate) removal: RemovalFlags,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    #[command(name = "lockstep backends")]
    struct Line {
        #[command(flatten)]
        flags: BackendsFlags,
    }

    fn parsed(words: &str) -> Result<BackendsFlags, String> {
        let words = ["lockstep backends"].into_iter().chain(words.split(' '));
        let line = Line::try_parse_from(words);
        line.map(|line| line.flags)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn help_teaches_with_examples_a_manifest_and_exit_codes() {
        let mut command = Line::command().term_width(110);

        insta::assert_snapshot!("help", command.render_long_help());
    }

    #[test]
    fn names_are_confirmed_behind_one_flag() {
        let flags = parsed("delete a b --store-file s.yaml --confirm a b").unwrap();

        let VerbFlags::Delete(flags) = flags.verb else {
            panic!("{flags:?}");
        };
        assert_eq!(flags.removal.names.names, ["a", "b"]);
        assert_eq!(flags.removal.confirm, ["a", "b"]);
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        for words in [
            "status",
            "status --store-file s.yaml --kind ClusterSecretStore",
            "apply --store-file s.yaml",
            "purge a --store-file s.yaml --recovery-days 7",
            "status --store-file s.yaml --concurrency 0",
        ] {
            assert!(parsed(words).is_err(), "{words}");
        }
        assert!(parsed("status --store a --kind ClusterSecretStore").is_ok());
        assert!(parsed("status --store-file s.yaml --store a").is_ok());
    }
}
