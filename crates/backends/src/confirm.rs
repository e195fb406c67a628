//! The consent that deletions need: every name given again on the command line, or a yes at the
//! terminal. Decides; the only question it asks is that one.

use std::future::Future;
use std::io::BufRead;

/// Whether names were confirmed on the command line. An error says what is missing.
pub(crate) fn check(planned: &[&str], confirmed: &[String]) -> Result<(), String> {
    let missing = planned
        .iter()
        .filter(|name| !confirmed.iter().any(|given| given == *name));
    let missing: Vec<_> = missing.copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("not confirmed: {}", missing.join(", ")))
}

/// Names that were confirmed and are not among those that were named: slips that deserve a word.
pub(crate) fn unknown<'a>(named: &[String], confirmed: &'a [String]) -> Vec<&'a str> {
    let unknown = confirmed.iter().filter(|given| !named.contains(given));
    unknown.map(String::as_str).collect()
}

/// The answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    /// Anything else, the end of the input included.
    Other,
    Interrupted,
}

/// Waits for the answer at the terminal, or for an interrupt.
pub(crate) async fn answer(interrupt: impl Future) -> Answer {
    let (told, answered) = tokio::sync::oneshot::channel();
    // A thread of its own: a read of the terminal cannot be cancelled, and must not hold up the end.
    std::thread::spawn(move || told.send(is_yes(&mut std::io::stdin().lock())));
    tokio::select! {
        answered = answered => match answered {
            Ok(true) => Answer::Yes,
            _ => Answer::Other,
        },
        _ = interrupt => Answer::Interrupted,
    }
}

/// Whether the answer to the question is yes.
fn is_yes(answers: &mut dyn BufRead) -> bool {
    let mut line = String::new();
    let read = answers.read_line(&mut line);
    read.is_ok() && line.trim() == "yes"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn every_planned_name_must_be_confirmed() {
        assert_eq!(check(&["a", "b"], &names(&["b", "a"])), Ok(()));
        assert_eq!(
            check(&["a", "b", "c"], &names(&["b"])),
            Err("not confirmed: a, c".to_owned())
        );
        assert_eq!(check(&[], &[]), Ok(()));
    }

    #[test]
    fn a_confirmed_name_that_was_not_named_is_a_slip() {
        assert_eq!(unknown(&names(&["a"]), &names(&["a", "x"])), ["x"]);
    }

    #[test]
    fn only_the_whole_word_is_a_yes() {
        assert!(is_yes(&mut &b"yes\n"[..]));
        for answer in ["", "y\n", "no\n", "YES\n"] {
            assert!(!is_yes(&mut answer.as_bytes()), "{answer:?}");
        }
    }
}
