//! Form and colours of what commands print. Colours are named by what they mean; whether they are
//! shown depends on the flag, on `NO_COLOR` and on a terminal, which the binary passes in.

use std::fmt::Display;

use clap::{Args, ValueEnum};

/// Flags of commands that print a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct OutputFlags {
    /// Form of the result on standard output.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: Form,

    /// When to use colours; `auto` is on a terminal, unless NO_COLOR is set.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// Form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people.
    #[default]
    Text,
    /// One JSON document, for programs.
    Json,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What is known of standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Whether it is a terminal.
    pub is_terminal: bool,
    /// Whether `NO_COLOR` is set to something.
    pub no_color: bool,
}

impl OutputFlags {
    /// Whether the result is to be JSON.
    pub fn is_json(self) -> bool {
        self.output == Form::Json
    }

    /// The colours to print with.
    pub fn paint(self, screen: Screen) -> Paint {
        let shown = match self.color {
            Color::Auto => screen.is_terminal && !screen.no_color,
            Color::Always => true,
            Color::Never => false,
        };
        Paint {
            shown: shown && !self.is_json(),
        }
    }
}

/// Colours by meaning; text passes through unchanged where they are off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    shown: bool,
}

impl Paint {
    /// Colours that are shown.
    pub const ON: Self = Self { shown: true };
    /// Colours that are not shown.
    pub const OFF: Self = Self { shown: false };

    /// Whether colours are shown.
    pub fn is_shown(self) -> bool {
        self.shown
    }

    /// Something is as it should be.
    pub fn good(self, text: impl Display) -> String {
        self.code("32", text)
    }

    /// Something is wrong.
    pub fn bad(self, text: impl Display) -> String {
        self.code("1;31", text)
    }

    /// Something deserves a look.
    pub fn warn(self, text: impl Display) -> String {
        self.code("33", text)
    }

    /// What may be read over.
    pub fn dim(self, text: impl Display) -> String {
        self.code("2", text)
    }

    /// What should be read first.
    pub fn bold(self, text: impl Display) -> String {
        self.code("1", text)
    }

    fn code(self, code: &str, text: impl Display) -> String {
        let text = text.to_string();
        if self.shown && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Screen = Screen {
        is_terminal: true,
        no_color: false,
    };

    fn flags(output: Form, color: Color) -> OutputFlags {
        OutputFlags { output, color }
    }

    #[test]
    fn colours_are_for_terminals() {
        let auto = flags(Form::Text, Color::Auto);

        assert_eq!(auto.paint(TERMINAL), Paint::ON);
        assert_eq!(auto.paint(Screen::default()), Paint::OFF);
    }

    #[test]
    fn no_color_is_heeded_until_colours_are_asked_for() {
        let screen = Screen {
            no_color: true,
            ..TERMINAL
        };

        assert_eq!(flags(Form::Text, Color::Auto).paint(screen), Paint::OFF);
        assert_eq!(flags(Form::Text, Color::Always).paint(screen), Paint::ON);
    }

    #[test]
    fn json_has_no_colours() {
        assert_eq!(flags(Form::Json, Color::Always).paint(TERMINAL), Paint::OFF);
    }

    #[test]
    fn paint_that_is_off_changes_nothing() {
        assert_eq!(Paint::OFF.bad("x"), "x");
        assert_eq!(Paint::ON.bad("x"), "\u{1b}[1;31mx\u{1b}[0m");
        assert_eq!(Paint::ON.bad(""), "");
    }
}
