//! The harness `json` for `cargo fuzz run json --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::json(input));
