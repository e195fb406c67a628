//! Follows a path through a document. Up to the first step that may lead to several places a miss is
//! an error, for a path inside of an expression an empty list; behind it, misses are left out. What
//! runs out of budget is an error everywhere.

use lockstep_provider_api::json::{Number, Value};

use super::budget::Budget;
use super::{Expression, Found, PathError, Start, Step, slice};

/// The value of an expression for a document; of a list at its end at most `most` places.
pub(super) fn evaluate<'a>(
    expression: &'a Expression,
    root: &'a Value,
    most: usize,
) -> Result<Found<'a>, PathError> {
    let budget = Budget::new();
    let walk = Walk {
        root,
        budget: &budget,
    };
    match expression {
        Expression::Path(_, steps) => walk.follow(steps, root, most),
        _ => walk.value(expression, root),
    }
}

struct Walk<'a, 'b> {
    root: &'a Value,
    budget: &'b Budget,
}

/// The places that steps lead to, up to a number.
struct Places<'a> {
    found: Vec<Found<'a>>,
    most: usize,
}

/// Why a search ends before it has looked everywhere.
enum Halt {
    Full,
    Spent,
}

type Searched<T> = Result<T, Halt>;

impl<'a> Walk<'a, '_> {
    fn value(
        &self,
        expression: &'a Expression,
        current: &'a Value,
    ) -> Result<Found<'a>, PathError> {
        self.budget.step()?;
        Ok(match expression {
            Expression::Literal(value) => Found::Is(value),
            Expression::Path(start, steps) => {
                let from = match start {
                    Start::Root => self.root,
                    Start::Current => current,
                };
                match self.follow(steps, from, usize::MAX) {
                    Err(PathError::TooMany) => return Err(PathError::TooMany),
                    Err(_) if steps.iter().any(Step::is_ambiguous) => Found::List(Vec::new()),
                    found => found?,
                }
            }
            Expression::Equal(left, right) => self.equality(left, right, current, true)?,
            Expression::NotEqual(left, right) => self.equality(left, right, current, false)?,
            Expression::Negative(inner) => {
                let number = self.number(inner, current)?;
                Found::Made(Value::Number(Number::Float(-number)))
            }
        })
    }

    fn equality(
        &self,
        left: &'a Expression,
        right: &'a Expression,
        current: &'a Value,
        wanted: bool,
    ) -> Result<Found<'a>, PathError> {
        let left = self.value(left, current)?;
        let same = left.equals(&self.value(right, current)?, self.budget)?;
        Ok(Found::Made(Value::Bool(same == wanted)))
    }

    fn follow(
        &self,
        steps: &'a [Step],
        from: &'a Value,
        most: usize,
    ) -> Result<Found<'a>, PathError> {
        let mut from = from;
        for (at, step) in steps.iter().enumerate() {
            self.budget.step()?;
            match step {
                Step::One(key) => from = self.one(key, from)?,
                Step::Script(script) => {
                    return self.scripted(script, &steps[at + 1..], from, most);
                }
                _ => {
                    let mut places = Places {
                        found: Vec::new(),
                        most,
                    };
                    return match self.collect(&steps[at..], from, &mut places) {
                        Err(Halt::Spent) => Err(PathError::TooMany),
                        Ok(()) | Err(Halt::Full) => Ok(Found::List(places.found)),
                    };
                }
            }
        }
        Ok(Found::Is(from))
    }

    /// Further steps see what the script made as their document.
    fn scripted(
        &self,
        script: &'a Expression,
        rest: &'a [Step],
        from: &'a Value,
        most: usize,
    ) -> Result<Found<'a>, PathError> {
        let budget = self.budget;
        let made = match self.value(script, from)? {
            made if rest.is_empty() => return Ok(made),
            Found::Is(root) => return Walk { root, budget }.follow(rest, root, most),
            made => made.into_value(budget)?,
        };
        let inner = Walk {
            root: &made,
            budget,
        };
        let found = inner.follow(rest, &made, most)?;
        found.into_value(budget).map(Found::Made)
    }

    /// Every value the steps lead to; what leads nowhere is left out.
    fn collect(&self, steps: &'a [Step], from: &'a Value, places: &mut Places<'a>) -> Searched<()> {
        self.budget.step().map_err(|_| Halt::Spent)?;
        let Some((first, rest)) = steps.split_first() else {
            return places.add(Found::Is(from), self.budget);
        };
        match first {
            Step::One(key) => match hit(self.one(key, from))? {
                Some(next) => self.collect(rest, next, places),
                None => Ok(()),
            },
            Step::Script(_) => match hit(self.follow(steps, from, usize::MAX))? {
                Some(found) => places.add(found, self.budget),
                None => Ok(()),
            },
            Step::Union(keys) => keys.iter().try_for_each(|key| {
                let next = hit(self.one(key, from))?;
                next.map_or(Ok(()), |next| self.collect(rest, next, places))
            }),
            Step::All => children(from).try_for_each(|next| self.collect(rest, next, places)),
            Step::Descend => self.descend(rest, from, places),
            Step::Slice(parts) => self
                .slice(parts, from)?
                .try_for_each(|next| self.collect(rest, next, places)),
            Step::Filter(condition) => children(from).try_for_each(|next| {
                if self.holds(condition, next)? {
                    self.collect(rest, next, places)?;
                }
                Ok(())
            }),
        }
    }

    fn descend(&self, rest: &'a [Step], from: &'a Value, places: &mut Places<'a>) -> Searched<()> {
        self.collect(rest, from, places)?;
        let mut open = vec![children(from)];
        while let Some(level) = open.last_mut() {
            match level.next() {
                Some(next) => {
                    self.collect(rest, next, places)?;
                    open.push(children(next));
                }
                None => drop(open.pop()),
            }
        }
        Ok(())
    }

    fn one(&self, key: &'a Expression, from: &'a Value) -> Result<&'a Value, PathError> {
        match from {
            Value::Array(elements) => {
                let index = whole(self.number(key, from)?).ok_or(PathError::NoIndex)?;
                let at = usize::try_from(index).ok();
                let found = at.and_then(|at| elements.get(at));
                found.ok_or(PathError::OutOfBounds(index))
            }
            Value::Object(members) => {
                let key = self.value(key, from)?;
                let key = key.name().ok_or(PathError::NoIndex)?;
                self.budget.read(&key)?;
                let found = members.get(&*key);
                found.ok_or_else(|| PathError::UnknownKey(key.into_owned()))
            }
            Value::Null => Err(PathError::NoContainer("<nil>")),
            Value::Bool(_) => Err(PathError::NoContainer("bool")),
            Value::Number(_) => Err(PathError::NoContainer("float64")),
            Value::String(_) => Err(PathError::NoContainer("string")),
        }
    }

    fn slice(
        &self,
        parts: &'a [Option<Expression>; 3],
        from: &'a Value,
    ) -> Searched<Box<dyn Iterator<Item = &'a Value> + 'a>> {
        let Value::Array(elements) = from else {
            return Ok(Box::new(std::iter::empty()));
        };
        let mut bounds = [None; 3];
        for (bound, part) in bounds.iter_mut().zip(parts) {
            if let Some(part) = part {
                *bound = hit(self.number(part, from))?.and_then(whole);
            }
        }
        Ok(slice::elements(elements, bounds))
    }

    /// Whether a filter takes an element; one that cannot be computed does not.
    fn holds(&self, condition: &'a Expression, element: &'a Value) -> Searched<bool> {
        let Some(found) = hit(self.value(condition, element))? else {
            return Ok(false);
        };
        match found.value() {
            Some(Value::Bool(holds)) => Ok(*holds),
            Some(Value::String(text)) if matches!(text.as_str(), "true" | "TRUE") => Ok(true),
            _ => {
                let number = hit(found.number(self.budget))?.flatten();
                Ok(number.is_some_and(|number| number != 0.0))
            }
        }
    }

    fn number(&self, expression: &'a Expression, current: &'a Value) -> Result<f64, PathError> {
        let found = self.value(expression, current)?;
        found.number(self.budget)?.ok_or(PathError::NoIndex)
    }
}

impl<'a> Places<'a> {
    fn add(&mut self, found: Found<'a>, budget: &Budget) -> Searched<()> {
        budget.place().map_err(|_| Halt::Spent)?;
        self.found.push(found);
        if self.found.len() < self.most {
            Ok(())
        } else {
            Err(Halt::Full)
        }
    }
}

/// What was found, nothing for a miss; running out of budget is no miss.
fn hit<T>(outcome: Result<T, PathError>) -> Searched<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(PathError::TooMany) => Err(Halt::Spent),
        Err(_) => Ok(None),
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(elements) => Box::new(elements.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the whole numbers of a float64; the fraction is cut off as in Go"
    )]
    (number.abs() < LIMIT).then_some(number as i64)
}
