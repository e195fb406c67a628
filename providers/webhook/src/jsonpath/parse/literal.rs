//! Names, numbers and texts in a path. Each is read in one pass over the path.

use lockstep_provider_api::json::{Number, Value};

use super::{Expression, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn name(&mut self) -> String {
        let rest = self.rest();
        let length = rest
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        self.at += length;
        name
    }

    pub(super) fn number(&mut self) -> Parsed<Expression> {
        let digits = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E'));
        let rest = self.rest();
        let length = rest.find(digits).unwrap_or(rest.len());
        let number: f64 = rest[..length]
            .parse()
            .map_err(|_| self.fault("not a number"))?;
        self.at += length;
        Ok(Expression::Literal(Value::Number(Number::Float(number))))
    }

    pub(super) fn string(&mut self, quote: char) -> Parsed<Expression> {
        let mut out = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((index, c)) = characters.next() {
            match c {
                c if c == quote => {
                    self.at += index + 1;
                    return Ok(text(out));
                }
                '\\' if quote != '`' => match characters.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, c @ ('\\' | '"' | '\''))) => out.push(c),
                    _ => return Err(self.fault("unknown escape in a text")),
                },
                c => out.push(c),
            }
        }
        Err(self.fault("a text does not end"))
    }
}

pub(super) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(super) fn text(name: String) -> Expression {
    Expression::Literal(Value::String(name))
}
