//! Upper and lower case, and trimming.

use std::collections::BTreeSet;

use lockstep_golang::unicode::{decode_last_rune, decode_rune, runes};

use crate::unicode::{
    is_digit, is_letter, is_lower, is_space, is_title, is_upper, to_lower, to_title, to_upper,
};

/// Maps each character; bytes that are not UTF-8 become U+FFFD, as in `strings.Map`.
fn map(text: &[u8], mut change: impl FnMut(char) -> char) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    out.extend(runes(text).map(|(_, rune)| change(rune)));
    out.into_bytes()
}

pub(super) fn upper(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() {
        text.to_ascii_uppercase()
    } else {
        map(text, to_upper)
    }
}

pub(super) fn lower(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        map(text, to_lower)
    }
}

/// The first letter of each word in title case; words end at anything but letters, digits and `_`.
pub(super) fn title(text: &[u8]) -> Vec<u8> {
    let mut before = ' ';
    map(text, |rune| {
        let separated = is_separator(before);
        before = rune;
        if separated { to_title(rune) } else { rune }
    })
}

fn is_separator(rune: char) -> bool {
    if rune.is_ascii() {
        return !rune.is_ascii_alphanumeric() && rune != '_';
    }
    !is_letter(rune) && !is_digit(rune) && is_space(rune)
}

/// The first letter of each word in lower case.
pub(super) fn untitle(text: &[u8]) -> Vec<u8> {
    let mut begins = true;
    map(text, |rune| {
        if is_space(rune) {
            begins = true;
            rune
        } else if std::mem::take(&mut begins) {
            to_lower(rune)
        } else {
            rune
        }
    })
}

pub(super) fn swap(text: &[u8]) -> Vec<u8> {
    let mut after_space = true;
    map(text, |rune| {
        if is_upper(rune) || is_title(rune) {
            after_space = false;
            to_lower(rune)
        } else if is_lower(rune) {
            if std::mem::take(&mut after_space) {
                to_title(rune)
            } else {
                to_upper(rune)
            }
        } else {
            after_space = is_space(rune);
            rune
        }
    })
}

pub(super) fn trim_space(text: &[u8]) -> &[u8] {
    trim_by(text, is_space)
}

/// Cuts off all characters of `set` at both ends.
pub(super) fn trim_set<'t>(text: &'t [u8], set: &[u8]) -> &'t [u8] {
    let set: BTreeSet<char> = runes(set).map(|(_, rune)| rune).collect();
    trim_by(text, |rune| set.contains(&rune))
}

fn trim_by(mut text: &[u8], cut: impl Fn(char) -> bool) -> &[u8] {
    while !text.is_empty() {
        let (rune, width) = decode_rune(text);
        if !cut(rune) {
            break;
        }
        text = &text[width..];
    }
    while !text.is_empty() {
        let (rune, width) = decode_last_rune(text);
        if !cut(rune) {
            break;
        }
        text = &text[..text.len() - width];
    }
    text
}
