//! Parses and executes templates in tests.

use lockstep_template::{
    Env, Error, Limits, MissingKey, Options, Random, RandomError, StrMap, Template, Value,
};

/// The same bytes over and over.
pub(crate) struct Fixed;

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = at.to_le_bytes()[0].wrapping_mul(37).wrapping_add(11);
        }
        Ok(())
    }
}

/// Runs `source` on string data within `limits`, a missing key being an error.
pub(crate) fn run_within(
    source: &str,
    data: &[(&str, &str)],
    limits: Limits,
) -> Result<Vec<u8>, Error> {
    let options = Options {
        missing_key: MissingKey::Error,
        ..Options::default()
    };
    let template = Template::parse("tpl", source, &options)?;
    let data = Value::from(data.iter().copied().collect::<StrMap>());
    let env = Env {
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &Fixed,
        limits,
    };
    template.execute(&data, &env)
}

/// As [`run_within`], with the default limits.
pub(crate) fn run(source: &str, data: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    run_within(source, data, Limits::default())
}
