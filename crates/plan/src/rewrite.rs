//! Changes of keys between fetching and writing: regular expressions, templates and merging. Each
//! operation works on the outcome of the one before; where upstream leaves a collision to chance,
//! the last key in order wins here.

mod merge;

use lockstep_api::external_secret::{Rewrite, RewriteRegexp};
use lockstep_provider_api::{Error, SecretMap};

use crate::pattern::Pattern;
use crate::render::transform_keys;
use crate::work::Work;

/// Applies all operations in order.
pub(crate) fn rewrite(
    operations: &[Rewrite],
    map: SecretMap,
    work: Work<'_>,
) -> Result<SecretMap, Error> {
    let steps = operations.iter().enumerate();
    steps.into_iter().try_fold(map, |map, (at, operation)| {
        let spent = work.spend(map.len(), 0);
        let changed = if let Err(error) = spent {
            Err(error)
        } else if let Some(merge) = &operation.merge {
            merge::merge(merge, map, work)
        } else if let Some(regexp) = &operation.regexp {
            by_pattern(regexp, map, work)
        } else if let Some(transform) = &operation.transform {
            transform_keys(&transform.template, map, work)
        } else {
            Ok(map)
        };
        changed.map_err(|error| error.context(format_args!("failed rewrite operation[{at}]")))
    })
}

fn by_pattern(
    operation: &RewriteRegexp,
    map: SecretMap,
    work: Work<'_>,
) -> Result<SecretMap, Error> {
    let refused = |text| Error::invalid_spec(format!("regexp failed with {text}"));
    let pattern = Pattern::compile_within(&operation.source, work.budget)
        .map_err(|error| refused(format!("failed to compile: {error}")))?;
    let renamed = map.into_iter().map(|(key, value)| {
        let name = pattern.replace_within(&key, &operation.target, work.budget);
        Ok((name.map_err(refused)?, value))
    });
    renamed.collect()
}

#[cfg(test)]
mod tests;
