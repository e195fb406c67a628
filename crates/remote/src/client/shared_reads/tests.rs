use lockstep_provider_api::SecretValue;

use super::*;

fn value(bytes: usize) -> Payload {
    Payload::Value(SecretValue::new(vec![b'x'; bytes]))
}

#[test]
fn an_answer_that_no_object_can_use_is_refused() {
    let reads = SharedReads::default();

    let error = reads.admit(value(MOST_FETCHED_BYTES + 1)).unwrap_err();

    assert_eq!(*error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("4194305 bytes"), "{error}");
    assert!(reads.admit(value(MOST_FETCHED_BYTES)).is_ok());
}

#[test]
fn large_answers_wait_while_many_are_in_memory_and_small_ones_do_not() {
    let reads = SharedReads::default();
    let held = HeldBytes::new(&reads.bytes, MOST_BYTES);

    let error = reads.admit(value(SMALL + 1)).unwrap_err();

    assert_eq!(*error.kind(), ErrorKind::Throttled);
    assert_eq!(error.retry_after(), Some(NO_MEMORY_RETRY));
    assert!(reads.admit(value(SMALL)).is_ok());
    drop(held);
    assert!(reads.admit(value(SMALL + 1)).is_ok());
}
