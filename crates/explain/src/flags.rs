//! Flags of `lockstep explain`, and the help that teaches it.

use clap::Args;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::OutputFlags;

use crate::kinds::Kind;

const EXAMPLES: &str = "\
Examples:
  lockstep explain es database -n team-a             why is this Secret not there, or not fresh?
  lockstep explain es database -n team-a --live      read the store now, with the store's identity
  lockstep explain clustersecretstore aws            who uses this store, and does it work?
  lockstep explain ps upload -n team-a -o json       for scripts

The chain of an ExternalSecret: object, store, identity, provider answer, pipeline, template,
target, pods. The first broken link is marked, with what to do about it. Without --live the
answer of the provider is the one the operator last noted. No value is ever printed.

Exit codes: 0 every link holds, 1 a link is broken, 2 wrong usage, 3 no such object.";

/// Show how an object gets its values, where the chain is broken, and what to do about it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainFlags {
    /// externalsecret (es), secretstore (ss), clustersecretstore (css), pushsecret (ps),
    /// clusterexternalsecret (ces), clusterpushsecret (cps), or the kind of a generator; KIND/NAME
    /// works too.
    #[arg(value_name = "KIND")]
    kind: String,

    /// Name of the object.
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Read the store now, as the operator would: with the credentials that the store names. A store
    /// that uses the operator's own identity is read so only inside the operator's pod.
    #[arg(long)]
    pub(crate) live: bool,

    /// Controller class of the operator; stores of other classes are not its business.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) controller_class: String,

    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

impl ExplainFlags {
    /// Kind and name, as two words or as kubectl prints them: `externalsecret/database`.
    pub(crate) fn object(&self) -> anyhow::Result<(Kind, &str)> {
        let (kind, name) = match (&self.name, self.kind.split_once('/')) {
            (Some(name), _) => (self.kind.as_str(), name.as_str()),
            (None, Some((kind, name))) => (kind, name),
            (None, None) => {
                let kind = Kind::parse(&self.kind)?;
                let (kind, written) = (kind.as_str(), &self.kind);
                let text = format!("which {kind}? lockstep explain {written} NAME");
                return Err(Failure::usage(text));
            }
        };
        Ok((Kind::parse(kind)?, name))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        flags: ExplainFlags,
    }

    fn object(words: &[&str]) -> Result<(Kind, String), String> {
        let words = ["explain"].iter().chain(words);
        let flags = Command::try_parse_from(words).unwrap().flags;
        let object = flags.object().map_err(|error| error.to_string())?;
        Ok((object.0, object.1.to_owned()))
    }

    #[test]
    fn kind_and_name_may_be_one_word() {
        let wanted = Ok((Kind::ExternalSecret, "db".to_owned()));

        assert_eq!(object(&["es", "db"]), wanted);
        assert_eq!(object(&["es/db"]), wanted);
        assert_eq!(object(&["externalsecret.external-secrets.io/db"]), wanted);
        assert_eq!(
            object(&["es"]),
            Err("which ExternalSecret? lockstep explain es NAME".to_owned())
        );
    }
}
