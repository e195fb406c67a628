//! Words run together or apart: `xstrings`' Pascal, snake and kebab case.

use lockstep_golang::unicode::{decode_last_rune, decode_rune, runes, to_valid_utf8};

use crate::unicode::{is_letter, is_number, is_punct, is_space, is_upper, to_lower, to_upper};

fn is_connector(rune: char) -> bool {
    matches!(rune, '-' | '_') || is_space(rune)
}

/// `some_words` to `SomeWords`: `xstrings.ToPascalCase`.
pub(super) fn pascal(text: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    let mut rest = runes(text).map(|(_, rune)| rune);
    let mut shouting = false;
    let mut current = None;
    // Leading connectors stay.
    for rune in rest.by_ref() {
        if !is_connector(rune) {
            shouting = is_upper(rune);
            current = Some(to_upper(rune));
            break;
        }
        out.push(rune);
        current = None;
    }
    let Some(mut current) = current else {
        // Nothing but connectors: Go writes the last one twice.
        out.extend(decode_last(text));
        return out.into_bytes();
    };
    for mut rune in rest {
        let before = current;
        current = rune;
        if is_connector(rune) && is_connector(before) {
            out.push(before);
            continue;
        }
        if is_connector(before) {
            shouting = is_upper(rune);
            rune = to_upper(rune);
        } else {
            if shouting {
                if is_upper(rune) {
                    rune = to_lower(rune);
                } else {
                    shouting = false;
                }
            }
            out.push(before);
        }
        current = rune;
    }
    out.push(current);
    out.into_bytes()
}

fn decode_last(text: &[u8]) -> Option<char> {
    (!text.is_empty()).then(|| decode_last_rune(text).0)
}

/// What a run of characters is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punct,
    Other,
}

/// `FirstName` to `first_name`: `xstrings.ToSnakeCase` and `ToKebabCase`.
pub(super) fn separated(text: &[u8], connector: char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    let (mut kind, mut word, mut rest) = next_word(text);
    while !rest.is_empty() {
        if kind != Word::Connector {
            write_word(&mut out, kind, word, connector);
        }
        let (before, last) = (kind, word);
        (kind, word, rest) = next_word(rest);
        let joint = |kind: Word| !matches!(kind, Word::Punct | Word::Connector);
        match before {
            Word::Number => {
                while matches!(kind, Word::Alphabet | Word::Number) {
                    write_word(&mut out, kind, word, connector);
                    (kind, word, rest) = next_word(rest);
                }
                if kind != Word::Invalid && joint(kind) {
                    push(&mut out, connector);
                }
            }
            Word::Connector => write_word(&mut out, before, last, connector),
            Word::Punct => {}
            _ if kind != Word::Number => {
                if joint(kind) {
                    push(&mut out, connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let number = word;
                (kind, word, rest) = next_word(rest);
                // A number belongs to the word before it, unless small letters follow.
                if kind != Word::Alphabet {
                    write_word(&mut out, Word::Number, number, connector);
                    if joint(kind) {
                        push(&mut out, connector);
                    }
                    continue;
                }
                push(&mut out, connector);
                write_word(&mut out, Word::Number, number, connector);
                while matches!(kind, Word::Alphabet | Word::Number) {
                    write_word(&mut out, kind, word, connector);
                    (kind, word, rest) = next_word(rest);
                }
                if kind != Word::Invalid && joint(kind) {
                    push(&mut out, connector);
                }
            }
        }
    }
    write_word(&mut out, kind, word, connector);
    out
}

fn push(out: &mut Vec<u8>, rune: char) {
    out.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
}

fn write_word(out: &mut Vec<u8>, kind: Word, word: &[u8], connector: char) {
    if !matches!(kind, Word::Upper | Word::Connector) {
        out.extend_from_slice(word);
        return;
    }
    for rune in to_valid_utf8(word).chars() {
        let rune = if is_connector(rune) {
            connector
        } else {
            to_lower_if_upper(rune)
        };
        push(out, rune);
    }
}

fn to_lower_if_upper(rune: char) -> char {
    if is_upper(rune) { to_lower(rune) } else { rune }
}

/// A letter of an alphabet, which most Chinese characters are not.
fn is_alphabet(rune: char) -> bool {
    is_letter(rune)
        && !matches!(
            rune,
            '\u{4e00}'..='\u{9fcc}' | '\u{3400}'..='\u{4d85}' | '\u{20000}'..='\u{2b81d}'
        )
}

/// The next legal character, how many bytes it takes with the illegal ones before it.
fn next_valid(text: &[u8], before: char) -> (char, usize) {
    let mut size = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (rune, width) = decode_rune(rest);
        size += width;
        if rune != char::REPLACEMENT_CHARACTER {
            return (rune, size);
        }
        rest = &rest[width..];
    }
    (before, size)
}

fn next_word(text: &[u8]) -> (Word, &[u8], &[u8]) {
    if text.is_empty() {
        return (Word::Invalid, text, text);
    }
    let (rune, size) = next_valid(text, char::REPLACEMENT_CHARACTER);
    if rune == char::REPLACEMENT_CHARACTER {
        return (Word::Invalid, &text[..size], &text[size..]);
    }
    let (kind, end) = if is_connector(rune) {
        (Word::Connector, run(text, size, rune, is_connector))
    } else if is_punct(rune) {
        (Word::Punct, run(text, size, rune, is_punct))
    } else if is_upper(rune) {
        (Word::Upper, upper_word(text, size, rune))
    } else if is_alphabet(rune) {
        (
            Word::Alphabet,
            run(text, size, rune, |r| is_alphabet(r) && !is_upper(r)),
        )
    } else if is_number(rune) {
        (Word::Number, run(text, size, rune, is_number))
    } else {
        let other = |r| !is_connector(r) && !is_alphabet(r) && !is_number(r) && !is_punct(r);
        (Word::Other, run(text, size, rune, other))
    };
    (kind, &text[..end], &text[end..])
}

/// Where the run of characters that `holds` ends.
fn run(text: &[u8], start: usize, first: char, holds: impl Fn(char) -> bool) -> usize {
    let (mut at, mut before) = (start, first);
    while at < text.len() {
        let (rune, size) = next_valid(&text[at..], before);
        if !holds(rune) {
            break;
        }
        at += size;
        before = rune;
    }
    at
}

/// `HTTPStatus` is `HTTP` and `Status`; `Status` is one word.
fn upper_word(text: &[u8], start: usize, first: char) -> usize {
    if start >= text.len() {
        return start;
    }
    let (second, size) = next_valid(&text[start..], first);
    if is_upper(second) {
        let (mut at, mut before, mut last) = (start + size, second, size);
        while at < text.len() {
            let (rune, size) = next_valid(&text[at..], before);
            before = rune;
            if !is_upper(rune) {
                break;
            }
            last = size;
            at += size;
        }
        if at < text.len() && is_alphabet(before) {
            at -= last;
        }
        return at;
    }
    if is_alphabet(second) {
        return run(text, start + size, second, |r| {
            is_alphabet(r) && !is_upper(r)
        });
    }
    start
}
