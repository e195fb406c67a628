//! Sequences and mappings, in blocks and in flow style.

use super::{Event, Parser, State};
use crate::yaml::Error;
use crate::yaml::scanner::TokenKind;

impl Parser {
    /// Ends the collection at hand, whose closing token comes next.
    fn end(&mut self) -> Event {
        self.scanner.take();
        self.pop();
        Event::EndOfCollection
    }

    pub(super) fn block_sequence(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::BlockEntry => match self.advance()? {
                TokenKind::BlockEntry | TokenKind::BlockEnd => Ok(self.empty(State::BlockSequence)),
                _ => self.node_then(State::BlockSequence, true, false),
            },
            TokenKind::BlockEnd => Ok(self.end()),
            _ => self.refuse("did not find expected '-' indicator"),
        }
    }

    pub(super) fn indentless_sequence(&mut self) -> Result<Event, Error> {
        if self.peek()? != &TokenKind::BlockEntry {
            self.pop();
            return Ok(Event::EndOfCollection);
        }
        match self.advance()? {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.empty(State::IndentlessSequence))
            }
            _ => self.node_then(State::IndentlessSequence, true, false),
        }
    }

    pub(super) fn block_mapping_key(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Key => match self.advance()? {
                TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    Ok(self.empty(State::BlockMappingValue))
                }
                _ => self.node_then(State::BlockMappingValue, true, true),
            },
            TokenKind::BlockEnd => Ok(self.end()),
            _ => self.refuse("did not find expected key"),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Result<Event, Error> {
        if self.peek()? != &TokenKind::Value {
            return Ok(self.empty(State::BlockMappingKey));
        }
        match self.advance()? {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.empty(State::BlockMappingKey))
            }
            _ => self.node_then(State::BlockMappingKey, true, true),
        }
    }

    pub(super) fn flow_sequence(&mut self, first: bool) -> Result<Event, Error> {
        if self.peek()? != &TokenKind::FlowSequenceEnd && !first {
            if self.peek()? != &TokenKind::FlowEntry {
                return self.refuse("did not find expected ',' or ']'");
            }
            self.scanner.take();
        }
        match self.peek()? {
            TokenKind::FlowSequenceEnd => Ok(self.end()),
            TokenKind::Key => {
                self.scanner.take();
                self.state = State::FlowPairKey;
                Ok(Event::Mapping { anchor: None })
            }
            _ => self.node_then(State::FlowSequence, false, false),
        }
    }

    /// The key of a mapping of one pair, written without braces inside a sequence.
    pub(super) fn flow_pair_key(&mut self) -> Result<Event, Error> {
        match self.peek()? {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // The token is dropped, as the Go library does.
                self.scanner.take();
                Ok(self.empty(State::FlowPairValue))
            }
            _ => self.node_then(State::FlowPairValue, false, false),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Result<Event, Error> {
        if self.peek()? == &TokenKind::Value {
            match self.advance()? {
                TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {}
                _ => return self.node_then(State::FlowPairEnd, false, false),
            }
        }
        Ok(self.empty(State::FlowPairEnd))
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<Event, Error> {
        if self.peek()? != &TokenKind::FlowMappingEnd && !first {
            if self.peek()? != &TokenKind::FlowEntry {
                return self.refuse("did not find expected ',' or '}'");
            }
            self.scanner.take();
        }
        match self.peek()? {
            TokenKind::FlowMappingEnd => Ok(self.end()),
            TokenKind::Key => match self.advance()? {
                TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                    Ok(self.empty(State::FlowMappingValue))
                }
                _ => self.node_then(State::FlowMappingValue, false, false),
            },
            _ => self.node_then(State::FlowMappingEmptyValue, false, false),
        }
    }

    pub(super) fn flow_mapping_value(&mut self) -> Result<Event, Error> {
        if self.peek()? == &TokenKind::Value {
            match self.advance()? {
                TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {}
                _ => return self.node_then(State::FlowMappingKey, false, false),
            }
        }
        Ok(self.empty(State::FlowMappingKey))
    }
}
