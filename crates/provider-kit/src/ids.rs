//! Ids that backends give: tells a UUID from a name where a reference may be either.

/// Whether a text has the form of a UUID.
pub fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hex = |group: &&str| group.chars().all(|c| c.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::is_uuid;

    #[test]
    fn a_uuid_has_five_groups_of_hexadecimal_digits() {
        assert!(is_uuid("0ccccccc-1111-4111-8111-000000000000"));
        for name in ["k", "0ccccccc-1111-4111-8111-00000000000g", "a-b-c-d-e"] {
            assert!(!is_uuid(name), "{name}");
        }
    }
}
