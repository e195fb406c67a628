//! The examples of the user's page, executed.

use lockstep_template::{
    Env, Error, Limits, MissingKey, Options, Random, RandomError, StrMap, Template, Value,
};

const PAGE: &str = include_str!("../../../../docs/templates.md");

/// Bytes in which primes can be found.
struct Counter(std::cell::Cell<u64>);

impl Random for Counter {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        for byte in buffer {
            let next = self
                .0
                .get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            self.0.set(next);
            *byte = next.to_be_bytes()[0];
        }
        Ok(())
    }
}

/// The blocks of code marked with that word.
fn blocks(mark: &str) -> impl Iterator<Item = &'static str> {
    let fence = format!("```{mark}\n");
    let starts: Vec<usize> = PAGE.match_indices(&fence).map(|(at, _)| at).collect();
    starts.into_iter().map(move |at| {
        let block = &PAGE[at + fence.len()..];
        &block[..block.find("```").unwrap()]
    })
}

/// Every line of an example: the template and what it gives.
fn examples() -> Vec<(&'static str, String)> {
    let lines = blocks("template").flat_map(str::lines);
    lines
        .map(|line| {
            let (template, result) = line.split_once(" → ").unwrap();
            (template.trim_end(), result.replace('⏎', "\n"))
        })
        .collect()
}

fn execute(source: &str, data: &Value) -> Result<Vec<u8>, Error> {
    let options = Options {
        missing_key: MissingKey::Error,
        ..Options::default()
    };
    let env = Env {
        now: "2026-03-04T05:06:07Z".parse().unwrap(),
        random: &Counter(std::cell::Cell::new(1)),
        limits: Limits::default(),
    };
    Template::parse("key", source, &options)?.execute(data, &env)
}

#[test]
fn every_example_gives_what_the_page_says() {
    let data: serde_json::Value = serde_json::from_str(blocks("json").next().unwrap()).unwrap();
    let entries = data.as_object().unwrap().iter();
    let data = Value::from(
        entries
            .map(|(key, value)| (key.as_str(), value.as_str().unwrap()))
            .collect::<StrMap>(),
    );

    for (source, want) in examples() {
        let got = match execute(source, &data) {
            Ok(text) => String::from_utf8(text).unwrap(),
            Err(error) => format!("error: {}", error.message()),
        };

        assert_eq!(got, want, "{source}");
    }
}

#[test]
fn every_function_has_an_example() {
    let examples = examples();
    let has = |name: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '$';
        examples
            .iter()
            .any(|(source, _)| source.split(|c| !is_word(c)).any(|word| word == name))
    };

    let without: Vec<_> = lockstep_template::function_names()
        .filter(|name| !has(name))
        .collect();

    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn there_are_all_functions_of_sprig_and_of_the_operator() {
    const OF_GO: [&str; 18] = [
        "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not",
        "or", "print", "printf", "println", "urlquery",
    ];
    let others = lockstep_template::function_names().filter(|name| !OF_GO.contains(name));

    assert_eq!(others.count(), 227);
}
