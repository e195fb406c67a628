//! Unicode classes such as `\p{Greek}`, as of Unicode 15.0, the version of Go 1.26.
//!
//! The tables of `regex-syntax` are one version younger; what came since is taken away again.
//! Names with an underscore are refused for scripts, as Go 1.26 does.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

use super::charset::CharSet;
use super::parse::{check_utf8, next_char};
use super::{Error, Problem};

const CATEGORIES: [&str; 37] = [
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn",
    "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm",
    "So", "Z", "Zl", "Zp", "Zs",
];

const ALIASES: [(&str, &str); 42] = [
    ("Casedletter", "LC"),
    ("Closepunctuation", "Pe"),
    ("Combiningmark", "M"),
    ("Connectorpunctuation", "Pc"),
    ("Control", "Cc"),
    ("Currencysymbol", "Sc"),
    ("Dashpunctuation", "Pd"),
    ("Decimalnumber", "Nd"),
    ("Enclosingmark", "Me"),
    ("Finalpunctuation", "Pf"),
    ("Format", "Cf"),
    ("Initialpunctuation", "Pi"),
    ("Letter", "L"),
    ("Letternumber", "Nl"),
    ("Lineseparator", "Zl"),
    ("Lowercaseletter", "Ll"),
    ("Mark", "M"),
    ("Mathsymbol", "Sm"),
    ("Modifierletter", "Lm"),
    ("Modifiersymbol", "Sk"),
    ("Nonspacingmark", "Mn"),
    ("Number", "N"),
    ("Openpunctuation", "Ps"),
    ("Other", "C"),
    ("Otherletter", "Lo"),
    ("Othernumber", "No"),
    ("Otherpunctuation", "Po"),
    ("Othersymbol", "So"),
    ("Paragraphseparator", "Zp"),
    ("Privateuse", "Co"),
    ("Punctuation", "P"),
    ("Separator", "Z"),
    ("Spaceseparator", "Zs"),
    ("Spacingmark", "Mc"),
    ("Surrogate", "Cs"),
    ("Symbol", "S"),
    ("Titlecaseletter", "Lt"),
    ("Unassigned", "Cn"),
    ("Uppercaseletter", "Lu"),
    ("Cntrl", "Cc"),
    ("Digit", "Nd"),
    ("Punct", "P"),
];

/// Scripts whose name is one word; Go 1.26 finds no others.
const SCRIPTS: &str = "
    Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi
    Braille Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot
    Cyrillic Deseret Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic
    Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited
    Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha
    Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin
    Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya
    Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham
    Sinhala Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu
    Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi
";

/// Characters that came after Unicode 15.0.
static ADDED: LazyLock<CharSet> = LazyLock::new(|| table("age=16.0").without(&table("age=15.0")));

/// The class that `regex-syntax` knows under a name; empty if it does not.
fn table(name: &str) -> CharSet {
    let parsed = regex_syntax::parse(&format!("[\\p{{{name}}}]"));
    match parsed.map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => CharSet::from_class(class),
        // A class of one character comes as a literal.
        Ok(HirKind::Literal(literal)) => {
            let text = String::from_utf8_lossy(&literal.0).into_owned();
            CharSet::from_ranges(text.chars().map(|c| (u32::from(c), u32::from(c))))
        }
        _ => CharSet::from_ranges([]),
    }
}

/// Parses `\pN`, `\p{Name}` or their negations at the start of a text.
pub(super) fn parse(text: &[u8], fold: bool) -> Result<Option<(CharSet, usize)>, Error> {
    let [b'\\', letter @ (b'p' | b'P'), rest @ ..] = text else {
        return Ok(None);
    };
    if rest.is_empty() {
        return Err(Error::new(Problem::CharRange, text));
    }
    let mut negated = *letter == b'P';
    let (c, width) = next_char(rest)?;
    let (name, length) = if c == '{' {
        let Some(end) = text.iter().position(|byte| *byte == b'}') else {
            check_utf8(text)?;
            return Err(Error::new(Problem::CharRange, text));
        };
        check_utf8(&text[3..end])?;
        (&text[3..end], end + 1)
    } else {
        (&rest[..width], 2 + width)
    };
    let name = match name {
        [b'^', name @ ..] => {
            negated = !negated;
            name
        }
        name => name,
    };
    let name = canonical(name);
    let Some(set) = lookup(&name) else {
        return Err(Error::new(Problem::CharRange, &text[..length]));
    };
    // Go has no folding table for this one category.
    let fold = fold && name != "Lc" && name != "Casedletter";
    let set = if fold { set.folded() } else { set };
    Ok(Some((if negated { set.negated() } else { set }, length)))
}

/// Go ignores case, underscores, hyphens and spaces in names.
fn canonical(name: &[u8]) -> String {
    let letters = String::from_utf8_lossy(name)
        .replace(['_', '-', ' '], "")
        .to_ascii_lowercase();
    let mut chars = letters.chars();
    chars.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_uppercase())
            .chain(chars)
            .collect()
    })
}

fn lookup(name: &str) -> Option<CharSet> {
    let alias = || {
        ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map(|(_, real)| *real)
    };
    Some(match name {
        "Any" => CharSet::from_ranges([(0, 0x10_ffff)]),
        "Ascii" => CharSet::from_ranges([(0, 0x7f)]),
        "Assigned" => category("Cn").negated(),
        "Lc" => category("LC"),
        _ if CATEGORIES.contains(&name) => category(name),
        _ if SCRIPTS.split_whitespace().any(|script| script == name) => {
            table(&format!("sc={name}")).without(&ADDED)
        }
        _ => category(alias()?),
    })
}

fn category(name: &str) -> CharSet {
    let medial_ra = CharSet::from('\u{1171e}');
    let set = table(&format!("gc={name}"));
    match name {
        "C" | "Cn" => set.union(&ADDED),
        // The one character whose category changed since.
        "Mc" => set.without(&ADDED).without(&medial_ra),
        "Mn" => set.without(&ADDED).union(&medial_ra),
        _ => set.without(&ADDED),
    }
}
