//! Documents and their directives.

use super::{Event, Parser, State};
use crate::yaml::Error;
use crate::yaml::scanner::TokenKind;

const DEFAULT_TAGS: [(&str, &str); 2] = [("!", "!"), ("!!", "tag:yaml.org,2002:")];

impl Parser {
    pub(super) fn document_start(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::StreamEnd => return Ok(Event::End),
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart => {
                self.directives()?;
                if self.peek()? != &TokenKind::DocumentStart {
                    return self.refuse("did not find expected <document start>");
                }
                self.scanner.take();
                self.state = State::DocumentContent;
            }
            _ => {
                self.directives()?;
                self.state = State::BlockNode;
            }
        }
        self.states.push(State::DocumentEnd);
        self.next()
    }

    pub(super) fn document_content(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.states.pop();
                Ok(self.empty(State::DocumentEnd))
            }
            _ => self.node(true, false),
        }
    }

    /// Whatever comes next must at least be a token.
    pub(super) fn document_end(&mut self) -> Result<Event, Error> {
        self.peek()?;
        Ok(Event::End)
    }

    fn directives(&mut self) -> Result<(), Error> {
        let mut version = false;
        loop {
            match self.peek()?.clone() {
                TokenKind::VersionDirective { major, minor } => {
                    if version {
                        return self.refuse("found duplicate %YAML directive");
                    }
                    if (major, minor) != (1, 1) {
                        return self.refuse("found incompatible YAML document");
                    }
                    version = true;
                }
                TokenKind::TagDirective { handle, prefix } => {
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        return self.refuse("found duplicate %TAG directive");
                    }
                    self.tags.push((handle, prefix));
                }
                _ => break,
            }
            self.scanner.take();
        }
        for (handle, prefix) in DEFAULT_TAGS {
            if !self.tags.iter().any(|(known, _)| known == handle) {
                self.tags.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }
}
