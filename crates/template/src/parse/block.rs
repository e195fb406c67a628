//! Statements: text, control structures, definitions and blocks.
//!
//! Open blocks are a list, not a recursion. `{{else if}}` opens an inner block that ends together
//! with the outer one, as in Go.

use smallvec::{SmallVec, smallvec};

use super::{Parsed, Parser, Step};
use crate::ast::{Call, NameId, Op, PipeId, ROOT, saturate};
use crate::lex::{Kind, Token};
use crate::value::Str;

/// The variables visible at some place.
pub(super) type Vars = SmallVec<[NameId; 8]>;

/// A template body under construction.
pub(super) struct Builder {
    pub(super) name: Str,
    pub(super) ops: Vec<Op>,
    /// Variables visible at the moment.
    pub(super) vars: Vars,
    open: Vec<Open>,
    range_depth: usize,
    role: Role,
}

enum Role {
    Main,
    Definition,
    /// A block: where its name stands, the data for it, and the token that closed its header.
    Block {
        name: Token,
        pipe: PipeId,
        header: Token,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    If,
    With,
    Range,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::With => "with",
            Self::Range => "range",
        }
    }
}

/// A control structure whose end has not been seen.
struct Open {
    form: Form,
    /// The op that began it.
    head: usize,
    /// The jump over the else part, once that has begun.
    jump: Option<usize>,
    vars: usize,
    /// Ends with the structure around it, being the rest of an `else if`.
    implied: bool,
}

impl Builder {
    pub(super) fn main(name: Str) -> Self {
        Self::new(name, Role::Main)
    }

    /// The action `{{ .name }}`, already read.
    pub(super) fn field(&mut self, field: crate::ast::Span) {
        self.ops.push(Op::Field(field));
    }

    pub(super) fn definition(name: Str) -> Self {
        Self::new(name, Role::Definition)
    }

    fn new(name: Str, role: Role) -> Self {
        Self {
            name,
            ops: Vec::new(),
            vars: smallvec![ROOT],
            open: Vec::new(),
            range_depth: 0,
            role,
        }
    }

    /// Whether no control structure is open.
    pub(super) fn is_level(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn text(&mut self, token: Token) {
        self.ops.push(Op::Text(token.span()));
    }

    fn here(&self) -> u32 {
        saturate(self.ops.len())
    }

    /// Begins the else part of the innermost structure.
    fn begin_else(&mut self) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        open.jump = Some(self.ops.len());
        let (form, head) = (open.form, open.head);
        if form == Form::Range {
            self.range_depth = self.range_depth.saturating_sub(1);
        }
        self.ops.push(Op::Jump(0));
        let here = self.here();
        let op = self.ops.get_mut(head);
        if let Some(Op::Branch { otherwise, .. } | Op::Range { otherwise, .. }) = op {
            *otherwise = here;
        }
    }

    /// Ends the innermost structure and those that end with it.
    fn close(&mut self) {
        while let Some(open) = self.open.pop() {
            let here = self.here();
            if let Some(Op::Jump(target)) = open.jump.and_then(|at| self.ops.get_mut(at)) {
                *target = here;
            }
            match self.ops.get_mut(open.head) {
                Some(Op::Branch { otherwise, .. }) if open.jump.is_none() => *otherwise = here,
                Some(Op::Range { otherwise, end, .. }) => {
                    *end = here;
                    if open.jump.is_none() {
                        *otherwise = here;
                    }
                }
                _ => {}
            }
            if open.form == Form::Range && open.jump.is_none() {
                self.range_depth = self.range_depth.saturating_sub(1);
            }
            self.ops.push(Op::EndScope);
            self.vars.truncate(open.vars);
            if !open.implied {
                break;
            }
        }
    }
}

