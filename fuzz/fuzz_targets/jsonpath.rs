//! The harness `jsonpath` for `cargo fuzz run jsonpath --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::jsonpath(input));
