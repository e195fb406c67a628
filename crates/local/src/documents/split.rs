//! Where the documents of a file begin and end, and on which line. Nothing is parsed here, so that a
//! broken document cannot hide the next one.

/// The text of one document.
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    /// Lines of the file before it.
    pub(super) skipped: usize,
}

impl Part<'_> {
    /// Line of the first thing that is no comment; `None` when there is nothing.
    pub(super) fn first_content(&self) -> Option<usize> {
        let mut lines = self.text.lines().map(str::trim_start);
        let at = lines.position(|line| !line.is_empty() && !line.starts_with('#'))?;
        Some(self.skipped + at + 1)
    }
}

/// Splits at lines that begin with three dashes, as kubectl does.
pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut skipped, mut end) = (0, 0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let mark = line.strip_prefix("---");
        if mark.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])) {
            parts.push(Part {
                text: &text[start..end],
                skipped,
            });
            // What stands behind the dashes belongs to the document they begin.
            let behind = mark.is_some_and(|rest| !rest.trim().is_empty());
            start = if behind { end + 3 } else { end + line.len() };
            skipped = if behind { number } else { number + 1 };
        }
        end += line.len();
    }
    parts.push(Part {
        text: &text[start..end],
        skipped,
    });
    // A mark at the very top begins the first document, it does not end one.
    if parts.len() > 1 && parts[0].first_content().is_none() {
        parts.remove(0);
    }
    parts
}
