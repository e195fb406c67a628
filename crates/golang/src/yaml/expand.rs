//! From nodes to values: scalars resolved, aliases followed, merges done.
//!
//! Counts every value it makes, those behind aliases separately, and gives up on documents that
//! grow mostly by aliases, by the rule and numbers of the Go library. That rule counts values, not
//! bytes, so memory has a limit of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::integer::Integer;
use super::parser::Scalar;
use super::resolve::{Resolved, resolve};
use super::scanner::MAX_DEPTH;
use super::tree::{Id, Node, Tree};
use super::{Error, Version};

/// Most memory the values of one document may take, in bytes, as estimated.
const MAX_BYTES: usize = 32 << 20;
/// What a value takes beside its text.
const VALUE_BYTES: usize = 40;
/// What a mapping takes, however few members it has.
const MAPPING_BYTES: usize = 800;

/// A value as YAML sees it.
pub(super) enum Yaml {
    Scalar(Resolved),
    Sequence(Vec<Yaml>),
    Mapping(Members),
}

/// The members of a mapping; each key keeps the value it was given last.
#[derive(Default)]
pub(super) struct Members {
    by_key: BTreeMap<Key, (usize, Yaml)>,
    given: usize,
}

impl Members {
    fn insert(&mut self, key: Key, value: Yaml) {
        self.by_key.insert(key, (self.given, value));
        self.given += 1;
    }

    /// The members in the order in which they got their values, so that of keys that are alike
    /// only as text the last one wins, too.
    pub(super) fn into_ordered(self) -> impl Iterator<Item = (Key, Yaml)> {
        let members = self.by_key.into_iter();
        let mut members: Vec<_> = members.map(|(key, (at, value))| (at, key, value)).collect();
        members.sort_by_key(|(at, ..)| *at);
        members.into_iter().map(|(_, key, value)| (key, value))
    }
}

/// A key of a mapping; equal only to keys of the same type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    /// The bits of a float.
    Float(u64),
    Text(Vec<u8>),
}

/// Expands a document; an empty one is null.
pub(super) fn expand(tree: &Tree, version: Version) -> Result<Yaml, Error> {
    let mut expander = Expander {
        tree,
        version,
        made: 1,
        aliased: 0,
        bytes: 0,
        alias_depth: 0,
        depth: 0,
        active: vec![false; tree.nodes.len()],
    };
    match tree.root() {
        Some(root) => expander.value(root),
        None => Ok(Yaml::Scalar(Resolved::Null)),
    }
}

struct Expander<'t> {
    tree: &'t Tree,
    version: Version,
    made: u32,
    aliased: u32,
    bytes: usize,
    alias_depth: usize,
    depth: usize,
    /// The aliases being followed.
    active: Vec<bool>,
}

