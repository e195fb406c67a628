//! Pipelines, commands and operands.

use smallvec::SmallVec;

use super::block::Vars;
use super::{MAX_PARENS, Parsed, Parser};
use crate::ast::{Cmd, CmdId, Decl, Expr, ExprId, ExprKind, Pipe, PipeId, Span, saturate};
use crate::lex::{Kind, Token};
use crate::value::Str;

impl Parser<'_> {
    /// `declarations? command ('|' command)*` up to and including the token `end`.
    pub(super) fn pipeline(&mut self, vars: &mut Vars, context: &str, end: Kind) -> Parsed<PipeId> {
        if self.ast.pipes.capacity() == 0 {
            self.make_room();
        }
        let pos = self.tokens.peek_non_space().span().start;
        let (decl, is_assign) = self.declarations(vars, context)?;
        let mut stages = SmallVec::<[CmdId; 4]>::new();
        loop {
            let token = self.tokens.next_non_space();
            match token.kind() {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.tokens.backup();
                    stages.push(self.command(vars)?);
                }
                _ => return Err(self.unexpected(token, context)),
            }
        }
        self.check_stages(&stages, context)?;
        let start = saturate(self.ast.stages.len());
        self.ast.stages.extend(stages);
        let stages = Span {
            start,
            end: saturate(self.ast.stages.len()),
        };
        self.ast.pipes.push(Pipe {
            pos,
            is_assign,
            decl,
            stages,
        });
        Ok(PipeId(saturate(self.ast.pipes.len() - 1)))
    }

    fn declarations(&mut self, vars: &mut Vars, context: &str) -> Parsed<(Decl, bool)> {
        let mut decl = Decl::None;
        loop {
            let variable = self.tokens.peek_non_space();
            if variable.kind() != Kind::Variable {
                return Ok((decl, false));
            }
            self.tokens.next();
            // Spaces are tokens, so telling `$x foo` from `$x := foo` takes three tokens.
            let after = self.tokens.peek();
            let next = self.tokens.peek_non_space();
            let comma = next.kind() == Kind::Char && &self.source[next.span().range()] == b",";
            if !comma && !matches!(next.kind(), Kind::Assign | Kind::Declare) {
                if after.kind() == Kind::Space {
                    self.tokens.backup3(variable, after);
                } else {
                    self.tokens.backup2(variable);
                }
                return Ok((decl, false));
            }
            self.tokens.next_non_space();
            let name = self.intern(variable);
            vars.push(name);
            let first = decl == Decl::None;
            decl = match decl {
                Decl::None => Decl::One(name),
                Decl::One(other) | Decl::Two(other, _) => Decl::Two(other, name),
            };
            if !comma {
                return Ok((decl, next.kind() == Kind::Assign));
            }
            if context != "range" || !first {
                return Err(self.error(format!("too many declarations in {context}")));
            }
            let follows = self.tokens.peek_non_space().kind();
            if !matches!(
                follows,
                Kind::Variable | Kind::RightDelim | Kind::RightParen
            ) {
                return Err(self.error("range can only initialize variables"));
            }
        }
    }

    fn check_stages(&self, stages: &[CmdId], context: &str) -> Parsed<()> {
        if stages.is_empty() {
            return Err(self.error(format!("missing value for {context}")));
        }
        for (at, cmd) in stages.iter().enumerate().skip(1) {
            let first = self.ast.args(self.ast.cmd(*cmd)).first();
            if first.is_some_and(|arg| is_constant_operand(&self.ast.expr(*arg).kind)) {
                let stage = at + 1;
                return Err(self.error(format!("non executable command in pipeline stage {stage}")));
            }
        }
        Ok(())
    }

    /// Operands up to a pipe, which is consumed, or a closing token, which is not.
    fn command(&mut self, vars: &mut Vars) -> Parsed<CmdId> {
        let pos = self.tokens.peek_non_space().span().start;
        let mut args = SmallVec::<[ExprId; 6]>::new();
        loop {
            self.tokens.peek_non_space();
            args.extend(self.operand(vars)?);
            let token = self.tokens.next();
            match token.kind() {
                Kind::Space => continue,
                Kind::RightDelim | Kind::RightParen => self.tokens.backup(),
                Kind::Pipe => {}
                _ => return Err(self.unexpected(token, "operand")),
            }
            break;
        }
        if args.is_empty() {
            return Err(self.error("empty command"));
        }
        let start = saturate(self.ast.args.len());
        self.ast.args.extend(args);
        let args = Span {
            start,
            end: saturate(self.ast.args.len()),
        };
        self.ast.cmds.push(Cmd { pos, args });
        Ok(CmdId(saturate(self.ast.cmds.len() - 1)))
    }

    /// `term .Field*`; nothing if no term stands here.
    fn operand(&mut self, vars: &mut Vars) -> Parsed<Option<ExprId>> {
        let Some((pos, kind)) = self.term(vars)? else {
            return Ok(None);
        };
        let first = self.tokens.peek();
        if first.kind() != Kind::Field {
            return Ok(Some(self.expr(pos, kind)));
        }
        // The names of a field or variable so far are the newest in the table, so more can follow.
        let start = match &kind {
            ExprKind::Field(fields) => fields.start,
            _ => saturate(self.ast.fields.len()),
        };
        while self.tokens.peek().kind() == Kind::Field {
            let token = self.tokens.next();
            self.push_field(token);
        }
        let fields = Span {
            start,
            end: saturate(self.ast.fields.len()),
        };
        let kind = match kind {
            ExprKind::Field(_) => ExprKind::Field(fields),
            ExprKind::Variable(name, _) => ExprKind::Variable(name, fields),
            kind if is_constant_operand(&kind) => {
                let id = self.expr(pos, kind);
                let shown = crate::strconv::quote(self.ast.show_expr(id).as_bytes());
                return Err(self.error(format!("unexpected . after term {shown}")));
            }
            kind => {
                let node = self.expr(pos, kind);
                ExprKind::Chain(node, fields)
            }
        };
        Ok(Some(self.expr(first.span().start, kind)))
    }

    fn push_field(&mut self, token: Token) {
        self.ast.fields.push(Span {
            start: token.span().start + 1,
            end: token.span().end,
        });
    }

    fn expr(&mut self, pos: u32, kind: ExprKind) -> ExprId {
        self.ast.exprs.push(Expr { pos, kind });
        ExprId(saturate(self.ast.exprs.len() - 1))
    }

    fn term(&mut self, vars: &mut Vars) -> Parsed<Option<(u32, ExprKind)>> {
        let token = self.tokens.next_non_space();
        let text = &self.source[token.span().range()];
        let kind = match token.kind() {
            Kind::Identifier => match crate::funcs::lookup(text) {
                Some(func) => ExprKind::Function(func),
                None => return Err(self.undefined_function(text)),
            },
            Kind::Dot => ExprKind::Dot,
            Kind::Nil => ExprKind::Nil,
            Kind::Variable => {
                let name = self.intern(token);
                if !vars.contains(&name) {
                    let shown = crate::strconv::quote(text);
                    return Err(self.error(format!("undefined variable {shown}")));
                }
                let here = saturate(self.ast.fields.len());
                ExprKind::Variable(
                    name,
                    Span {
                        start: here,
                        end: here,
                    },
                )
            }
            Kind::Field => {
                let start = saturate(self.ast.fields.len());
                self.push_field(token);
                ExprKind::Field(Span {
                    start,
                    end: start + 1,
                })
            }
            Kind::Bool => ExprKind::Bool(text == b"true"),
            Kind::CharConstant | Kind::Complex | Kind::Number => {
                match super::number::parse(self.source, token) {
                    Ok(number) => {
                        self.ast.numbers.push(number);
                        ExprKind::Number(saturate(self.ast.numbers.len() - 1))
                    }
                    Err(problem) => return Err(self.error(problem)),
                }
            }
            Kind::LeftParen => self.parenthesized(vars)?,
            Kind::String | Kind::RawString => match crate::strconv::unquote(text) {
                Some(value) => ExprKind::String(token.span(), Str::from(value)),
                None => return Err(self.error("invalid syntax")),
            },
            _ => {
                self.tokens.backup();
                return Ok(None);
            }
        };
        let pos = match kind {
            ExprKind::Pipe(pipe) => self.ast.pipe(pipe).pos,
            _ => token.span().start,
        };
        Ok(Some((pos, kind)))
    }

    fn parenthesized(&mut self, vars: &mut Vars) -> Parsed<ExprKind> {
        if self.parens >= MAX_PARENS {
            return Err(self.error("max expression depth exceeded"));
        }
        self.parens += 1;
        let pipe = self.pipeline(vars, "parenthesized pipeline", Kind::RightParen)?;
        self.parens -= 1;
        Ok(ExprKind::Pipe(pipe))
    }

    fn undefined_function(&self, name: &[u8]) -> crate::error::Error {
        let shown = crate::strconv::quote(name);
        if let Some(why) = crate::funcs::left_out(name) {
            return self.error(format!("function {shown} not defined: {why}"));
        }
        let near = std::str::from_utf8(name)
            .ok()
            .and_then(crate::funcs::nearest);
        let hint = near.map(|near| format!("; did you mean {near:?}?"));
        let hint = hint.unwrap_or_default();
        self.error(format!("function {shown} not defined{hint}"))
    }
}

/// Whether the operand is a plain constant or dot, which cannot be called or indexed.
fn is_constant_operand(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Bool(_)
            | ExprKind::String(..)
            | ExprKind::Number(_)
            | ExprKind::Nil
            | ExprKind::Dot
    )
}
