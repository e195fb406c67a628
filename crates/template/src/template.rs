//! A parsed template, ready to be executed any number of times.

use crate::ast::Ast;
use crate::budget::Budget;
use crate::env::Env;
use crate::error::Error;
use crate::parse::{Grammar, parse};
use crate::value::Value;

/// What a missing key of a map means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingKey {
    /// It prints as `<no value>`.
    #[default]
    Default,
    /// It is the zero value of the map's element type.
    Zero,
    /// It is an error.
    Error,
}

/// How to read a template.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// What begins an action; empty means `{{`.
    pub left_delimiter: &'a str,
    /// What ends an action; empty means `}}`.
    pub right_delimiter: &'a str,
    /// What a missing key means.
    pub missing_key: MissingKey,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            left_delimiter: "{{",
            right_delimiter: "}}",
            missing_key: MissingKey::Default,
        }
    }
}

/// A parsed template; immutable, so it can be shared and cached.
#[derive(Debug)]
pub struct Template {
    missing_key: MissingKey,
    ast: Ast,
}

impl Template {
    /// Parses `source`; `name` is what errors call it.
    pub fn parse(
        name: &str,
        source: impl AsRef<[u8]>,
        options: &Options<'_>,
    ) -> Result<Self, Error> {
        let or = |given: &'static str, text| if str::is_empty(text) { given } else { text };
        let grammar = Grammar {
            name,
            left: or("{{", options.left_delimiter).as_bytes(),
            right: or("}}", options.right_delimiter).as_bytes(),
        };
        let ast = parse(source.as_ref(), grammar)?;
        Ok(Self {
            missing_key: options.missing_key,
            ast,
        })
    }

    /// The name the template was parsed under.
    pub fn name(&self) -> &str {
        std::str::from_utf8(&self.ast.units[self.ast.main].name).unwrap_or_default()
    }

    /// Executes the template on `data`; on failure there is no partial output.
    pub fn execute(&self, data: &Value, env: &Env<'_>) -> Result<Vec<u8>, Error> {
        self.execute_within(data, env, &Budget::new(env.limits))
    }

    /// Executes the template with what is left of `budget` in place of the limits in `env`.
    pub fn execute_within(
        &self,
        data: &Value,
        env: &Env<'_>,
        budget: &Budget,
    ) -> Result<Vec<u8>, Error> {
        let source = (self.name(), &self.ast, self.missing_key);
        crate::exec::run(source, data, env, budget)
    }
}
