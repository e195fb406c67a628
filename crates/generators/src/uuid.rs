//! `UUID`: a random identifier, version 4.

use lockstep_provider_api::{SecretMap, SecretValue};

use crate::random::Random;

pub(crate) fn generate(random: &mut dyn Random) -> SecretMap {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = crate::encoding::hex(&bytes);
    let text = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-");
    SecretMap::from_iter([("uuid".to_owned(), SecretValue::from(text))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Counting;

    #[test]
    fn it_is_a_version_four_uuid() {
        let made = generate(&mut Counting::default());

        let text = made.get("uuid").unwrap().expose_utf8().unwrap();
        let parts: Vec<&str> = text.split('-').collect();
        assert_eq!(
            parts.iter().map(|part| part.len()).collect::<Vec<_>>(),
            [8, 4, 4, 4, 12]
        );
        assert!(parts[2].starts_with('4'));
        assert!(parts[3].starts_with(['8', '9', 'a', 'b']));
    }
}
