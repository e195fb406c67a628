//! Flag values in Go's spelling: durations such as `1h30m`, booleans with or without a value.

use std::time::Duration;

use clap::Command;
use lockstep_golang::duration::Duration as GoDuration;

/// Value name that marks a boolean flag.
pub(crate) const SWITCH: &str = "BOOL";

/// Lets every boolean flag stand alone (`--flag`) or with a value behind an equals sign
/// (`--flag=false`), as Go's flags do.
pub(crate) fn go_switches(command: Command) -> Command {
    let command = command.mut_args(|arg| {
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
    use super::*;

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
