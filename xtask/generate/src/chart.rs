//! The CRDs as templates of the Helm chart: the same text, behind the chart's switches. Which values
//! gate a CRD is decided here; what a CRD holds is not.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// The file that holds all CRDs at once; the chart has them one by one.
const BUNDLE: &str = "bundle.yaml";

/// Kinds with a switch of their own. `crds.createSecretStore` never was one: honouring it now would
/// drop a CRD from releases that set it.
const SWITCHED: [&str; 5] = [
    "ClusterExternalSecret",
    "ClusterGenerator",
    "ClusterPushSecret",
    "ClusterSecretStore",
    "PushSecret",
];

/// A template for each CRD.
pub(crate) fn templates(files: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let single = files.iter().filter(|(name, _)| *name != BUNDLE);
    single
        .map(|(name, text)| {
            let template = template(text).with_context(|| format!("template of {name}"))?;
            Ok((name.clone(), template))
        })
        .collect()
}

fn template(crd: &str) -> Result<String> {
    if crd.contains("{{") {
        bail!("the text holds {{{{, which Helm would take for an action");
    }
    let value = |key: &str| crd.lines().find_map(|line| line.strip_prefix(key));
    let name = value("  name: ").context("no metadata.name")?;
    let kind = value("    kind: ").context("no spec.names.kind")?;
    let switch = if SWITCHED.contains(&kind) {
        format!(" .Values.crds.create{kind}")
    } else {
        String::new()
    };
    let mut out = format!(
        "{{{{- if and .Values.installCRDs{switch} (include \"external-secrets.rendersCRD\" (list $ \"{name}\")) }}}}\n"
    );
    let mut lines = crd.lines().peekable();
    let mut version = "";
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("    name: ") {
            version = name;
        }
        match line {
            "  annotations:" => {
                out.push_str(line);
                out.push_str(
                    "\n    {{- include \"external-secrets.crdAnnotations\" . | nindent 4 }}\n",
                );
                // The fixed annotations are merged with the user's by the helper.
                while lines.next_if(|next| next.starts_with("    ")).is_some() {}
            }
            "    served: false" if version == "v1beta1" => {
                out.push_str("    served: {{ .Values.crds.unsafeServeV1Beta1 }}\n");
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    let otherwise = format!(
        "{{{{- else }}}}\n{{{{ include \"external-secrets.keptCRD\" (list $ \"{name}\") }}}}\n{{{{- end }}}}\n"
    );
    out.push_str(&otherwise);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str = "kind: CustomResourceDefinition\nmetadata:\n  annotations:\n    helm.sh/resource-policy: keep\n  name: x.y\nspec:\n  names:\n    kind: PushSecret\n  versions:\n  - schema: {}\n    name: v1beta1\n    served: false\n";

    #[test]
    fn a_crd_is_put_behind_its_switches() {
        let text = template(CRD).unwrap();

        assert!(text.starts_with("{{- if and .Values.installCRDs .Values.crds.createPushSecret ("));
        assert!(text.contains("served: {{ .Values.crds.unsafeServeV1Beta1 }}"));
        assert!(!text.contains("resource-policy"), "{text}");
        let otherwise = "{{- else }}\n{{ include \"external-secrets.keptCRD\" (list $ \"x.y\") }}\n{{- end }}\n";
        assert!(text.ends_with(otherwise), "{text}");
    }

    #[test]
    fn text_that_helm_would_execute_is_refused() {
        assert!(template(&format!("{CRD}# {{{{ x }}}}\n")).is_err());
    }
}
