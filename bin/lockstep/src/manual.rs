//! Shell completions and man pages, made from the command line itself, so that they never miss a flag.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

/// Print a completion script for a shell
///
/// bash: lockstep completions bash > /etc/bash_completion.d/lockstep
/// zsh:  lockstep completions zsh > ~/.zfunc/_lockstep
/// fish: lockstep completions fish > ~/.config/fish/completions/lockstep.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionsFlags {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write man pages, one a command, into a folder
///
/// lockstep man ~/.local/share/man/man1 && man lockstep-explain
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ManFlags {
    /// The folder; it is made where it does not exist.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Prints a completion script.
pub(crate) fn completions(flags: &CompletionsFlags, mut command: Command) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut command, name, &mut script);
    // A reader that has seen enough is no failure.
    let _ = io::Write::write_all(&mut io::stdout().lock(), &script);
    ExitCode::SUCCESS
}

/// Writes man pages.
pub(crate) fn man(flags: &ManFlags, mut command: Command) -> anyhow::Result<ExitCode> {
    let dir = &flags.dir;
    std::fs::create_dir_all(dir).with_context(|| format!("make {}", dir.display()))?;
    command.build();
    page(&command, "", dir)?;
    Ok(ExitCode::SUCCESS)
}

fn page(command: &Command, above: &str, dir: &Path) -> anyhow::Result<()> {
    let name = match above {
        "" => command.get_name().to_owned(),
        above => format!("{above}-{}", command.get_name()),
    };
    let mut text = Vec::new();
    let named = command.clone().display_name(name.clone());
    let manual = clap_mangen::Man::new(named).title(name.to_uppercase());
    manual.render(&mut text)?;
    let path = dir.join(format!("{name}.1"));
    std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    let below = command.get_subcommands();
    let mut below = below.filter(|one| !one.is_hide_set() && one.get_name() != "help");
    below.try_for_each(|one| page(one, &name, dir))
}
