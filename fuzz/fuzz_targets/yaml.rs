//! The harness `yaml` for `cargo fuzz run yaml --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::yaml(input));
