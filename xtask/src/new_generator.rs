//! `cargo xtask new-generator KIND`: a copy of the template in `crates/generators` under another name,
//! with its rows. The template is compiled with the crate's tests, so it passes the suite at any time.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::shell;

const CRATE: &str = "crates/generators/src";

/// Creates a generator in crates/generators that compiles and passes the conformance suite
///
/// The new file asks a server for a token and takes it back. Fill in the spec, the requests and the subject of
/// the suite, then run `cargo test -p lockstep-generators`. A kind that the API does not have yet also needs
/// its CRD in crates/api.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kind of its manifests: `AcmeToken`
    kind: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = place::workspace().join(CRATE);
    create(&folder, &args.kind)?;
    // Other names break lines elsewhere.
    shell::run(shell::cargo().args(["fmt", "--package", "lockstep-generators"]))?;
    say(&format!(
        "next: make {CRATE}/{}.rs speak to the real server, then `cargo test -p lockstep-generators`",
        module(&args.kind)
    ));
    Ok(())
}

/// Copies the template and adds the module, the row of the table and the subject of the suite.
fn create(folder: &Path, kind: &str) -> Result<()> {
    let starts = kind.starts_with(|c: char| c.is_ascii_uppercase());
    if !starts || !kind.chars().all(|c| c.is_ascii_alphanumeric()) {
        bail!("{kind:?} is not a valid kind; use letters and digits, the first one upper case");
    }
    let name = module(kind);
    let file = folder.join(format!("{name}.rs"));
    if file.exists() {
        bail!("{CRATE}/{name}.rs exists already");
    }
    let template = read(folder, "template_token.rs")?;
    let library = read(folder, "lib.rs")?;
    let library = inserted(&library, "mod ", &format!("mod {name};"))?;
    let row = format!("    GeneratorEntry::of::<{name}::{kind}>(),");
    let library = inserted(&library, "    GeneratorEntry::", &row)?;
    let suite = read(folder, "conformance.rs")?;
    let subject = format!("    subjects.push(crate::{name}::subject());");
    let suite = inserted(&suite, "    subjects.push(crate::", &subject)?;
    fs::write(&file, renamed(&template, kind, &name))?;
    fs::write(folder.join("lib.rs"), library)?;
    fs::write(folder.join("conformance.rs"), suite)?;
    say(&format!("created {CRATE}/{name}.rs"));
    Ok(())
}

fn read(folder: &Path, file: &str) -> Result<String> {
    let path = folder.join(file);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The template's text under another name, without the sentence about the template.
fn renamed(template: &str, kind: &str, name: &str) -> String {
    let head = "//! `TemplateToken`: a token of a server, taken back when it is replaced. `cargo xtask new-generator`\n\
                //! copies this file, so it compiles and passes the suite at any time; it is no kind of the API.\n";
    let own = format!("//! `{kind}`: a token of a server, taken back when it is replaced.\n");
    template
        .replace(head, &own)
        .replace("TemplateToken", kind)
        .replace("template", name)
}

/// Adds a line in front of the first one of its sort that it comes before, else behind the last.
fn inserted(text: &str, sort: &str, line: &str) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    let alike: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with(sort) && !lines[*at].ends_with('{'))
        .collect();
    let later = alike.iter().find(|at| lines[**at] > line);
    let at = match (later, alike.last()) {
        // An attribute belongs to the line below it.
        (Some(at), _) if *at > 0 && lines[at - 1].starts_with("#[") => at - 1,
        (Some(at), _) => *at,
        (None, Some(last)) => last + 1,
        (None, None) => bail!("no line begins with {sort:?}"),
    };
    let mut lines = lines;
    lines.insert(at, line);
    Ok(lines.join("\n") + "\n")
}

/// `AcmeToken` becomes `acme_token`, `SSHKey` becomes `ssh_key`.
fn module(kind: &str) -> String {
    let letters: Vec<char> = kind.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_small = at > 0 && !letters[at - 1].is_ascii_uppercase();
        let before_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if at > 0 && letter.is_ascii_uppercase() && (after_small || before_small) {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_become_module_names() {
        for (kind, name) in [
            ("AcmeToken", "acme_token"),
            ("SSHKey", "ssh_key"),
            ("UUID", "uuid"),
            ("ECRAuthorizationToken", "ecr_authorization_token"),
        ] {
            assert_eq!(module(kind), name);
        }
    }

    #[test]
    fn a_new_kind_has_its_file_and_its_rows() {
        let folder = tempfile::tempdir().unwrap();
        let source = place::workspace().join(CRATE);
        for file in ["template_token.rs", "lib.rs", "conformance.rs"] {
            fs::copy(source.join(file), folder.path().join(file)).unwrap();
        }

        create(folder.path(), "AcmeToken").unwrap();

        let made = fs::read_to_string(folder.path().join("acme_token.rs")).unwrap();
        assert!(made.contains("impl Generator for AcmeToken"), "{made}");
        assert!(!made.to_lowercase().contains("template"), "{made}");
        let library = fs::read_to_string(folder.path().join("lib.rs")).unwrap();
        assert!(
            library.contains("\nmod acme_token;\nmod beyondtrust"),
            "{library}"
        );
        let row =
            "\n    GeneratorEntry::of::<acme_token::AcmeToken>(),\n    GeneratorEntry::of::<beyond";
        assert!(library.contains(row), "{library}");
        let suite = fs::read_to_string(folder.path().join("conformance.rs")).unwrap();
        assert!(
            suite.contains("subjects.push(crate::acme_token::subject());"),
            "{suite}"
        );
        assert!(create(folder.path(), "AcmeToken").is_err());
    }

    #[test]
    fn names_that_no_kind_can_have_are_refused() {
        for kind in ["", "acme", "Acme-Token", "9Token"] {
            assert!(create(Path::new("/nowhere"), kind).is_err(), "{kind:?}");
        }
    }
}
