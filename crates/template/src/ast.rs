//! The parsed template: expressions in flat tables, statements as straight code with jumps.
//!
//! Flat tables make dropping and walking free of recursion, so that no source, however deeply
//! nested, can exhaust the stack. Everything refers to the source by byte ranges.

mod show;

use std::ops::Range;

use crate::funcs::Func;
use crate::value::Str;

/// A place in the source.
pub(crate) type Pos = u32;

/// Index of a pipeline in [`Ast::pipes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PipeId(pub(crate) u32);

/// Index of a command in [`Ast::cmds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CmdId(pub(crate) u32);

/// Index of an operand in [`Ast::exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExprId(pub(crate) u32);

/// A variable name: its index in [`Ast::names`] plus one, zero being [`ROOT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameId(pub(crate) u32);

/// The variable `$`, known to every template.
pub(crate) const ROOT: NameId = NameId(0);

/// Indices into one of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// `declarations? command ('|' command)*`
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) pos: Pos,
    pub(crate) is_assign: bool,
    pub(crate) decl: Decl,
    /// Into [`Ast::stages`].
    pub(crate) stages: Span,
}

/// The variables a pipeline declares or assigns: none, one, or the two of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decl {
    None,
    One(NameId),
    Two(NameId, NameId),
}

impl Decl {
    pub(crate) fn names(self) -> impl Iterator<Item = NameId> {
        let (first, second) = match self {
            Self::None => (None, None),
            Self::One(name) => (Some(name), None),
            Self::Two(first, second) => (Some(first), Some(second)),
        };
        first.into_iter().chain(second)
    }
}

/// `operand (space operand)*`
#[derive(Debug)]
pub(crate) struct Cmd {
    pub(crate) pos: Pos,
    /// Into [`Ast::args`].
    pub(crate) args: Span,
}

/// An operand with its place.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) pos: Pos,
    pub(crate) kind: ExprKind,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Bool(bool),
    Dot,
    Nil,
    /// Into [`Ast::numbers`].
    Number(u32),
    /// The literal as written, and what it means.
    String(Span, Str),
    /// `.a.b`: the names, into [`Ast::fields`].
    Field(Span),
    /// `$x.a.b`
    Variable(NameId, Span),
    /// `(pipe).a.b` or `function.a.b`
    Chain(ExprId, Span),
    Function(&'static Func),
    Pipe(PipeId),
}

/// A numeric constant in every type that can hold it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    pub(crate) text: Span,
    pub(crate) int: Option<i64>,
    pub(crate) uint: Option<u64>,
    pub(crate) float: Option<f64>,
    pub(crate) complex: Option<(f64, f64)>,
}

/// A statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Text(Span),
    /// Evaluates and, unless it declares, prints.
    Action(PipeId),
    /// An action that is nothing but `.name`; it needs no entry in the tables.
    Field(Span),
    /// `if` and `with`: opens a scope, goes on if true, else jumps.
    Branch {
        pipe: PipeId,
        with: bool,
        otherwise: u32,
    },
    /// Opens a scope and iterates over the ops up to the matching `Next`.
    Range {
        pipe: PipeId,
        otherwise: u32,
        end: u32,
    },
    Next,
    Jump(u32),
    EndScope,
    Break,
    Continue,
    /// `{{template}}`: index into [`Ast::calls`].
    Call(u32),
}

/// One `{{template "name" pipeline}}`.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) pos: Pos,
    pub(crate) name: Str,
    pub(crate) pipe: Option<PipeId>,
    /// Which unit has that name, if any.
    pub(crate) unit: Option<u32>,
}

/// The body of one named template.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) name: Str,
    pub(crate) ops: Vec<Op>,
}

/// Everything parsed from one source.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) source: Str,
    pub(crate) units: Vec<Unit>,
    /// The unit that executing the template runs.
    pub(crate) main: usize,
    pub(crate) pipes: Vec<Pipe>,
    pub(crate) stages: Vec<CmdId>,
    pub(crate) cmds: Vec<Cmd>,
    pub(crate) args: Vec<ExprId>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) fields: Vec<Span>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) names: Vec<Span>,
    pub(crate) calls: Vec<Call>,
}

impl Ast {
    pub(crate) fn text(&self, span: Span) -> &[u8] {
        &self.source[span.range()]
    }

    pub(crate) fn pipe(&self, id: PipeId) -> &Pipe {
        &self.pipes[id.0 as usize]
    }

    pub(crate) fn cmd(&self, id: CmdId) -> &Cmd {
        &self.cmds[id.0 as usize]
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub(crate) fn number(&self, at: u32) -> &Number {
        &self.numbers[at as usize]
    }

    /// `.name` with its dot, if the pipeline is nothing else.
    pub(crate) fn lone_field(&self, id: PipeId) -> Option<Span> {
        let pipe = self.pipe(id);
        let ([cmd], Decl::None) = (&self.stages[pipe.stages.range()], pipe.decl) else {
            return None;
        };
        let [expr] = self.args(self.cmd(*cmd)) else {
            return None;
        };
        match self.expr(*expr).kind {
            ExprKind::Field(fields) => match self.fields[fields.range()] {
                [Span { start, end }] => Some(Span {
                    start: start - 1,
                    end,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Makes room for what so many actions usually hold.
    pub(crate) fn reserve(&mut self, actions: usize) {
        self.pipes.reserve(actions);
        self.stages.reserve(2 * actions);
        self.cmds.reserve(2 * actions);
        self.args.reserve(3 * actions);
        self.exprs.reserve(3 * actions);
        self.fields.reserve(actions);
    }

    pub(crate) fn args(&self, cmd: &Cmd) -> &[ExprId] {
        &self.args[cmd.args.range()]
    }

    pub(crate) fn name(&self, id: NameId) -> &[u8] {
        match id {
            ROOT => b"$",
            _ => self.text(self.names[id.0 as usize - 1]),
        }
    }

    /// Line and column of a position as Go counts them: lines from one, columns from zero.
    pub(crate) fn line_column(&self, pos: usize) -> (u32, u32) {
        line_column(&self.source, pos)
    }
}

pub(crate) fn line_column(source: &[u8], pos: usize) -> (u32, u32) {
    let before = source.get(..pos).unwrap_or(source);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = match memchr::memrchr(b'\n', before) {
        Some(at) => before.len() - at - 1,
        None => before.len(),
    };
    (saturate(line), saturate(column))
}

/// Sizes of the tables stay far below 2³²: the source length is limited before parsing.
pub(crate) fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
