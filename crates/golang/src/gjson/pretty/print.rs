//! The printer behind `@pretty`.
//!
//! It follows the layout rules of `tidwall/pretty` to the byte, also where the JSON is malformed.

use super::end_of_string;
use super::sort::{self, Pair};
use crate::gjson::token::end_of_container;

/// Containers nested deeper than this are left as they are.
const MAX_DEPTH: usize = 150;

/// How the value at hand is to be laid out.
#[derive(Clone, Copy)]
struct Layout {
    /// Over several lines.
    pretty: bool,
    /// An array is being tried on a single line.
    single: bool,
    tabs: usize,
    /// Where the current line begins in the output.
    line: usize,
}

/// Where printing of a value ended.
struct End {
    at: usize,
    line: usize,
    /// Whether the value may stand in an array on a single line.
    fits: bool,
}

/// A container being printed.
struct Block {
    object: bool,
    empty: bool,
    /// The members so far, if they are to be sorted.
    pairs: Option<Vec<Pair>>,
}

pub(super) struct Printer<'j> {
    json: &'j [u8],
    /// Longest line an array may take to stay on one.
    pub(super) width: i64,
    pub(super) prefix: Vec<u8>,
    pub(super) indent: Vec<u8>,
    pub(super) sort: bool,
    out: Vec<u8>,
    depth: usize,
    /// Output beyond this is not indented; the caller's budget refuses it anyway.
    room: usize,
    /// Where an array that is tried on a line is too long for it.
    line_end: usize,
}

impl<'j> Printer<'j> {
    pub(super) fn new(json: &'j [u8], room: usize) -> Self {
        Self {
            json,
            width: 80,
            prefix: Vec::new(),
            indent: b"  ".to_vec(),
            sort: false,
            out: Vec::with_capacity(json.len()),
            depth: 0,
            room,
            line_end: usize::MAX,
        }
    }

