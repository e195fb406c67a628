//! What a terminal shows after some output: lines of text with their colours. Escape sequences are
//! understood by a terminal in memory, so that a program on its other screen is drawn too.

use std::num::NonZeroU16;

/// Parts of a line, each in one style.
pub(super) type Line = Vec<Span>;

/// Text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// Number of the colour, as terminals count them.
    pub(super) colour: Option<u8>,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) reversed: bool,
}

/// A command as it is typed.
pub(super) fn typed(command: &str) -> Line {
    plain(&format!("$ {command}"))
}

/// A line without colours.
pub(super) fn plain(text: &str) -> Line {
    vec![Span {
        text: text.to_owned(),
        style: Style::default(),
    }]
}

/// What a terminal of this size shows after this output.
pub(super) fn shown(output: &[u8], rows: u16, columns: u16) -> Vec<Line> {
    let size = |number| NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN);
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    parser.process(output);
    let screen = parser.screen();
    let mut lines: Vec<Line> = (0..rows).map(|row| line(screen, row, columns)).collect();
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn line(screen: &vt100::Screen, row: u16, columns: u16) -> Line {
    let mut line: Line = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        let style = Style {
            colour: match cell.fgcolor() {
                vt100::Color::Idx(number) => Some(number),
                _ => None,
            },
            bold: cell.bold(),
            dim: cell.dim(),
            reversed: cell.inverse(),
        };
        let text = match cell.contents() {
            "" => " ",
            text => text,
        };
        match line.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => line.push(Span {
                text: text.to_owned(),
                style,
            }),
        }
    }
    if let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    line.retain(|span| !span.text.is_empty());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_spans() {
        let lines = shown(b"a \x1b[1;31mb\x1b[0m\r\n", 3, 20);

        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0][0].text, "a ");
        assert_eq!(lines[0][1].text, "b");
        assert_eq!(lines[0][1].style.colour, Some(1));
        assert!(lines[0][1].style.bold);
    }
}
