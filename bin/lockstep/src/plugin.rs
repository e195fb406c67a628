//! The name under which the program was started. kubectl runs a program called `kubectl-lockstep` for
//! `kubectl lockstep …`; help and usage then show what the user typed, and nothing starts a controller.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;

const PLUGIN: &str = "kubectl-lockstep";

/// The command line for a program that was started under this name.
pub(crate) fn named(command: Command, program: Option<OsString>) -> Command {
    let program = program.unwrap_or_default();
    let stem = Path::new(&program).file_stem().unwrap_or_default();
    if stem != PLUGIN {
        return command;
    }
    command
        .bin_name("kubectl lockstep")
        // Nobody runs a controller as a plugin; without words there is nothing to do.
        .arg_required_else_help(true)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn usage(program: &str, words: &[&str]) -> String {
        let command = named(Cli::command(), Some(program.into()));
        let line = std::iter::once(program).chain(words.iter().copied());
        command.try_get_matches_from(line).unwrap_err().to_string()
    }

    #[test]
    fn a_plugin_of_kubectl_shows_its_usage_as_it_was_typed() {
        let text = usage("/usr/local/bin/kubectl-lockstep", &["check"]);

        assert!(text.contains("Usage: kubectl lockstep check"), "{text}");
    }

    #[test]
    fn a_plugin_without_words_shows_its_help() {
        let text = usage("kubectl-lockstep", &[]);

        assert!(text.contains("Usage: kubectl lockstep"), "{text}");
    }

    #[test]
    fn any_other_name_stays() {
        let text = usage("/usr/local/bin/lockstep", &["check"]);

        assert!(text.contains("Usage: lockstep check"), "{text}");
    }
}
