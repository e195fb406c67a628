//! The order of keys: letters last, numbers inside a key by their value.

use std::cmp::Ordering;

use crate::unicode::{is_digit, is_letter};

/// Compares keys as `yaml.v2` sorts them.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = a.iter().zip(&b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    let (x, y) = (a[at], b[at]);
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // Behind a digit other than zero, a zero counts.
    let mut start = 0;
    if x == '0' || y == '0' {
        let before = a[..at].iter().rev().take_while(|c| is_digit(**c));
        start = i64::from(before.clone().any(|c| *c != '0'));
    }
    let (number_a, end_a) = number(&a, at, start);
    let (number_b, end_b) = number(&b, at, start);
    number_a
        .cmp(&number_b)
        .then(end_a.cmp(&end_b))
        .then(x.cmp(&y))
}

fn number(key: &[char], at: usize, start: i64) -> (i64, usize) {
    let digits = key[at..].iter().take_while(|c| is_digit(**c));
    let value = |n: i64, c: &char| {
        let digit = i64::from(u32::from(*c)) - i64::from(u32::from('0'));
        n.wrapping_mul(10).wrapping_add(digit)
    };
    (digits.clone().fold(start, value), at + digits.count())
}
