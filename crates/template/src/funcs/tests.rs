use super::*;

#[test]
fn no_name_is_taken_twice() {
    let names: Vec<_> = TABLE.iter().map(|func| func.name).collect();

    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn every_function_is_found_by_its_name() {
    for func in TABLE.iter() {
        assert_eq!(
            lookup(func.name.as_bytes()).map(|found| found.name),
            Some(func.name)
        );
    }
    assert!(lookup(b"nosuch").is_none());
}

#[test]
fn functions_that_reach_outside_are_not_there() {
    for name in ["env", "expandenv", "getHostByName"] {
        assert!(lookup(name.as_bytes()).is_none(), "{name}");
    }
}
