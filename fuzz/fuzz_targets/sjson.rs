//! The harness `sjson` for `cargo fuzz run sjson --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lockstep_fuzz::harness::sjson(input));
