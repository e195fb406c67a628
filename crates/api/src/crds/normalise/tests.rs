use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// How a provider might look.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only the schema counts")]
struct Settings {
    /// Where it is.
    server: String,
    #[serde(default)]
    insecure: bool,
    #[serde(default = "other")]
    namespace: String,
    #[serde(default)]
    #[schemars(extend("x-default" = false))]
    cache: bool,
    auth: Option<Auth>,
    mode: Option<Mode>,
    retries: Option<u32>,
    anything: Option<serde_json::Value>,
    list: Vec<Auth>,
}

fn other() -> String {
    "default".to_owned()
}

/// How to log in.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema counts")]
struct Auth {
    token: Option<String>,
}

/// A choice.
#[derive(Deserialize, JsonSchema)]
enum Mode {
    /// The first.
    First,
    /// The second.
    Second,
}

fn expected() -> serde_json::Value {
    let auth = |description: &str| {
        json!({
            "description": description,
            "type": "object",
            "properties": { "token": { "type": "string" } },
        })
    };
    json!({
        "description": "How a provider might look.",
        "type": "object",
        "required": ["list", "server"],
        "properties": {
            "server": { "description": "Where it is.", "type": "string" },
            "insecure": { "type": "boolean" },
            "namespace": { "type": "string", "default": "default" },
            "cache": { "type": "boolean", "default": false },
            "auth": auth("How to log in."),
            "mode": { "description": "A choice.", "type": "string", "enum": ["First", "Second"] },
            "retries": { "type": "integer" },
            "anything": { "x-kubernetes-preserve-unknown-fields": true },
            "list": { "type": "array", "items": auth("How to log in.") },
        },
    })
}

fn schema_of(settings: schemars::generate::SchemaSettings) -> serde_json::Value {
    super::schema(
        settings
            .into_generator()
            .into_root_schema_for::<Settings>()
            .to_value(),
    )
}

#[test]
fn a_schema_with_references_takes_the_form_of_a_crd() {
    assert_eq!(
        schema_of(schemars::generate::SchemaSettings::openapi3()),
        expected()
    );
    assert_eq!(
        schema_of(schemars::generate::SchemaSettings::draft2020_12()),
        expected()
    );
}

#[test]
fn an_inlined_schema_takes_the_form_of_a_crd() {
    let settings = schemars::generate::SchemaSettings::openapi3();

    assert_eq!(
        schema_of(settings.with(|s| s.inline_subschemas = true)),
        expected()
    );
}

#[test]
fn a_schema_in_the_form_of_a_crd_stays_as_it_is() {
    assert_eq!(super::schema(expected()), {
        let mut again = expected();
        // A second pass takes the explicit false for the empty default of Rust.
        again["properties"]["cache"] = json!({ "type": "boolean" });
        again
    });
}
