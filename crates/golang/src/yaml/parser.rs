//! Makes events of tokens, by the grammar of YAML 1.1.
//!
//! A machine with an explicit stack of states; nothing recurses.

mod collection;
mod document;
mod node;

use super::Error;
use super::reader::Mark;
use super::scanner::{Scanner, TokenKind};

/// One step through a document.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    Scalar(Scalar),
    Sequence {
        anchor: Option<String>,
    },
    Mapping {
        anchor: Option<String>,
    },
    EndOfCollection,
    Alias(String),
    /// The end of the document, or of a stream without any.
    End,
}

/// A scalar as written.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Scalar {
    pub(super) text: String,
    /// Its form decides its type.
    pub(super) plain: bool,
    pub(super) tag: String,
    pub(super) anchor: Option<String>,
}

/// What is expected next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirst,
    BlockSequence,
    IndentlessSequence,
    BlockMappingFirst,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequence,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
}

/// The events of the first document of a stream.
pub(super) struct Parser {
    scanner: Scanner,
    state: State,
    /// What to expect behind each open node.
    states: Vec<State>,
    /// Tag handles and the prefixes they stand for.
    tags: Vec<(String, String)>,
}

impl Parser {
    pub(super) fn new(text: &str) -> Self {
        Self {
            scanner: Scanner::new(text),
            state: State::DocumentStart,
            states: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Result<Event, Error> {
        match self.state {
            State::DocumentStart => self.document_start(),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequenceFirst => {
                self.scanner.take();
                self.block_sequence()
            }
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingFirst => {
                self.scanner.take();
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => {
                self.scanner.take();
                self.flow_sequence(true)
            }
            State::FlowSequence => self.flow_sequence(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                self.state = State::FlowSequence;
                self.scanner.peek()?;
                Ok(Event::EndOfCollection)
            }
            State::FlowMappingFirst => {
                self.scanner.take();
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => {
                self.scanner.peek()?;
                Ok(self.empty(State::FlowMappingKey))
            }
        }
    }

    /// The kind of the next token.
    fn peek(&mut self) -> Result<&TokenKind, Error> {
        self.scanner.peek().map(|token| &token.kind)
    }

    /// Drops the next token and looks at the one behind it.
    fn advance(&mut self) -> Result<&TokenKind, Error> {
        self.scanner.take();
        self.peek()
    }

    /// Goes back to what was expected behind the node that just ended.
    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    /// A node that was left out.
    fn empty(&mut self, next: State) -> Event {
        self.state = next;
        Event::Scalar(Scalar {
            plain: true,
            ..Scalar::default()
        })
    }

    /// A node, with what is expected behind it.
    fn node_then(&mut self, next: State, block: bool, indentless: bool) -> Result<Event, Error> {
        self.states.push(next);
        self.node(block, indentless)
    }

    /// The refusal of the next token.
    fn refuse<T>(&mut self, problem: &str) -> Result<T, Error> {
        let mark = self.scanner.peek()?.mark;
        Self::refuse_at(mark, problem)
    }

    fn refuse_at<T>(mark: Mark, problem: &str) -> Result<T, Error> {
        Err(Error::at_line(mark.line, problem))
    }
}
