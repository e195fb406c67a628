//! A line of a file with a caret under one of its columns. Long lines are cut around the caret.

/// Most characters of a line that are shown.
const WIDTH: usize = 100;

/// The line `number` with a caret under its column; both count from one, columns in characters.
pub(crate) fn excerpt(number: usize, line: &str, column: usize) -> String {
    let letters: Vec<char> = line
        .trim_end()
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let caret = column.saturating_sub(1).min(letters.len());
    let start = if letters.len() > WIDTH {
        caret.saturating_sub(WIDTH * 2 / 3)
    } else {
        0
    };
    let end = letters.len().min(start + WIDTH);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < letters.len() { "…" } else { "" };
    let shown: String = letters[start..end].iter().collect();
    let indent = caret - start + before.chars().count();
    let number = number.to_string();
    let gutter = " ".repeat(number.len());
    format!(
        "{gutter} |\n{number} | {before}{shown}{after}\n{gutter} | {}^\n",
        " ".repeat(indent)
    )
}

/// The column in characters, from one, of a byte of a line.
pub(crate) fn column(line: &str, byte: usize) -> usize {
    let byte = line.floor_char_boundary(byte);
    line[..byte].chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_column() {
        assert_eq!(
            excerpt(12, "é: {{ .x }}", 7),
            "   |\n12 | é: {{ .x }}\n   |       ^\n"
        );
        assert_eq!(column("é: {{ .x }}", 7), 7);
    }

    #[test]
    fn a_column_behind_the_end_points_there() {
        assert_eq!(excerpt(1, "ab\n", 9), "  |\n1 | ab\n  |   ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let line = format!("{}X{}", "a".repeat(300), "b".repeat(300));

        let excerpt = excerpt(1, &line, 301);

        let lines: Vec<&str> = excerpt.lines().collect();
        let at = lines[2].chars().position(|letter| letter == '^').unwrap();
        assert_eq!(lines[1].chars().nth(at), Some('X'));
        assert!(lines[1].chars().count() < 110, "{}", lines[1]);
        assert!(lines[1].ends_with('…') && lines[1].contains("| …"));
    }
}
