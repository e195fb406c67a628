//! Room for answers in memory, for the whole process. A short answer never waits. Longer ones share a
//! pool; one that is large, or that finds the pool used up, waits for the one place for large answers.
//! Whoever has that place waits for nothing else, so one answer of full size can always be read. What
//! an answer took is given back when its last byte is dropped.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Bytes all small answers may take together.
const POOL: usize = 8 * 1024 * 1024;
/// Bytes of each answer that are not counted: most answers are shorter, and nobody can delay them.
const FREE: usize = 64 * 1024;
/// How long a large answer may take once it has its place.
pub(super) const LONGEST: Duration = Duration::from_secs(20);
/// Bytes up to which an answer counts as small.
const SMALL: usize = 1024 * 1024;

/// The room of one process.
#[derive(Clone)]
pub(super) struct Room {
    pool: Arc<Semaphore>,
    large: Arc<Semaphore>,
    small: usize,
    free: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self::new(POOL, SMALL, FREE)
    }
}

/// Why an answer was not read.
pub(super) enum Unread {
    /// It is longer than any answer may be.
    TooLong,
    /// It is large and did not come in time.
    TooSlow,
    /// The connection broke.
    Broken(hyper::Error),
}

impl Room {
    fn new(pool: usize, small: usize, free: usize) -> Self {
        Self {
            pool: Arc::new(Semaphore::new(pool)),
            large: Arc::new(Semaphore::new(1)),
            small,
            free,
        }
    }

    /// Reads a body of up to `limit` bytes, and the trailers behind it.
    pub(super) async fn read(
        &self,
        mut body: Incoming,
        limit: usize,
    ) -> Result<(Bytes, Option<HeaderMap>), Unread> {
        let mut held = Held::new(self.clone());
        let mut trailers = None;
        while let Some(frame) = held.in_time(body.frame()).await? {
            let frame = frame.map_err(Unread::Broken)?;
            match frame.into_data() {
                Ok(data) => held.add(&data, limit).await?,
                Err(frame) => trailers = frame.into_trailers().ok(),
            }
        }
        Ok((held.into_bytes(), trailers))
    }
}

/// A body that grows, and the room it takes.
struct Held {
    room: Room,
    bytes: Vec<u8>,
    pool: Option<OwnedSemaphorePermit>,
    large: Option<OwnedSemaphorePermit>,
    /// When the place for large answers must be free again.
    until: Option<Instant>,
}

impl Held {
    fn new(room: Room) -> Self {
        Self {
            room,
            bytes: Vec::new(),
            pool: None,
            large: None,
            until: None,
        }
    }

    async fn add(&mut self, data: &Bytes, limit: usize) -> Result<(), Unread> {
        let length = self.bytes.len() + data.len();
        if length > limit {
            return Err(Unread::TooLong);
        }
        let is_counted = length > self.room.free && self.large.is_none();
        if is_counted && !self.grow_in_pool(length, data.len()) {
            let place = Arc::clone(&self.room.large).acquire_owned().await;
            // Nobody closes it.
            self.large = place.ok();
            self.pool = None;
            self.until = Some(Instant::now() + LONGEST);
            // Memory that is not written to takes none; growing would copy.
            self.bytes.reserve_exact(limit - self.bytes.len());
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    /// Waits for more, but not for ever while others wait for the place.
    async fn in_time<T>(&self, more: impl Future<Output = T>) -> Result<T, Unread> {
        match self.until {
            None => Ok(more.await),
            Some(until) => tokio::time::timeout_at(until, more)
                .await
                .map_err(|_| Unread::TooSlow),
        }
    }

    /// Takes room for `more` bytes from the pool, if it has it.
    fn grow_in_pool(&mut self, length: usize, more: usize) -> bool {
        let more = u32::try_from(more)
            .ok()
            .filter(|_| length <= self.room.small);
        let Some(Ok(grown)) =
            more.map(|more| Arc::clone(&self.room.pool).try_acquire_many_owned(more))
        else {
            return false;
        };
        match &mut self.pool {
            Some(pool) => pool.merge(grown),
            None => self.pool = Some(grown),
        }
        true
    }

    /// The whole body; the room is taken until the last part of it is dropped.
    fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    async fn body(room: &Room, parts: usize) -> Result<Bytes, Unread> {
        let mut held = Held::new(room.clone());
        for _ in 0..parts {
            held.add(&Bytes::from_static(&[7; 10]), 1_000).await?;
        }
        Ok(held.into_bytes())
    }

    #[tokio::test]
    async fn small_answers_share_a_pool_and_give_it_back() {
        let room = Room::new(100, 50, 0);

        let one = body(&room, 5).await.ok().unwrap();
        let part = one.slice(0..3);
        drop(one);
        assert_eq!(room.pool.available_permits(), 50);
        drop(part);

        assert_eq!(room.pool.available_permits(), 100);
    }

    #[tokio::test]
    async fn one_large_answer_is_read_at_a_time() {
        let room = Room::new(100, 50, 0);

        let first = body(&room, 6).await.ok().unwrap();
        let mut second = Box::pin(body(&room, 6));

        assert!(second.as_mut().now_or_never().is_none());
        assert!(body(&room, 4).now_or_never().is_some());
        drop(first);
        assert_eq!(second.await.ok().unwrap().len(), 60);
    }

    #[tokio::test]
    async fn an_answer_that_finds_the_pool_used_up_is_read_all_the_same() {
        let room = Room::new(60, 50, 0);

        let held = body(&room, 5).await.ok().unwrap();
        let next = body(&room, 5).now_or_never();

        assert!(next.is_some());
        drop(held);
    }

    #[tokio::test]
    async fn a_short_answer_never_waits() {
        let room = Room::new(0, 50, 20);
        let large = body(&room, 6).await.ok().unwrap();

        assert!(body(&room, 2).now_or_never().is_some());
        assert!(body(&room, 3).now_or_never().is_none());
        drop(large);
    }

    #[tokio::test]
    async fn a_large_answer_leaves_the_pool_to_others() {
        let room = Room::new(100, 50, 0);

        let large = body(&room, 9).await.ok().unwrap();

        assert_eq!(room.pool.available_permits(), 100);
        drop(large);
        assert_eq!(room.large.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_answer_that_comes_slowly_gives_its_place_up() {
        let room = Room::new(100, 50, 0);
        let mut held = Held::new(room.clone());
        held.add(&Bytes::from_static(&[7; 60]), 1_000)
            .await
            .ok()
            .unwrap();

        let more = held.in_time(std::future::pending::<()>()).await;

        assert!(matches!(more, Err(Unread::TooSlow)));
        assert!(body(&room, 6).now_or_never().is_none());
        drop(held);
        assert!(body(&room, 6).now_or_never().is_some());
    }

    #[tokio::test]
    async fn an_answer_beyond_the_limit_ends_and_leaves_no_trace() {
        let room = Room::new(100, 50, 0);

        assert!(matches!(body(&room, 101).await, Err(Unread::TooLong)));

        assert_eq!(room.pool.available_permits(), 100);
        assert_eq!(room.large.available_permits(), 1);
    }
}
