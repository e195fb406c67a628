//! YAML as Go's `yaml.v2` and `yaml.v3` write it: block style with sorted keys, texts plain where they
//! can be. Writes only what JSON can hold; reading is [`decode`]'s.

use lockstep_golang::fmt::value_text;
use lockstep_golang::json::Value;
use lockstep_golang::yaml::is_plain_string;

pub use lockstep_golang::yaml::decode;

/// Which of Go's writers is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `yaml.v2`: two spaces a level, lists as far to the left as their key.
    V2,
    /// `yaml.v3`: four spaces a level, lists below their key too.
    V3,
}

impl Style {
    fn indent(self) -> usize {
        match self {
            Self::V2 => 2,
            Self::V3 => 4,
        }
    }

    /// Where a value begins whose key is at `depth`.
    fn below(self, value: &Value, depth: usize) -> usize {
        match (self, value) {
            (Self::V2, Value::Array(_)) => depth,
            (Self::V2, _) => depth + self.indent(),
            // A key behind a dash is between two levels; what is below it is on one again.
            (Self::V3, _) => (depth / self.indent() + 1) * self.indent(),
        }
    }
}

/// A value as a document.
pub fn to_yaml(value: &Value, style: Style) -> String {
    let mut out = String::new();
    match value {
        Value::Object(_) | Value::Array(_) if !is_empty(value) => {
            block(&mut out, value, style, 0);
        }
        other => out.push_str(&scalar(other, style.indent())),
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Writes the lines of a list or mapping that has members.
fn block(out: &mut String, value: &Value, style: Style, depth: usize) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                pad(out, depth);
                out.push_str(&scalar(&Value::String(name.clone()), 0));
                out.push(':');
                below(out, member, style, depth);
            }
        }
        Value::Array(items) => {
            for item in items {
                pad(out, depth);
                out.push('-');
                item_of(out, item, style, depth);
            }
        }
        other => out.push_str(&scalar(other, depth)),
    }
}

/// Writes what stands behind a key.
fn below(out: &mut String, value: &Value, style: Style, depth: usize) {
    if matches!(value, Value::Object(_) | Value::Array(_)) && !is_empty(value) {
        out.push('\n');
        block(out, value, style, style.below(value, depth));
    } else {
        out.push(' ');
        out.push_str(&scalar(value, style.below(value, depth)));
        out.push('\n');
    }
}

/// Writes what stands behind a dash: its first line is the dash's.
fn item_of(out: &mut String, value: &Value, style: Style, depth: usize) {
    out.push(' ');
    if matches!(value, Value::Object(_) | Value::Array(_)) && !is_empty(value) {
        let mut lines = String::new();
        block(&mut lines, value, style, depth + 2);
        out.push_str(lines.trim_start());
    } else {
        out.push_str(&scalar(value, depth + style.indent()));
        out.push('\n');
    }
}

fn pad(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n(' ', depth));
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn scalar(value: &Value, depth: usize) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => string(text, depth),
        Value::Object(_) => "{}".to_owned(),
        Value::Array(_) => "[]".to_owned(),
        other => value_text(other),
    }
}

fn string(text: &str, depth: usize) -> String {
    let odd = |c: char| c.is_control() && c != '\n';
    // A literal block cannot say that its first line begins with a space.
    let indented = text.contains('\n') && text.starts_with([' ', '\n']);
    if indented || text.chars().any(odd) || !is_plain_string(text) {
        return serde_json::Value::from(text).to_string();
    }
    if text.contains('\n') {
        return literal(text, depth);
    }
    if can_be_plain(text) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// A literal block; how many line breaks end it is said at its head.
fn literal(text: &str, depth: usize) -> String {
    let head = match text.len() - text.trim_end_matches('\n').len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let mut out = head.to_owned();
    for line in text.trim_end_matches('\n').split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(&mut out, depth);
            out.push_str(line);
        }
    }
    let ends = text.len() - text.trim_end_matches('\n').len();
    out.extend(std::iter::repeat_n('\n', ends.saturating_sub(1)));
    out
}

fn can_be_plain(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let marks = "#,[]{}&*!|>'\"%@`";
    let opens =
        matches!(first, '-' | '?' | ':') && text[1..].chars().next().is_none_or(|c| c == ' ');
    let spaced = text.starts_with(' ') || text.ends_with(' ');
    let inside = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    !(marks.contains(first) || opens || spaced || inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str) -> String {
        to_yaml(&decode(source.as_bytes()).unwrap(), Style::V3)
    }

    #[test]
    fn lists_and_mappings_are_indented_by_four() {
        let text = "a:\n    - 1\n    - b: x\n      c: z\nd:\n    e: {}\n    f: []\n";

        assert_eq!(written(text), text);
    }

    #[test]
    fn levels_below_a_member_of_a_list_are_multiples_of_four_again() {
        let text = "a:\n    - b: 1\n      c:\n        - x\n        - d:\n            e: f\n";

        assert_eq!(written(text), text);
    }

    #[test]
    fn lists_of_the_older_writer_are_not_indented() {
        let text = "a:\n- 1\n- b: x\n  c:\n    d: z\n";

        assert_eq!(to_yaml(&decode(text.as_bytes()).unwrap(), Style::V2), text);
    }

    #[test]
    fn texts_are_quoted_where_they_would_be_something_else() {
        let text = written(r#"{a: "true", b: "1", c: "", d: "x: y", e: "it's", f: "- x", g: "%"}"#);

        let want = "a: \"true\"\nb: \"1\"\nc: \"\"\nd: 'x: y'\ne: it's\nf: '- x'\ng: '%'\n";
        assert_eq!(text, want);
    }

    #[test]
    fn texts_of_several_lines_are_literal() {
        assert_eq!(written(r#"{a: "x\ny"}"#), "a: |-\n    x\n    y\n");
        assert_eq!(written(r#"{a: "x\ny\n"}"#), "a: |\n    x\n    y\n");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let value = decode(br#"{a: [1, {b: "x: y\n"}, []], c: {d: null, "e:": 1.5}}"#).unwrap();

        assert_eq!(
            decode(to_yaml(&value, Style::V3).as_bytes()).unwrap(),
            value
        );
    }
}