    /// Prints the first value of the JSON.
    pub(super) fn print(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.prefix);
        self.any(
            0,
            Layout {
                pretty: true,
                single: false,
                tabs: 0,
                line: 0,
            },
        );
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        self.out
    }

    fn any(&mut self, at: usize, layout: Layout) -> End {
        for at in at..self.json.len() {
            let rest = &self.json[at..];
            let word: &[u8] = match rest[0] {
                b'"' => return self.copy(at, end_of_string(self.json, at), layout),
                b'{' | b'[' => return self.container(at, layout),
                b't' => b"true",
                b'f' => b"false",
                b'n' if matches!(rest.get(1), None | Some(b'u')) => b"null",
                b'n' | b'N' | b'i' | b'I' | b'+' | b'-' | b'0'..=b'9' => {
                    return self.copy(at, self.end_of_number(at), layout);
                }
                _ => continue,
            };
            self.out.extend_from_slice(word);
            return End {
                at: at + word.len(),
                line: layout.line,
                fits: true,
            };
        }
        End {
            at: self.json.len(),
            line: layout.line,
            fits: true,
        }
    }

    fn copy(&mut self, at: usize, end: usize, layout: Layout) -> End {
        self.out.extend_from_slice(&self.json[at..end]);
        End {
            at: end,
            line: layout.line,
            fits: true,
        }
    }

    fn end_of_number(&self, at: usize) -> usize {
        let stop = |byte: &u8| *byte <= b' ' || matches!(byte, b',' | b':' | b']' | b'}');
        let length = self.json[at + 1..].iter().position(stop);
        length.map_or(self.json.len(), |length| at + 1 + length)
    }

    fn container(&mut self, at: usize, layout: Layout) -> End {
        let object = self.json[at] == b'{';
        if self.width > 0 {
            if layout.pretty && !object && !layout.single {
                if let Some(end) = self.single_line(at, layout) {
                    return end;
                }
            } else if layout.single && object {
                return End {
                    at,
                    line: layout.line,
                    fits: false,
                };
            }
        }
        self.members(at, layout)
    }

    /// Tries an array on what is left of the line.
    fn single_line(&mut self, at: usize, layout: Layout) -> Option<End> {
        let begin = self.out.len();
        let used = i64::try_from(begin - layout.line.min(begin)).unwrap_or(i64::MAX);
        let room = self.width.saturating_sub(used);
        if room <= 3 {
            return None;
        }
        self.line_end = begin.saturating_add(usize::try_from(room).unwrap_or(usize::MAX));
        let end = self.members(
            at,
            Layout {
                pretty: false,
                single: true,
                tabs: 0,
                line: 0,
            },
        );
        let length = i64::try_from(self.out.len() - begin).unwrap_or(i64::MAX);
        if end.fits && length <= room {
            return Some(End {
                line: layout.line,
                ..end
            });
        }
        self.out.truncate(begin);
        None
    }

    /// Prints a container with what is in it.
    fn members(&mut self, at: usize, layout: Layout) -> End {
        if self.depth == MAX_DEPTH {
            return self.copy(at, end_of_container(self.json, at), layout);
        }
        self.depth += 1;
        let open = self.json[at];
        let object = open == b'{';
        let pairs = (object && self.sort && layout.pretty).then(Vec::new);
        let mut block = Block {
            object,
            empty: true,
            pairs,
        };
        self.out.push(open);
        let mut end = End {
            at: at + 1,
            line: layout.line,
            fits: !object,
        };
        while let Some(&byte) = self.json.get(end.at) {
            if byte == open + 2 {
                if layout.pretty {
                    self.close_lines(block, layout.tabs, &mut end);
                }
                self.out.push(byte);
                end = End {
                    at: end.at + 1,
                    line: end.line,
                    fits: !object,
                };
                break;
            }
            if byte <= b' ' || (object && byte != b'"') {
                end.at += 1;
                continue;
            }
            end = self.member(
                end.at,
                Layout {
                    line: end.line,
                    ..layout
                },
                &mut block,
            );
            if layout.single && (!end.fits || self.out.len() > self.line_end) {
                end.fits = false;
                break;
            }
            end.fits = !object;
        }
        self.depth -= 1;
        end
    }

    /// Prints one element, or one key and value.
    fn member(&mut self, at: usize, layout: Layout, block: &mut Block) -> End {
        if !block.empty {
            let spaced = !block.object && self.width != -1;
            self.out
                .extend_from_slice(if spaced { b", " } else { b"," });
        }
        block.empty = false;
        let (mut at, mut line) = (at, layout.line);
        let mut pair = Pair {
            key: at..at,
            text: 0..0,
        };
        if layout.pretty {
            line = self.break_line();
            pair.text.start = self.out.len();
            self.tabs(layout.tabs + 1);
        }
        if block.object {
            pair.key.end = end_of_string(self.json, at);
            self.out.extend_from_slice(&self.json[pair.key.clone()]);
            at = pair.key.end;
            self.out
                .extend_from_slice(if layout.pretty { b": " } else { b":" });
        }
        let end = self.any(
            at,
            Layout {
                tabs: layout.tabs + 1,
                line,
                ..layout
            },
        );
        pair.text.end = self.out.len();
        if let Some(pairs) = &mut block.pairs {
            pairs.push(pair);
        }
        end
    }

    /// Ends the lines of a container, before its closing bracket.
    fn close_lines(&mut self, block: Block, tabs: usize, end: &mut End) {
        if let Some(pairs) = block.pairs {
            sort::sort(self.json, &mut self.out, pairs);
        }
        if !block.empty {
            end.line = self.break_line();
            self.tabs(tabs);
        }
    }

    /// Starts a new line; a space before it gives way.
    fn break_line(&mut self) -> usize {
        let line = self.out.len();
        if self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        self.out.push(b'\n');
        line
    }

    fn tabs(&mut self, tabs: usize) {
        if self.out.len() > self.room {
            return;
        }
        self.out.extend_from_slice(&self.prefix);
        for _ in 0..tabs {
            self.out.extend_from_slice(&self.indent);
        }
    }
}
