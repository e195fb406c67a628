//! The characters of a stream and the place reached in it.
//!
//! Line breaks are those of YAML 1.1: CR, LF, CRLF, NEL, LS and PS.

/// What stands behind the last character; it cannot stand in a stream.
pub(super) const END: char = '\0';

/// A place in the stream, all counted from zero in characters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Mark {
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

pub(super) struct Reader {
    chars: Vec<char>,
    pub(super) mark: Mark,
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

pub(super) fn is_break_or_end(c: char) -> bool {
    c == END || is_break(c)
}

pub(super) fn is_blank_or_end(c: char) -> bool {
    is_blank(c) || is_break_or_end(c)
}

/// A character of names: of anchors, tag handles and directives.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

impl Reader {
    pub(super) fn new(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            mark: Mark::default(),
        }
    }

    /// The character here.
    pub(super) fn here(&self) -> char {
        self.ahead(0)
    }

    /// The character some places ahead.
    pub(super) fn ahead(&self, distance: usize) -> char {
        self.chars
            .get(self.mark.index + distance)
            .copied()
            .unwrap_or(END)
    }

    pub(super) fn skip(&mut self) {
        self.mark.index += 1;
        self.mark.column += 1;
    }

    pub(super) fn skip_many(&mut self, count: usize) {
        self.mark.index += count;
        self.mark.column += count;
    }

    /// Takes the character here.
    pub(super) fn take(&mut self) -> char {
        let c = self.here();
        self.skip();
        c
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        while wanted(self.here()) {
            self.skip();
        }
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while wanted(self.here()) {
            text.push(self.take());
        }
        text
    }

    /// Takes the line break here; all but LS and PS read as a line feed.
    pub(super) fn take_break(&mut self) -> char {
        let c = self.here();
        self.mark.index += if c == '\r' && self.ahead(1) == '\n' {
            2
        } else {
            1
        };
        self.mark.line += 1;
        self.mark.column = 0;
        if matches!(c, '\u{2028}' | '\u{2029}') {
            c
        } else {
            '\n'
        }
    }

    /// Whether a line here starts with `---` or `...`.
    pub(super) fn at_document_indicator(&self) -> bool {
        let here = self.here();
        self.mark.column == 0
            && matches!(here, '-' | '.')
            && self.ahead(1) == here
            && self.ahead(2) == here
            && is_blank_or_end(self.ahead(3))
    }
}
