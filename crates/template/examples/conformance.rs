//! Runs files of conformance cases and prints those that fail.
//!
//! `cargo run -p lockstep-template --example conformance -- [--texts] FILE.jsonl...`
//!
//! With `--texts` the texts of errors must be Go's; without it an error must merely come.

#[path = "../tests/it/cases.rs"]
mod cases;

use std::process::ExitCode;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program"
)]
fn main() -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    let strict = std::env::args().any(|arg| arg == "--texts");
    let texts = if strict {
        cases::Texts::Go
    } else {
        cases::Texts::Any
    };
    for file in std::env::args().skip(1).filter(|arg| arg != "--texts") {
        let outcomes = std::fs::read_to_string(&file)
            .map_err(|error| format!("{file}: {error}"))
            .and_then(|text| cases::run(&file, &text, texts));
        match outcomes {
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::FAILURE;
            }
            Ok(outcomes) => {
                for (name, outcome) in outcomes {
                    match outcome {
                        Ok(()) => passed += 1,
                        Err(why) => {
                            failed += 1;
                            println!("{name}: {why}");
                        }
                    }
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
