//! The Helm commands that the documentation tells people to type are understood by Helm and the
//! chart. They are rendered here; releases on a cluster have tests of their own.

use lockstep_testkit::helm::Helm;
use lockstep_testkit::{manifest, place};

/// Every `$ helm …` command of a page, on one line.
fn commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place::workspace().join(page)).unwrap();
    let joined = text.replace("\\\n", " ");
    let lines = joined
        .lines()
        .filter_map(|line| line.strip_prefix("$ helm "));
    lines.map(str::to_owned).collect()
}

#[test]
fn documented_installs_and_upgrades_render() {
    let helm = Helm::ready().unwrap();
    let mut tried = 0;
    for page in ["docs/install.md", "docs/migrate.md"] {
        for command in commands(page) {
            let chart = Helm::chart().display().to_string();
            let words: Vec<_> = command
                .split_whitespace()
                .map(|word| match word {
                    "install" | "upgrade" => "template",
                    "deploy/charts/external-secrets" => &chart,
                    // Rendering takes no release to start from.
                    "--reuse-values" => "--skip-tests",
                    word => word,
                })
                .collect();
            if words[0] != "template" {
                continue;
            }
            let objects = manifest::parse(&helm.run(&words).unwrap()).unwrap();
            let images = objects.iter().filter_map(|object| {
                let image = "/spec/template/spec/containers/0/image";
                object.pointer(image).and_then(|image| image.as_str())
            });
            let images: Vec<_> = images.collect();
            // The controller, and the webhook unless the command leaves it out.
            let count = if command.contains("webhook.create=false") {
                1
            } else {
                2
            };
            assert_eq!(
                images,
                vec!["REPOSITORY:v2.9.0"; count],
                "{page}: {command}"
            );
            tried += 1;
        }
    }
    assert_eq!(tried, 3);
}