impl Parser<'_> {
    /// One action; the left delimiter is past.
    pub(super) fn statement(&mut self, builder: &mut Builder) -> Parsed<Step> {
        let token = self.tokens.next_non_space();
        match token.kind() {
            Kind::Block => return self.block(builder),
            Kind::Break => self.leave_range(builder, Op::Break, "{{break}}")?,
            Kind::Continue => self.leave_range(builder, Op::Continue, "{{continue}}")?,
            Kind::Else => self.else_control(builder)?,
            Kind::End => return self.end_control(builder),
            Kind::If => self.control(builder, Form::If, false)?,
            Kind::Range => self.control(builder, Form::Range, false)?,
            Kind::With => self.control(builder, Form::With, false)?,
            Kind::Template => self.template_control(builder)?,
            _ => {
                self.tokens.backup();
                let pipe = self.pipeline(&mut builder.vars, "command", Kind::RightDelim)?;
                builder.ops.push(match self.ast.lone_field(pipe) {
                    Some(field) => Op::Field(field),
                    None => Op::Action(pipe),
                });
            }
        }
        Ok(Step::Stay)
    }

    fn control(&mut self, builder: &mut Builder, form: Form, implied: bool) -> Parsed<()> {
        let vars = builder.vars.len();
        let pipe = self.pipeline(&mut builder.vars, form.name(), Kind::RightDelim)?;
        let head = builder.ops.len();
        builder.ops.push(match form {
            Form::If => Op::Branch {
                pipe,
                with: false,
                otherwise: 0,
            },
            Form::With => Op::Branch {
                pipe,
                with: true,
                otherwise: 0,
            },
            Form::Range => Op::Range {
                pipe,
                otherwise: 0,
                end: 0,
            },
        });
        if form == Form::Range {
            builder.range_depth += 1;
        }
        builder.open.push(Open {
            form,
            head,
            jump: None,
            vars,
            implied,
        });
        Ok(())
    }

    fn leave_range(&mut self, builder: &mut Builder, op: Op, shown: &str) -> Parsed<()> {
        let token = self.tokens.next_non_space();
        if token.kind() != Kind::RightDelim {
            return Err(self.unexpected(token, shown));
        }
        if builder.range_depth == 0 {
            return Err(self.error(format!("{shown} outside {{{{range}}}}")));
        }
        builder.ops.push(op);
        Ok(())
    }

    fn else_control(&mut self, builder: &mut Builder) -> Parsed<()> {
        let follows = self.tokens.peek_non_space().kind();
        if !matches!(follows, Kind::If | Kind::With) {
            self.expect(Kind::RightDelim, "else")?;
        }
        let Some(open) = builder.open.last() else {
            return Err(match &builder.role {
                Role::Main => self.error("unexpected {{else}}"),
                Role::Definition => self.error("unexpected {{else}} in define clause"),
                Role::Block { header, .. } => {
                    self.error_at(*header, "unexpected {{else}} in block clause")
                }
            });
        };
        if open.jump.is_some() {
            return Err(self.error("expected end; found {{else}}"));
        }
        let form = open.form;
        if form == Form::Range {
            builder.ops.push(Op::Next);
        }
        builder.begin_else();
        match (form, follows) {
            (Form::If, Kind::If) | (Form::With, Kind::With) => {
                self.tokens.next();
                self.action = None;
                self.control(builder, form, true)
            }
            (_, Kind::If | Kind::With) => {
                let token = self.tokens.next_non_space();
                Err(self.unexpected(token, "input"))
            }
            _ => Ok(()),
        }
    }

    fn end_control(&mut self, builder: &mut Builder) -> Parsed<Step> {
        self.expect(Kind::RightDelim, "end")?;
        let Some(open) = builder.open.last() else {
            return Ok(Step::Leave);
        };
        if open.form == Form::Range && open.jump.is_none() {
            builder.ops.push(Op::Next);
        }
        builder.close();
        Ok(Step::Stay)
    }

    fn block(&mut self, builder: &mut Builder) -> Parsed<Step> {
        const CONTEXT: &str = "block clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = self.pipeline(&mut builder.vars, CONTEXT, Kind::RightDelim)?;
        let header = self.tokens.newest();
        Ok(Step::Enter(Builder::new(
            name,
            Role::Block {
                name: token,
                pipe,
                header,
            },
        )))
    }

    fn template_control(&mut self, builder: &mut Builder) -> Parsed<()> {
        const CONTEXT: &str = "template clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = if self.tokens.next_non_space().kind() == Kind::RightDelim {
            None
        } else {
            self.tokens.backup();
            Some(self.pipeline(&mut builder.vars, CONTEXT, Kind::RightDelim)?)
        };
        self.call(builder, token, name, pipe);
        Ok(())
    }

    fn call(&mut self, builder: &mut Builder, token: Token, name: Str, pipe: Option<PipeId>) {
        builder.ops.push(Op::Call(saturate(self.ast.calls.len())));
        self.ast.calls.push(Call {
            pos: token.span().start,
            name,
            pipe,
            unit: None,
        });
    }

    pub(super) fn template_name(&mut self, token: Token, context: &str) -> Parsed<Str> {
        if !matches!(token.kind(), Kind::String | Kind::RawString) {
            return Err(self.unexpected(token, context));
        }
        let literal = &self.source[token.span().range()];
        match crate::strconv::unquote(literal) {
            Some(name) => Ok(Str::from(name)),
            None => Err(self.error("invalid syntax")),
        }
    }

    /// Installs a definition or block whose end was reached; a block is also invoked in place.
    pub(super) fn finish(&mut self, done: Builder, outer: &mut Builder) -> Parsed<()> {
        let name = done.name.clone();
        self.add(done.name, done.ops)?;
        if let Role::Block {
            name: token, pipe, ..
        } = done.role
        {
            self.call(outer, token, name, Some(pipe));
        }
        Ok(())
    }
}

/// Whether the body holds nothing but white space.
pub(super) fn is_empty(source: &[u8], ops: &[Op]) -> bool {
    ops.iter().all(|op| match op {
        Op::Text(span) => lockstep_golang::unicode::runes(&source[span.range()])
            .all(|(_, rune)| crate::unicode::is_space(rune)),
        _ => false,
    })
}
