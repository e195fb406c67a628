//! Which style a text can be written in.

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// What the characters of a text allow.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each style is allowed or not"
)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Analysis {
    pub(super) multiline: bool,
    plain: bool,
    single_quoted: bool,
    block: bool,
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}'
}

/// Whether `text` begins with something that means more than itself.
fn has_indicators(text: &str) -> bool {
    if text.starts_with("---") || text.starts_with("...") {
        return true;
    }
    let blank = |c: Option<char>| c.is_none_or(|c| matches!(c, ' ' | '\t'));
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let follows_blank = blank(rest.peek().copied());
        let found = match (before, c) {
            (None, '?' | ':' | '-') | (Some(_), ':') => follows_blank,
            (
                None,
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
                | '@' | '`',
            ) => true,
            (Some(before), '#') => matches!(before, ' ' | '\t' | '\0') || is_break(before),
            _ => false,
        };
        if found {
            return true;
        }
        before = Some(c);
    }
    false
}

pub(super) fn analyze(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis {
            multiline: false,
            plain: true,
            single_quoted: true,
            block: false,
        };
    }
    let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || is_break(c));
    let mut analysis = Analysis {
        multiline: false,
        plain: true,
        single_quoted: true,
        block: true,
    };
    if edge(text.chars().next()) || edge(text.chars().next_back()) || has_indicators(text) {
        analysis.plain = false;
    }
    if text.ends_with(' ') {
        analysis.block = false;
    }
    let mut before = None;
    for c in text.chars() {
        let broken = before.is_some_and(is_break);
        if !is_printable(c) || is_break(c) && before == Some(' ') {
            (analysis.plain, analysis.single_quoted, analysis.block) = (false, false, false);
        }
        if c == ' ' && broken {
            (analysis.plain, analysis.single_quoted) = (false, false);
        }
        if is_break(c) {
            analysis.multiline = true;
            analysis.plain = false;
        }
        before = Some(c);
    }
    analysis
}

/// The style for a text, as a key or as a value.
pub(super) fn style(text: &str, analysis: Analysis, simple_key: bool) -> Style {
    let mut style = if text.contains('\n') {
        Style::Literal
    } else if lockstep_golang::yaml::is_plain_string(text) && !is_base_60(text) {
        Style::Plain
    } else {
        Style::DoubleQuoted
    };
    if simple_key && analysis.multiline {
        style = Style::DoubleQuoted;
    }
    if style == Style::Plain && (!analysis.plain || text.is_empty() && simple_key) {
        style = Style::SingleQuoted;
    }
    if style == Style::SingleQuoted && !analysis.single_quoted
        || style == Style::Literal && (!analysis.block || simple_key)
    {
        style = Style::DoubleQuoted;
    }
    style
}

/// Old parsers take `1:30` for ninety.
fn is_base_60(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (body, fraction) = match body.split_once('.') {
        Some((body, fraction)) => (body, fraction),
        None => (body, ""),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut parts = body.split(':');
    let first = parts.next().unwrap_or_default();
    let mut sixties = parts.peekable();
    first.starts_with(|c: char| c.is_ascii_digit())
        && digits(first)
        && digits(fraction)
        && sixties.peek().is_some()
        && sixties.all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}
