//! Which texts are UUIDs: the four spellings that the original's library takes, because they decide
//! whether a key is an id or a path.

const PREFIX: &str = "urn:uuid:";

/// Whether a text is a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    fault(text).is_none()
}

/// Why a text is no UUID.
pub(crate) fn fault(text: &str) -> Option<String> {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bare = match text.len() {
        32 => return (!hex(text)).then(|| "invalid UUID format".to_owned()),
        36 => text,
        38 => text.get(1..37).unwrap_or_default(),
        45 => {
            let prefix = text.get(..PREFIX.len()).unwrap_or_default();
            if !prefix.eq_ignore_ascii_case(PREFIX) {
                return Some(format!("invalid urn prefix: {prefix:?}"));
            }
            &text[PREFIX.len()..]
        }
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let groups: Vec<&str> = bare.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_good = lengths == [8, 4, 4, 4, 12] && groups.iter().all(|group| hex(group));
    (!is_good).then(|| "invalid UUID format".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "1111aaaa-22bb-33cc-44dd-555566667777";

    #[test]
    fn four_spellings_are_uuids() {
        for text in [
            PLAIN.to_owned(),
            PLAIN.to_uppercase(),
            PLAIN.replace('-', ""),
            format!("{{{PLAIN}}}"),
            format!("urn:uuid:{PLAIN}"),
        ] {
            assert!(is_uuid(&text), "{text}");
        }
    }

    #[test]
    fn paths_are_none() {
        let almost = PLAIN.replace('a', "g");
        for text in ["", "app/database", "1111aaaa", almost.as_str()] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
