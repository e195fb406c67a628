//! Draws lines of a terminal on a dark ground; commands are brighter than what they print.

use std::fmt::Write;

use super::terminal::{Line, Span, Style};

const LEFT: usize = 18;
const TOP: usize = 34;
const HEIGHT: usize = 19;

const PLAIN: &str = "#b8bec9";
const TYPED: &str = "#ffffff";
const DIM: &str = "#7d8590";
const GROUND: &str = "#16181d";

/// The picture.
pub(super) fn draw(lines: &[Line]) -> String {
    let columns = lines.iter().map(letters).max();
    let width = 2 * LEFT + pixels(columns.unwrap_or_default());
    let height = TOP + lines.len() * HEIGHT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{GROUND}\"/>\n"
    );
    for (row, line) in lines.iter().enumerate() {
        let y = TOP + row * HEIGHT;
        if line.iter().any(|span| span.style.reversed) {
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{}\" width=\"{}\" height=\"{HEIGHT}\" fill=\"{PLAIN}\"/>",
                y - 14,
                width - 2 * LEFT
            );
        }
        let first = line.first().map_or("", |span| &span.text);
        let colour = if first.starts_with("$ ") {
            TYPED
        } else {
            PLAIN
        };
        let text: String = line.iter().map(span).collect();
        let _ = writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"{y}\" fill=\"{colour}\" xml:space=\"preserve\">{text}</text>"
        );
    }
    out.push_str("</svg>\n");
    out
}

fn letters(line: &Line) -> usize {
    line.iter().map(|span| span.text.chars().count()).sum()
}

/// A letter of this font is a little under eight pixels wide.
fn pixels(letters: usize) -> usize {
    letters * 79 / 10
}

fn span(span: &Span) -> String {
    let text = escaped(&span.text);
    if span.style == Style::default() {
        return text;
    }
    let Style {
        colour,
        bold,
        dim,
        reversed,
    } = span.style;
    let fill = match (reversed, colour) {
        (true, _) => GROUND,
        (false, Some(1)) => "#ff7b72",
        (false, Some(2)) => "#7ee787",
        (false, Some(3)) => "#e3b341",
        (false, _) if dim => DIM,
        (false, _) if bold => TYPED,
        (false, _) => PLAIN,
    };
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    format!("<tspan fill=\"{fill}\"{weight}>{text}</tspan>")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::terminal::plain;
    use super::*;

    #[test]
    fn every_line_is_drawn_and_marks_of_xml_are_escaped() {
        let drawn = draw(&[plain("$ a"), plain("<b> & c")]);

        assert!(drawn.contains(">$ a</text>"));
        assert!(drawn.contains(">&lt;b&gt; &amp; c</text>"));
    }

    #[test]
    fn colours_are_drawn_by_their_number() {
        let red = Span {
            text: "x".to_owned(),
            style: Style {
                colour: Some(1),
                ..Style::default()
            },
        };

        assert!(draw(&[vec![red]]).contains("<tspan fill=\"#ff7b72\">x</tspan>"));
    }
}
