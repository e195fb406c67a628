//! The harness `regexp` for `cargo fuzz run regexp --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::regexp(input));
