//! Reads a path. Knows no document. Length, nesting, steps and operators are bounded, because each of
//! them is a level of recursion when the path is read, followed or dropped.

use lockstep_provider_api::json::Value;

use super::{Expression, PathError, Start, Step};

mod literal;

use literal::{starts_name, text};

/// Longest path, in bytes.
pub(super) const MAX_LENGTH: usize = 4_096;
/// Deepest nesting of brackets and parentheses.
const MAX_DEPTH: usize = 64;
/// Most steps of a path, with those of the paths inside it; each key of a union counts.
const MAX_STEPS: usize = 256;
/// Most operators (`==`, `!=` and the sign) of a path.
const MAX_OPERATORS: usize = 64;

type Parsed<T> = Result<T, PathError>;

/// Reads a whole path.
pub(super) fn parse(text: &str) -> Parsed<Expression> {
    if text.len() > MAX_LENGTH {
        return Err(PathError::TooLong(text.len()));
    }
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        steps: 0,
        operators: 0,
    };
    let expression = parser.expression()?;
    match parser.peek() {
        None => Ok(expression),
        Some('-') => Err(parser.fault("names with other characters need quotes, as in $['a-b']")),
        Some(_) => Err(parser.fault("unexpected character")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    steps: usize,
    operators: usize,
}

impl Parser<'_> {
    fn fault(&self, what: &'static str) -> PathError {
        PathError::Syntax(self.at + 1, what)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character that is no white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn require(&mut self, wanted: &str, what: &'static str) -> Parsed<()> {
        if self.take(wanted) {
            Ok(())
        } else {
            Err(self.fault(what))
        }
    }

    fn count_step(&mut self) -> Parsed<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(self.fault("more than 256 steps"));
        }
        Ok(())
    }

    fn begins_step(&mut self, wanted: &str) -> Parsed<bool> {
        let found = self.take(wanted);
        if found {
            self.count_step()?;
        }
        Ok(found)
    }

    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return Err(self.fault("more than 64 operators"));
        }
        Ok(())
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault("nested too deep"));
        }
        let mut left = self.operand()?;
        loop {
            let make = if self.take("==") {
                Expression::Equal
            } else if self.take("!=") {
                Expression::NotEqual
            } else {
                break;
            };
            self.count_operator()?;
            left = make(Box::new(left), Box::new(self.operand()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        match self.peek() {
            Some('$') => self.path(Start::Root),
            Some('@') => self.path(Start::Current),
            Some('(') => {
                self.at += 1;
                let inner = self.expression()?;
                self.require(")", "a closing parenthesis is missing")?;
                Ok(inner)
            }
            Some('-') => {
                self.at += 1;
                self.count_operator()?;
                Ok(Expression::Negative(Box::new(self.operand()?)))
            }
            Some(quote @ ('"' | '\'' | '`')) => self.string(quote),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if starts_name(c) => {
                let name = self.name();
                match name.as_str() {
                    "true" => Ok(Expression::Literal(Value::Bool(true))),
                    "false" => Ok(Expression::Literal(Value::Bool(false))),
                    // A bare name is a member of the document.
                    _ => self.steps(Start::Root, vec![Step::One(text(name))]),
                }
            }
            _ => Err(self.fault("a path, a text or a number is missing")),
        }
    }

    fn path(&mut self, start: Start) -> Parsed<Expression> {
        self.at += 1;
        self.steps(start, Vec::new())
    }

    fn steps(&mut self, start: Start, mut steps: Vec<Step>) -> Parsed<Expression> {
        loop {
            if self.begins_step("..")? {
                steps.push(Step::Descend);
                steps.push(self.below()?);
            } else if self.begins_step(".")? {
                steps.push(self.member()?);
            } else if self.begins_step("[")? {
                steps.push(self.bracket()?);
            } else if self.begins_step("(")? {
                steps.push(self.script()?);
            } else {
                return Ok(Expression::Path(start, steps));
            }
        }
    }

    fn member(&mut self) -> Parsed<Step> {
        match self.peek() {
            Some('*') => {
                self.at += 1;
                Ok(Step::All)
            }
            Some(c) if starts_name(c) => Ok(Step::One(text(self.name()))),
            _ => Err(self.fault("a name or * is missing")),
        }
    }

    /// What follows `..`; of brackets every match counts.
    fn below(&mut self) -> Parsed<Step> {
        if self.take("(") {
            return self.script();
        }
        if !self.take("[") {
            return self.member();
        }
        match self.bracket()? {
            Step::One(only) => Ok(Step::Union(vec![only])),
            Step::Slice(_) => Err(self.fault("a slice cannot follow ..")),
            step => Ok(step),
        }
    }

    fn script(&mut self) -> Parsed<Step> {
        let script = self.expression()?;
        self.require(")", "a closing parenthesis is missing")?;
        Ok(Step::Script(script))
    }

    fn bracket(&mut self) -> Parsed<Step> {
        const OPEN: &str = "a closing bracket is missing";
        if self.take("*") {
            self.require("]", OPEN)?;
            return Ok(Step::All);
        }
        if self.take("?") {
            let condition = self.expression()?;
            self.require("]", OPEN)?;
            return Ok(Step::Filter(condition));
        }
        if self.peek() == Some(':') {
            return self.slice(None);
        }
        let first = self.expression()?;
        if self.peek() == Some(':') {
            return self.slice(Some(first));
        }
        let mut keys = vec![first];
        while self.take(",") {
            self.count_step()?;
            keys.push(self.expression()?);
        }
        self.require("]", OPEN)?;
        match keys.pop() {
            Some(only) if keys.is_empty() => Ok(Step::One(only)),
            last => {
                keys.extend(last);
                Ok(Step::Union(keys))
            }
        }
    }

    fn slice(&mut self, from: Option<Expression>) -> Parsed<Step> {
        let mut parts = [from, None, None];
        for part in &mut parts[1..] {
            if !self.take(":") {
                break;
            }
            if !matches!(self.peek(), Some(':' | ']')) {
                *part = Some(self.expression()?);
            }
        }
        self.require("]", "a closing bracket is missing")?;
        Ok(Step::Slice(parts))
    }
}
