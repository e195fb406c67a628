//! Bounds how much the objects that templates take their texts from may hold together.

use lockstep_plan::MOST_FETCHED_BYTES;
use lockstep_provider_api::SecretMap;

/// An object that templates take their texts from, unless all of them together are too much to hold.
pub(crate) fn counted(
    read: std::result::Result<SecretMap, String>,
    bytes: &mut usize,
) -> std::result::Result<SecretMap, String> {
    let data = read?;
    *bytes = data
        .iter()
        .fold(*bytes, |sum, (_, value)| sum + value.len());
    if *bytes > MOST_FETCHED_BYTES {
        return Err(format!(
            "the objects of templateFrom have more than {MOST_FETCHED_BYTES} bytes in all: name fewer"
        ));
    }
    Ok(data)
}
