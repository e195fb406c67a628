//! Tables as kubectl prints them: upper-case headings, columns three spaces apart, ages in short.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Space between two columns.
const GAP: usize = 3;

/// Rows under headings.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Self {
        Self {
            rows: vec![
                headings
                    .iter()
                    .map(|heading| (*heading).to_owned())
                    .collect(),
            ],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether there are headings only.
    pub fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// The table as text; the last column is not padded.
    pub fn print(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                let missing = width + GAP - cell.chars().count();
                line.extend(std::iter::repeat_n(' ', missing));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Time since a moment, in the short form of kubectl; empty where there is none.
pub fn age(since: Option<&Time>, now: Timestamp) -> String {
    let Some(since) = since else {
        return String::new();
    };
    let seconds = now.duration_since(since.0).as_secs().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    let pair = |large: i64, unit: &str, small: i64, below: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{below}"),
    };
    match seconds {
        ..120 => format!("{seconds}s"),
        120..600 => pair(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => pair(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => pair(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        _ => pair(days / 365, "y", days % 365, "d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_three_spaces_apart() {
        let mut table = Table::new(&["NAME", "READY"]);
        table.row(["database".to_owned(), "True".to_owned()]);
        table.row(["x".to_owned(), String::new()]);

        assert_eq!(table.print(), "NAME       READY\ndatabase   True\nx\n");
    }

    #[test]
    fn ages_are_those_of_kubectl() {
        let now = Timestamp::from_second(100_000_000).unwrap();
        let ago = |seconds: i64| {
            let since = Time(Timestamp::from_second(100_000_000 - seconds).unwrap());
            age(Some(&since), now)
        };

        assert_eq!(ago(0), "0s");
        assert_eq!(ago(119), "119s");
        assert_eq!(ago(150), "2m30s");
        assert_eq!(ago(3_600), "60m");
        assert_eq!(ago(14_400), "4h");
        assert_eq!(ago(90_000), "25h");
        assert_eq!(ago(260_000), "3d");
        assert_eq!(ago(264_000), "3d1h");
        assert_eq!(age(None, now), "");
    }
}
