//! The static table. `cargo xtask generate` writes the lines between the markers: one for each
//! folder in `providers/`, in the order of their names.

use lockstep_provider::Entry;

pub(crate) static TABLE: &[Entry] = &[
    // generated: begin
    #[cfg(feature = "fake")]
    Entry::of::<lockstep_provider_fake::Fake>(),
    #[cfg(feature = "kubernetes")]
    Entry::of::<lockstep_provider_kubernetes::Kubernetes>(),
    // generated: end
];

#[cfg(test)]
mod tests {
    use super::TABLE;
    use crate::upstream;

    #[test]
    fn every_row_is_a_provider_of_the_api_and_there_once() {
        for entry in TABLE {
            let name = entry.name();
            assert!(upstream::NAMES.contains(&name), "{name}");
            let rows = TABLE.iter().filter(|other| other.name() == name);
            assert_eq!(rows.count(), 1, "{name}");
        }
    }
}
