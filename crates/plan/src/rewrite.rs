//! Changes of keys between fetching and writing: regular expressions, templates and merging. Each
//! operation works on the outcome of the one before; where upstream leaves a collision to chance,
//! the last key in order wins here.

mod merge;

use jiff::Timestamp;
use lockstep_api::external_secret::{Rewrite, RewriteRegexp};
use lockstep_provider::{Error, SecretMap};

use crate::pattern::Pattern;
use crate::render::transform_keys;
use crate::settings::Settings;

/// Applies all operations in order.
pub(crate) fn rewrite(
    operations: &[Rewrite],
    map: SecretMap,
    settings: &Settings,
    now: Timestamp,
) -> Result<SecretMap, Error> {
    let steps = operations.iter().enumerate();
    steps.into_iter().try_fold(map, |map, (at, operation)| {
        let changed = if let Some(merge) = &operation.merge {
            merge::merge(merge, map)
        } else if let Some(regexp) = &operation.regexp {
            by_pattern(regexp, map)
        } else if let Some(transform) = &operation.transform {
            transform_keys(&transform.template, map, settings, now)
        } else {
            Ok(map)
        };
        changed.map_err(|error| error.context(format_args!("failed rewrite operation[{at}]")))
    })
}

fn by_pattern(operation: &RewriteRegexp, map: SecretMap) -> Result<SecretMap, Error> {
    let pattern = Pattern::compile(&operation.source).map_err(|error| {
        Error::invalid_spec(format!("regexp failed with failed to compile: {error}"))
    })?;
    let renamed = map.into_iter();
    Ok(renamed
        .map(|(key, value)| (pattern.replace_all(&key, &operation.target), value))
        .collect())
}

#[cfg(test)]
mod tests;
