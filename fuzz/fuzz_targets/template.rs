//! The harness `template` for `cargo fuzz run template --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::template(input));
