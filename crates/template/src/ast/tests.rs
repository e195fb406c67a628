use proptest::prelude::*;

use super::*;
use crate::parse::{Grammar, parse};

/// The canonical texts of all pipelines of a template.
fn shown(source: &str) -> Option<Vec<String>> {
    let grammar = Grammar {
        name: "k",
        left: b"{{",
        right: b"}}",
    };
    let ast = parse(source.as_bytes(), grammar).ok()?;
    let count = u32::try_from(ast.pipes.len()).ok()?;
    Some((0..count).map(|at| ast.show_pipe(PipeId(at))).collect())
}

fn operand() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        ".", ".a", ".a.b", "$", "$x", "$x.y", "nil", "true", "false", "1", "-2", "0x1F", "1.5e3",
        "'c'", "\"s\\n\"", "`r`", "list", "now", "1i", "\"é\"",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let call = (
            prop::sample::select(vec!["print", "list", "and", "dict", "printf"]),
            prop::collection::vec(inner.clone(), 0..3),
        )
            .prop_map(|(name, args)| format!("({name} {})", args.join("  ")));
        let piped = (inner.clone(), inner).prop_map(|(a, b)| format!("(print {a}|  list  {b})"));
        let field = call.clone().prop_map(|call| format!("{call}.f.g"));
        prop_oneof![call, piped, field]
    })
}

proptest! {
    #[test]
    fn printing_a_parsed_pipeline_gives_the_same_pipeline(first in operand(), second in operand()) {
        let declared = "{{ $x := 1 }}";
        let source = format!("{declared}{{{{ print {first} {second}  | print }}}}");
        let once = shown(&source);
        prop_assume!(once.is_some());
        let once = once.unwrap_or_default();

        let outer = once.last().cloned().unwrap_or_default();
        let twice = shown(&format!("{declared}{{{{ {outer} }}}}"));

        prop_assert_eq!(twice, Some(once));
    }

    #[test]
    fn any_text_is_parsed_or_refused(source in "(\\{\\{|\\}\\}|[a-z.$|(): =\"'`0-9-]|if |end|range |with |else ){0,40}") {
        if let Some(pipes) = shown(&source) {
            for pipe in pipes {
                prop_assert!(!pipe.is_empty());
            }
        }
    }
}
