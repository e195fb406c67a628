//! A node: its anchor and tag, and what kind of node follows them.

use super::{Event, Parser, Scalar, State};
use crate::yaml::Error;
use crate::yaml::reader::Mark;
use crate::yaml::scanner::TokenKind;

/// What may stand before a node, in either order.
#[derive(Default)]
struct Properties {
    anchor: Option<String>,
    tag: Option<(String, String, Mark)>,
}

impl Parser {
    /// A node; blocks only where allowed, and a sequence without indentation of its own only as
    /// the value of a mapping.
    pub(super) fn node(&mut self, block: bool, indentless: bool) -> Result<Event, Error> {
        if let TokenKind::Alias(name) = self.peek()? {
            let name = name.clone();
            self.scanner.take();
            self.pop();
            return Ok(Event::Alias(name));
        }
        let Properties { anchor, tag } = self.properties()?;
        let tag = match tag {
            Some((handle, suffix, mark)) => self.resolve_tag(&handle, suffix, mark)?,
            None => String::new(),
        };
        let bare = anchor.is_none() && tag.is_empty();
        match self.peek()? {
            TokenKind::BlockEntry if indentless => {
                self.state = State::IndentlessSequence;
                Ok(Event::Sequence { anchor })
            }
            TokenKind::Scalar { .. } => {
                let event = self.scalar(anchor, tag);
                self.pop();
                Ok(event)
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirst;
                Ok(Event::Sequence { anchor })
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirst;
                Ok(Event::Mapping { anchor })
            }
            TokenKind::BlockSequenceStart if block => {
                self.state = State::BlockSequenceFirst;
                Ok(Event::Sequence { anchor })
            }
            TokenKind::BlockMappingStart if block => {
                self.state = State::BlockMappingFirst;
                Ok(Event::Mapping { anchor })
            }
            _ if bare => self.refuse("did not find expected node content"),
            _ => {
                self.pop();
                let plain = tag.is_empty();
                Ok(Event::Scalar(Scalar {
                    text: String::new(),
                    plain,
                    tag,
                    anchor,
                }))
            }
        }
    }

    fn properties(&mut self) -> Result<Properties, Error> {
        let mut properties = Properties::default();
        loop {
            let token = self.scanner.peek()?;
            match &token.kind {
                TokenKind::Anchor(name) if properties.anchor.is_none() => {
                    properties.anchor = Some(name.clone());
                }
                TokenKind::Tag { handle, suffix } if properties.tag.is_none() => {
                    properties.tag = Some((handle.clone(), suffix.clone(), token.mark));
                }
                _ => return Ok(properties),
            }
            self.scanner.take();
        }
    }

    fn resolve_tag(&self, handle: &str, suffix: String, mark: Mark) -> Result<String, Error> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        let prefix = self.tags.iter().find(|(known, _)| known == handle);
        match prefix.map(|(_, prefix)| format!("{prefix}{suffix}")) {
            Some(tag) if !tag.is_empty() => Ok(tag),
            _ => Self::refuse_at(mark, "found undefined tag handle"),
        }
    }

    fn scalar(&mut self, anchor: Option<String>, tag: String) -> Event {
        let TokenKind::Scalar { text, plain } = self.scanner.take().kind else {
            return Event::End;
        };
        let plain = (tag.is_empty() && plain) || tag == "!";
        Event::Scalar(Scalar {
            text,
            plain,
            tag,
            anchor,
        })
    }
}
