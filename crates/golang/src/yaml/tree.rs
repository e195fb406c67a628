//! The nodes of a document, as written: aliases are references, scalars are text.
//!
//! Nodes live in one list and refer to each other by index, so that a node may be shared and even
//! contain itself until that is found out.

use std::collections::BTreeMap;

use super::Error;
use super::parser::{Event, Parser, Scalar};

pub(super) type Id = usize;

/// Most nodes of one document: their list alone takes about 100 bytes for each.
const MAX_NODES: usize = 500_000;

pub(super) enum Node {
    Scalar(Scalar),
    Sequence(Vec<Id>),
    /// Keys and values, alternating.
    Mapping(Vec<Id>),
    Alias {
        target: Id,
        name: String,
    },
}

/// The first document of a stream.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    /// The node all others hang from; nothing for an empty stream.
    pub(super) fn root(&self) -> Option<Id> {
        (!self.nodes.is_empty()).then_some(0)
    }

    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let mut parser = Parser::new(text);
        let mut nodes: Vec<Node> = Vec::new();
        let mut anchors = BTreeMap::new();
        let mut open: Vec<Id> = Vec::new();
        loop {
            let id = nodes.len();
            let (node, anchor) = match parser.next()? {
                Event::End => return Ok(Self { nodes }),
                Event::EndOfCollection => {
                    open.pop();
                    continue;
                }
                Event::Scalar(mut scalar) => {
                    let anchor = scalar.anchor.take();
                    (Node::Scalar(scalar), anchor)
                }
                Event::Sequence { anchor } => (Node::Sequence(Vec::new()), anchor),
                Event::Mapping { anchor } => (Node::Mapping(Vec::new()), anchor),
                Event::Alias(name) => {
                    let Some(target) = anchors.get(&name).copied() else {
                        let problem = format!("unknown anchor '{name}' referenced");
                        return Err(Error::syntax(problem));
                    };
                    (Node::Alias { target, name }, None)
                }
            };
            if let Some(Node::Sequence(children) | Node::Mapping(children)) =
                open.last().and_then(|parent| nodes.get_mut(*parent))
            {
                children.push(id);
            }
            if matches!(node, Node::Sequence(_) | Node::Mapping(_)) {
                open.push(id);
            }
            if nodes.len() == MAX_NODES {
                return Err(Error::syntax("document takes too much memory"));
            }
            nodes.push(node);
            if let Some(name) = anchor {
                anchors.insert(name, id);
            }
        }
    }
}
