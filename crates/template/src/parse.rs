//! Turns template source into an [`Ast`], with Go's grammar and Go's error texts.
//!
//! Statements are parsed with an explicit stack of open blocks (`parse::block`), so only
//! parentheses recurse, and those are limited. Function names are resolved here: an unknown one
//! is a parse error, as in Go.

mod block;
mod number;
mod pipeline;
mod tokens;

use block::Builder;
use tokens::Tokens;

use crate::ast::{Ast, NameId, ROOT, Unit};
use crate::error::Error;
use crate::lex::Kind;
use crate::value::Str;

/// How deep parentheses may nest; Go allows 10,000, no template written by hand needs 20.
const MAX_PARENS: usize = 250;

/// The longest source that is looked at.
const MAX_SOURCE: usize = 64 << 20;

/// What the parser needs to know beside the source.
#[derive(Clone, Copy)]
pub(crate) struct Grammar<'a> {
    pub(crate) name: &'a str,
    pub(crate) left: &'a [u8],
    pub(crate) right: &'a [u8],
}

/// Parses `source`.
pub(crate) fn parse(source: &[u8], grammar: Grammar<'_>) -> Result<Ast, Error> {
    if source.len() > MAX_SOURCE {
        return Err(Error::limit(
            grammar.name,
            (1, 0),
            format!("template source exceeds {MAX_SOURCE} bytes"),
        ));
    }
    let mut parser = Parser {
        name: grammar.name,
        source,
        tokens: Tokens::new(source, grammar),
        ast: Ast {
            source: Str::from(source),
            ..Ast::default()
        },
        left: grammar.left,
        parens: 0,
        action: None,
    };
    parser.run()?;
    Ok(parser.ast)
}

struct Parser<'s> {
    name: &'s str,
    source: &'s [u8],
    tokens: Tokens<'s>,
    ast: Ast,
    left: &'s [u8],
    /// How many parentheses are open.
    parens: usize,
    /// Where the action being parsed began, for errors that appear on another line.
    action: Option<usize>,
}

type Parsed<T> = Result<T, Error>;

impl Parser<'_> {
    /// Parses everything; nested definitions and blocks suspend the builder around them.
    fn run(&mut self) -> Parsed<()> {
        let mut current = Builder::main(Str::from(self.name));
        let mut suspended = Vec::new();
        loop {
            let token = self.tokens.next_non_space();
            match token.kind() {
                Kind::Eof if suspended.is_empty() && current.is_level() => break,
                Kind::Eof => return Err(self.error("unexpected EOF")),
                Kind::Text => current.text(token),
                Kind::LeftDelim => {
                    if let Some(field) = self.tokens.lone_field() {
                        current.field(field);
                        continue;
                    }
                    let toplevel = suspended.is_empty() && current.is_level();
                    if toplevel && self.tokens.peek_non_space().kind() == Kind::Define {
                        self.tokens.next_non_space();
                        suspended.push(std::mem::replace(&mut current, self.definition()?));
                        continue;
                    }
                    self.action = Some(token.span().start as usize);
                    match self.statement(&mut current)? {
                        Step::Stay => {}
                        Step::Enter(block) => {
                            suspended.push(std::mem::replace(&mut current, block));
                        }
                        Step::Leave => {
                            let done = match suspended.pop() {
                                Some(outer) => std::mem::replace(&mut current, outer),
                                None => return Err(self.error("unexpected {{end}}")),
                            };
                            self.finish(done, &mut current)?;
                        }
                    }
                    self.action = None;
                }
                _ => return Err(self.unexpected(token, "input")),
            }
        }
        let name = current.name.clone();
        self.add(current.name, current.ops)?;
        self.ast.main = self.unit(&name).unwrap_or_default();
        self.link();
        Ok(())
    }

    /// Makes room for as many actions as there may be; most templates have few.
    fn make_room(&mut self) {
        let opening = self.left.first().copied().unwrap_or(b'{');
        let openings = memchr::memchr_iter(opening, self.source).take(128).count();
        self.ast.reserve(openings / self.left.len().max(1));
    }

    /// The header of a `{{define "name"}}`.
    fn definition(&mut self) -> Parsed<Builder> {
        const CONTEXT: &str = "define clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        self.expect(Kind::RightDelim, CONTEXT)?;
        Ok(Builder::definition(name))
    }

    fn unit(&self, name: &[u8]) -> Option<usize> {
        self.ast
            .units
            .iter()
            .position(|unit| unit.name.as_bytes() == name)
    }

    /// Installs a finished template; an empty one may be defined again, any other may not.
    fn add(&mut self, name: Str, ops: Vec<crate::ast::Op>) -> Parsed<()> {
        let Some(at) = self.unit(&name) else {
            self.ast.units.push(Unit { name, ops });
            return Ok(());
        };
        if block::is_empty(&self.ast.source, &self.ast.units[at].ops) {
            self.ast.units[at].ops = ops;
        } else if !block::is_empty(&self.ast.source, &ops) {
            let name = crate::strconv::quote(&name);
            return Err(self.error(format!("template: multiple definition of template {name}")));
        }
        Ok(())
    }

    /// Resolves the names of invoked templates, which may be defined after their use.
    fn link(&mut self) {
        let units = &self.ast.units;
        for call in &mut self.ast.calls {
            let found = units.iter().position(|unit| unit.name == call.name);
            call.unit = found.map(crate::ast::saturate);
        }
    }

    fn intern(&mut self, token: crate::lex::Token) -> NameId {
        let text = &self.source[token.span().range()];
        if text == b"$" {
            return ROOT;
        }
        let known = self
            .ast
            .names
            .iter()
            .position(|name| self.ast.text(*name) == text);
        let at = known.unwrap_or_else(|| {
            self.ast.names.push(token.span());
            self.ast.names.len() - 1
        });
        NameId(crate::ast::saturate(at + 1))
    }
}

/// What a statement means for the stack of builders.
enum Step {
    Stay,
    /// A `{{block}}` begins.
    Enter(Builder),
    /// The current definition or block ends.
    Leave,
}
