//! The metric `lockstep_build_info`: always 1, with the build in its labels.

use lockstep_runtime::metrics::{Family, Kind, Page, Rows};

const FAMILIES: &[Family] = &[Family {
    name: "lockstep_build_info",
    help: "Always 1; the labels say which build runs",
    kind: Kind::Gauge,
}];

/// Writes the one series.
pub(super) struct BuildInfo;

impl Rows for BuildInfo {
    fn families(&self) -> &'static [Family] {
        FAMILIES
    }

    fn page(&self, _: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let labels = [
            ("version", super::VERSION),
            ("commit", super::COMMIT),
            ("providers", super::providers()),
        ];
        page.sample(&labels, 1.0);
        None
    }
}
