use super::*;

fn tags(entries: &[(&str, &str)]) -> Words {
    let entries = entries.iter();
    entries
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn labels_and_path_are_left_to_the_server() {
    let two = tags(&[("team", "a"), ("env", "dev")]);

    assert_eq!(filter(Some(&two), None), "labels.env=dev labels.team=a");
    assert_eq!(
        filter(Some(&two), Some("app-")),
        "labels.env=dev labels.team=a name:app-"
    );
    assert_eq!(filter(None, Some("app-")), "name:app-");
    assert_eq!(filter(None, None), "");
}

#[test]
fn a_value_cannot_change_the_filter() {
    let odd = tags(&[("env", "dev OR name:x")]);

    assert_eq!(filter(Some(&odd), None), r#"labels.env="dev OR name:x""#);
    assert_eq!(quoted(r#"a"b\"#), r#""a\"b\\""#);
}