impl Expander<'_> {
    /// Counts one value more.
    fn count(&mut self) -> Result<(), Error> {
        self.made = self.made.saturating_add(1);
        if self.alias_depth > 0 {
            self.aliased = self.aliased.saturating_add(1);
        }
        let ratio = f64::from(self.aliased) / f64::from(self.made);
        if self.aliased > 100 && self.made > 1_000 && ratio > allowed_ratio(self.made) {
            return Err(Error::syntax("document contains excessive aliasing"));
        }
        Ok(())
    }

    /// Takes the memory of a node, before it is made.
    fn hold(&mut self, id: Id) -> Result<(), Error> {
        self.bytes += match &self.tree.nodes[id] {
            Node::Scalar(scalar) => VALUE_BYTES + scalar.text.len(),
            Node::Sequence(_) => VALUE_BYTES,
            // Two values for each member, which take their own part, and the nodes of the map.
            Node::Mapping(children) => MAPPING_BYTES + VALUE_BYTES * children.len(),
            Node::Alias { .. } => 0,
        };
        if self.bytes > MAX_BYTES {
            return Err(Error::syntax("document takes too much memory"));
        }
        Ok(())
    }

    fn value(&mut self, id: Id) -> Result<Yaml, Error> {
        self.count()?;
        self.hold(id)?;
        match &self.tree.nodes[id] {
            Node::Scalar(scalar) => resolve(scalar, self.version).map(Yaml::Scalar),
            Node::Alias { target, name } => {
                self.follow(id, name, |expander| expander.value(*target))
            }
            Node::Sequence(children) => self.nested(|expander| {
                let elements = children.iter().map(|child| expander.value(*child));
                elements.collect::<Result<_, _>>().map(Yaml::Sequence)
            }),
            Node::Mapping(children) => {
                let mut members = Members::default();
                self.members(children, &mut members)?;
                Ok(Yaml::Mapping(members))
            }
        }
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::syntax(format!("exceeded max depth of {MAX_DEPTH}")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn follow<T>(
        &mut self,
        id: Id,
        name: &str,
        inner: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if std::mem::replace(&mut self.active[id], true) {
            return Err(Error::syntax(format!(
                "anchor '{name}' value contains itself"
            )));
        }
        self.alias_depth += 1;
        let result = self.nested(inner);
        self.alias_depth -= 1;
        self.active[id] = false;
        result
    }

    /// Adds the members of a mapping, later ones over earlier ones, merged ones included.
    fn members(&mut self, children: &[Id], members: &mut Members) -> Result<(), Error> {
        let mut given = BTreeSet::new();
        self.nested(|expander| {
            for pair in children.chunks_exact(2) {
                let (key, value) = (pair[0], pair[1]);
                if matches!(&expander.tree.nodes[key], Node::Scalar(scalar) if is_merge(scalar)) {
                    expander.merge(value, members)?;
                    continue;
                }
                let key = to_key(expander.value(key)?)?;
                if expander.version == Version::V3 && !given.insert(key.clone()) {
                    return Err(Error::syntax("a mapping key is already defined"));
                }
                let value = expander.value(value)?;
                members.insert(key, value);
            }
            Ok(())
        })
    }

    /// Merges a mapping, or several, of which the first has precedence.
    fn merge(&mut self, id: Id, members: &mut Members) -> Result<(), Error> {
        match &self.tree.nodes[id] {
            Node::Sequence(children) => {
                for child in children.iter().rev() {
                    if matches!(self.tree.nodes[*child], Node::Sequence(_)) {
                        return Err(cannot_merge());
                    }
                    self.merge(*child, members)?;
                }
                Ok(())
            }
            Node::Mapping(children) => {
                self.count()?;
                self.hold(id)?;
                self.members(children, members)
            }
            Node::Alias { target, name } => match &self.tree.nodes[*target] {
                Node::Mapping(children) => {
                    self.count()?;
                    self.follow(id, name, |expander| {
                        expander.count()?;
                        expander.hold(*target)?;
                        expander.members(children, members)
                    })
                }
                _ => Err(cannot_merge()),
            },
            Node::Scalar(_) => Err(cannot_merge()),
        }
    }
}

fn cannot_merge() -> Error {
    Error::syntax("map merge requires map or sequence of maps as the value")
}

fn is_merge(scalar: &Scalar) -> bool {
    scalar.text == "<<" && (scalar.plain || scalar.tag == "tag:yaml.org,2002:merge")
}

fn to_key(value: Yaml) -> Result<Key, Error> {
    Ok(match value {
        Yaml::Scalar(Resolved::Null) => Key::Null,
        Yaml::Scalar(Resolved::Bool(flag)) => Key::Bool(flag),
        Yaml::Scalar(Resolved::Integer(Integer::Signed(number))) => Key::Signed(number),
        Yaml::Scalar(Resolved::Integer(Integer::Unsigned(number))) => Key::Unsigned(number),
        Yaml::Scalar(Resolved::Float(number)) => Key::Float(number.to_bits()),
        Yaml::Scalar(Resolved::Text(text)) => Key::Text(text),
        Yaml::Sequence(_) | Yaml::Mapping(_) => {
            return Err(Error::syntax("invalid map key: only scalars can be keys"));
        }
    })
}

/// The share of values that may come from aliases: nearly all in small documents, few in large.
fn allowed_ratio(made: u32) -> f64 {
    const LOW: u32 = 400_000;
    const HIGH: u32 = 4_000_000;
    match made {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * (f64::from(made - LOW) / f64::from(HIGH - LOW)),
    }
}
