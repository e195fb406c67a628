//! The one loop of the test bench that asks again and again: for servers that begin to answer and for
//! states of several objects, which send no event. What has a watch or a channel waits for that.

use std::ops::ControlFlow;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Pause between two questions.
const PAUSE: Duration = Duration::from_millis(50);

/// Asks until the answer is [`ControlFlow::Break`], at most for `limit`; then returns the last
/// [`ControlFlow::Continue`] as the error.
pub fn until<T, W>(
    limit: Duration,
    mut ask: impl FnMut() -> ControlFlow<T, W>,
) -> std::result::Result<T, W> {
    let began = Instant::now();
    loop {
        match ask() {
            ControlFlow::Break(answer) => return Ok(answer),
            ControlFlow::Continue(last) if began.elapsed() >= limit => return Err(last),
            ControlFlow::Continue(_) => sleep(PAUSE),
        }
    }
}

/// Asks until `holds` is true, at most for `limit`. Returns how long that took.
pub fn until_holds(limit: Duration, mut holds: impl FnMut() -> bool) -> Option<Duration> {
    let began = Instant::now();
    let held = until(limit, || {
        if holds() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    held.ok().map(|()| began.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_is_the_error_when_time_is_up() {
        let mut asked = 0;

        let last = until(Duration::ZERO, || {
            asked += 1;
            ControlFlow::<(), _>::Continue(asked)
        });

        assert_eq!(last, Err(1));
    }

    #[test]
    fn a_question_is_asked_until_it_holds() {
        let mut left = 3;

        let held = until_holds(Duration::from_mins(1), || {
            left -= 1;
            left == 0
        });

        assert!(held.is_some());
        assert_eq!(left, 0);
    }
}
