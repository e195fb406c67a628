//! Block scalars: literal with `|`, folded with `>`.

use super::{Scanner, TokenKind};
use crate::yaml::Error;
use crate::yaml::reader::{END, is_blank, is_break, is_break_or_end};

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Scanner {
    pub(super) fn block_scalar(&mut self, literal: bool) -> Result<(), Error> {
        self.drop_key()?;
        self.key_allowed = true;
        let mark = self.reader.mark;
        self.reader.skip();
        let (chomping, increment) = self.block_header()?;
        self.end_of_line()?;

        let mut indent = match increment {
            0 => 0,
            _ => self.indent.saturating_sub(1) + increment,
        };
        let mut text = String::new();
        let mut line_break = None;
        let mut breaks = self.block_breaks(&mut indent)?;
        let mut after_blank = false;
        while self.reader.mark.column == indent && self.reader.here() != END {
            let blank = is_blank(self.reader.here());
            if !literal && !after_blank && !blank && line_break == Some('\n') {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(line_break);
            }
            text.push_str(&breaks);
            after_blank = blank;
            text.push_str(&self.reader.take_while(|c| !is_break_or_end(c)));
            line_break = is_break(self.reader.here()).then(|| self.reader.take_break());
            breaks = self.block_breaks(&mut indent)?;
        }
        if chomping != Chomping::Strip {
            text.extend(line_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&breaks);
        }
        self.push(TokenKind::Scalar { text, plain: false }, mark);
        Ok(())
    }

    /// The indicators behind `|` or `>`, in either order; zero stands for no indentation given.
    fn block_header(&mut self) -> Result<(Chomping, usize), Error> {
        let mut chomping = self.chomping();
        let increment = match self.reader.here().to_digit(10) {
            None => 0,
            Some(0) => return self.refuse("found an indentation indicator equal to 0"),
            Some(digit) => {
                self.reader.skip();
                digit as usize
            }
        };
        if increment > 0 && chomping.is_none() {
            chomping = self.chomping();
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.reader.here() {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return None,
        };
        self.reader.skip();
        Some(chomping)
    }

    /// Skips indentation and empty lines; finds out the indentation if it is not known yet.
    fn block_breaks(&mut self, indent: &mut usize) -> Result<String, Error> {
        let mut breaks = String::new();
        let mut deepest = 0;
        loop {
            let inside = |column| *indent == 0 || column < *indent;
            while inside(self.reader.mark.column) && self.reader.here() == ' ' {
                self.reader.skip();
            }
            deepest = deepest.max(self.reader.mark.column);
            if inside(self.reader.mark.column) && self.reader.here() == '\t' {
                let problem = "found a tab character where an indentation space is expected";
                return self.refuse(problem);
            }
            if !is_break(self.reader.here()) {
                break;
            }
            breaks.push(self.reader.take_break());
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent).max(1);
        }
        Ok(breaks)
    }
}
