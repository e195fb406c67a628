//! Flags that bound what all templates of one object may use. They are ours: the original operator
//! has no such limits.

use clap::Args;
use lockstep_plan::TemplateLimits;

/// Limits of templates.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub struct TemplateFlags {
    /// Most steps for one object: commands, rounds of loops, work inside functions.
    #[arg(long, default_value_t = TemplateLimits::default().steps, value_name = "N")]
    template_max_steps: u64,
    /// Most bytes the templates of one object may write.
    #[arg(long, default_value_t = TemplateLimits::default().output, value_name = "BYTES")]
    template_max_output: usize,
    /// Most bytes of values the templates of one object may make on the way.
    #[arg(long, default_value_t = TemplateLimits::default().memory, value_name = "BYTES")]
    template_max_memory: usize,
}

impl TemplateFlags {
    /// The limits; what no flag sets is as it always is.
    pub fn limits(&self) -> TemplateLimits {
        TemplateLimits {
            steps: self.template_max_steps,
            output: self.template_max_output,
            memory: self.template_max_memory,
            ..TemplateLimits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        template: TemplateFlags,
    }

    fn limits(flags: &[&str]) -> TemplateLimits {
        let flags = std::iter::once("lockstep").chain(flags.iter().copied());
        Line::parse_from(flags).template.limits()
    }

    #[test]
    fn without_flags_the_limits_are_the_engines_own() {
        assert_eq!(limits(&[]), TemplateLimits::default());
    }

    #[test]
    fn each_flag_sets_one_limit() {
        let set = limits(&["--template-max-steps=7", "--template-max-output=8"]);

        assert_eq!((set.steps, set.output), (7, 8));
        assert_eq!(set.memory, TemplateLimits::default().memory);
        assert_eq!(limits(&["--template-max-memory=9"]).memory, 9);
    }
}
