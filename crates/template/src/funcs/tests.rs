use super::*;

#[test]
fn no_name_is_taken_twice() {
    let names: Vec<_> = TABLE.iter().map(|func| func.name).collect();

    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn functions_that_reach_outside_are_not_there() {
    for name in ["env", "expandenv", "getHostByName"] {
        assert!(lookup(name.as_bytes()).is_none(), "{name}");
    }
}
