//! Runs a parsed template: the statements.
//!
//! Straight code with jumps and explicit stacks of scopes and calls, so that neither nested blocks
//! nor recursive templates use the native stack. Expressions are in `exec::pipeline` and
//! `exec::call`, error reporting in `exec::report`.

mod call;
mod constant;
mod field;
mod pipeline;
mod range;
mod report;
mod slot;

use pipeline::Operands;
use range::Loop;
use report::At;
pub(crate) use slot::Slot;
use smallvec::{SmallVec, smallvec};

use crate::ast::{Ast, NameId, Op, ROOT, Span};
use crate::budget::Budget;
use crate::context::Context;
use crate::env::Env;
use crate::error::{Error, ErrorKind};
use crate::limits::Exceeded;
use crate::print::Cap;
use crate::template::MissingKey;
use crate::value::Value;

type Stop = Error;
type Run<T> = Result<T, Stop>;

/// The state of one execution.
pub(crate) struct Exec<'t> {
    name: &'t str,
    ast: &'t Ast,
    missing_key: MissingKey,
    cx: Context<'t>,
    out: Vec<u8>,
    vars: SmallVec<[(NameId, Slot); 2]>,
    scopes: Vec<Scope>,
    calls: Vec<Return>,
    unit: usize,
    pc: usize,
    dot: Slot,
    /// Where the variables of the current template begin.
    base: usize,
    /// The node being worked on, for errors.
    at: At,
}

/// An open `if`, `with` or `range`.
struct Scope {
    /// How many variables there were outside.
    vars: usize,
    /// The dot outside, if the scope changed it.
    dot: Option<Slot>,
    range: Option<Loop>,
}

/// Where to go on after a called template.
struct Return {
    unit: usize,
    pc: usize,
    base: usize,
    scopes: usize,
    dot: Slot,
}

/// Executes the main unit of `ast` on `data`.
pub(crate) fn run(
    (name, ast, missing_key): (&str, &Ast, MissingKey),
    data: &Value,
    env: &Env<'_>,
    budget: &Budget,
) -> Run<Vec<u8>> {
    let dot = Slot::concrete(data.clone());
    let mut exec = Exec {
        name,
        ast,
        missing_key,
        cx: Context::new(env, budget.meter()),
        out: Vec::with_capacity(ast.source.len()),
        vars: smallvec![(ROOT, dot.clone())],
        scopes: Vec::new(),
        calls: Vec::new(),
        unit: ast.main,
        pc: 0,
        dot,
        base: 0,
        at: At::Start,
    };
    let ended = exec.statements();
    let exceeded = matches!(&ended, Err(error) if error.kind() == ErrorKind::Limit);
    budget.settle(&exec.cx.meter, exec.out.len(), exceeded);
    ended.map(|()| exec.out)
}

