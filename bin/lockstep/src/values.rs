//! Flag values in Go's spelling: durations such as `1h30m`, booleans with or without a value.

use std::time::Duration;

use clap::Command;
use lockstep_golang::duration::Duration as GoDuration;

/// Value name that marks a boolean flag.
pub(crate) const SWITCH: &str = "BOOL";

/// Lets every boolean flag stand alone (`--flag`) or with a value behind an equals sign
/// (`--flag=false`), and a flag that is given twice count as the last time, as Go's flags do: the
/// chart puts `extraArgs` behind its own.
pub(crate) fn go_switches(command: Command) -> Command {
    let command = command.args_override_self(true).mut_args(|arg| {
        let is_switch = arg.get_value_names().is_some_and(|names| names == [SWITCH]);
        if is_switch {
            arg.num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
        } else {
            arg
        }
    });
    command.mut_subcommands(go_switches)
}

/// Parses a Go duration; negative ones are refused because no flag gives them a meaning.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = GoDuration::parse(text).map_err(|error| error.to_string())?;
    parsed
        .to_std()
        .ok_or_else(|| format!("{text:?} is negative"))
}

/// Parses what Go's `strconv.ParseBool` takes.
pub(crate) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(format!("{text:?} is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn given(line: &str) -> clap::ArgMatches {
        let command = go_switches(Cli::command());
        command.try_get_matches_from(line.split(' ')).unwrap()
    }

    #[test]
    fn the_last_of_several_values_of_a_flag_counts() {
        let root = given(
            "lockstep --loglevel=info --enable-flood-gate --loglevel debug \
                          --enable-flood-gate=false",
        );
        let webhook = given("lockstep webhook --port=1 --port=2");

        assert_eq!(root.get_one::<String>("loglevel").unwrap(), "debug");
        assert_eq!(root.get_one::<bool>("enable_flood_gate"), Some(&false));
        let webhook = webhook.subcommand_matches("webhook").unwrap();
        assert_eq!(webhook.get_one::<u16>("port"), Some(&2));
    }

    #[test]
    fn numbers_below_zero_are_taken_where_the_original_takes_them() {
        given("lockstep --concurrent=-1 --client-qps=-1 --client-burst=-1");
        given("lockstep --vault-token-cache-size=-1");
    }

    #[test]
    fn durations_are_read_as_go_writes_them() {
        assert_eq!(duration("1h30m"), Ok(Duration::from_mins(90)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        assert!(duration("5").is_err());
        assert!(duration("-5s").is_err());
    }

    #[test]
    fn booleans_are_read_as_go_reads_them() {
        assert_eq!(boolean("T"), Ok(true));
        assert_eq!(boolean("0"), Ok(false));
        assert!(boolean("yes").is_err());
    }
}
