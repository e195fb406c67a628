//! The harness `gjson` for `cargo fuzz run gjson --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::gjson(input));