impl Exec<'_> {
    fn statements(&mut self) -> Run<()> {
        let ast = self.ast;
        loop {
            let Some(op) = ast.units[self.unit].ops.get(self.pc) else {
                if !self.return_from_call() {
                    return Ok(());
                }
                continue;
            };
            self.pc += 1;
            self.step(1)?;
            match *op {
                Op::Text(span) => self.write(ast.text(span))?,
                Op::Field(field) => self.print_field(field)?,
                Op::Action(pipe) => {
                    let value = self.pipeline(pipe)?;
                    if ast.pipe(pipe).decl == crate::ast::Decl::None {
                        self.print(&value.value)?;
                    }
                }
                Op::Branch {
                    pipe,
                    with,
                    otherwise,
                } => self.branch(pipe, with, otherwise)?,
                Op::Range {
                    pipe,
                    otherwise,
                    end,
                } => self.enter_range(pipe, otherwise, end)?,
                Op::Next => self.next_round()?,
                Op::Jump(target) => self.pc = target as usize,
                Op::EndScope => self.end_scope(),
                Op::Break => self.break_range(),
                Op::Continue => self.continue_range()?,
                Op::Call(call) => self.enter_call(call)?,
            }
        }
    }

    fn step(&mut self, n: u64) -> Run<()> {
        self.cx
            .meter
            .step(n)
            .map_err(|exceeded| self.exceeded(exceeded))
    }

    fn write(&mut self, bytes: &[u8]) -> Run<()> {
        self.cx
            .meter
            .writes(self.out.len() + bytes.len())
            .map_err(|exceeded| self.exceeded(exceeded))?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// `{{ .name }}`, without copying what it names.
    fn print_field(&mut self, field: Span) -> Run<()> {
        let ast = self.ast;
        let name = ast.text(field).strip_prefix(b".").unwrap_or_default();
        if let Value::StrMap(map) = &self.dot.value
            && let Some(text) = map.get(name)
            && self.cx.meter.writes(self.out.len() + text.len()).is_ok()
        {
            self.out.extend_from_slice(text);
            return Ok(());
        }
        self.at = At::Field(field);
        self.step(1)?;
        let dot = self.dot.clone();
        let value = self.field(self.at, dot, name, Operands::default())?;
        self.print(&value.value)
    }

    fn print(&mut self, value: &Value) -> Run<()> {
        match value {
            Value::Str(text) => self.write(text),
            Value::Nil => self.write(b"<no value>"),
            _ => {
                let cap = Cap {
                    bytes: self.cx.meter.left().output,
                    exceeded: Exceeded::Output(self.cx.meter.limits().output),
                };
                let out = std::mem::take(&mut self.out);
                let (out, result) = crate::print::append(out, value, cap);
                self.out = out;
                result.map_err(|exceeded| self.exceeded(exceeded))
            }
        }
    }

    fn branch(&mut self, pipe: crate::ast::PipeId, with: bool, otherwise: u32) -> Run<()> {
        let vars = self.vars.len();
        let value = self.pipeline(pipe)?;
        let mut dot = None;
        if !value.value.is_true() {
            self.pc = otherwise as usize;
        } else if with {
            dot = Some(std::mem::replace(&mut self.dot, value));
        }
        self.scopes.push(Scope {
            vars,
            dot,
            range: None,
        });
        Ok(())
    }

    fn end_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.vars.truncate(scope.vars);
            if let Some(dot) = scope.dot {
                self.dot = dot;
            }
        }
    }

    /// `{{template}}`: no variables are inherited, the argument becomes dot and `$`.
    fn enter_call(&mut self, call: u32) -> Run<()> {
        self.at = At::Call(call);
        let ast = self.ast;
        let call = &ast.calls[call as usize];
        let Some(unit) = call.unit else {
            let name = crate::strconv::quote(&call.name);
            return Err(self.error(format!("template {name} not defined")));
        };
        let depth = self.cx.meter.limits().depth;
        if self.calls.len() >= depth {
            return Err(self.limit(format!("exceeded maximum template depth ({depth})")));
        }
        let dot = match call.pipe {
            Some(pipe) => self.pipeline(pipe)?,
            None => Slot::invalid(),
        };
        self.calls.push(Return {
            unit: self.unit,
            pc: self.pc,
            base: self.base,
            scopes: self.scopes.len(),
            dot: std::mem::replace(&mut self.dot, dot.clone()),
        });
        self.base = self.vars.len();
        self.vars.push((ROOT, dot));
        self.unit = unit as usize;
        self.pc = 0;
        Ok(())
    }

    fn return_from_call(&mut self) -> bool {
        let Some(back) = self.calls.pop() else {
            return false;
        };
        self.vars.truncate(self.base);
        self.scopes.truncate(back.scopes);
        (self.unit, self.pc, self.base, self.dot) = (back.unit, back.pc, back.base, back.dot);
        true
    }

    fn lookup(&mut self, name: NameId) -> Run<Slot> {
        match self.vars[self.base..]
            .iter()
            .rev()
            .find(|(other, _)| *other == name)
        {
            Some((_, slot)) => Ok(slot.clone()),
            None => Err(self.undefined_variable(name)),
        }
    }

    fn assign(&mut self, name: NameId, value: Slot) -> Run<()> {
        match self.vars[self.base..]
            .iter_mut()
            .rev()
            .find(|(other, _)| *other == name)
        {
            Some((_, slot)) => {
                *slot = value;
                Ok(())
            }
            None => Err(self.undefined_variable(name)),
        }
    }

    fn undefined_variable(&self, name: NameId) -> Stop {
        let name = String::from_utf8_lossy(self.ast.name(name));
        self.error(format!("undefined variable: {name}"))
    }
}
