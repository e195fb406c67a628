//! Reads lists to their end. A page that fails fails the whole, and a server that goes in circles
//! is found out, so a caller never works with half a list.

use std::collections::BTreeSet;
use std::future::Future;

use crate::error::{Error, Result};

/// More pages than any sane list has.
const MAX_PAGES: usize = 100_000;

/// More items than any object could use; each is held until the list is complete.
const MAX_ITEMS: usize = 200_000;

/// One page of a list.
#[derive(Debug)]
pub struct Page<T> {
    /// Its items.
    pub items: Vec<T>,
    /// What to ask for the next page with; `None` or empty on the last one.
    pub next: Option<String>,
}

/// All items of a list. `fetch` gets `None` for the first page, then each page's `next`.
pub async fn pages<T, F, Fut>(mut fetch: F) -> Result<Vec<T>>
where
    F: FnMut(Option<String>) -> Fut,
    Fut: Future<Output = Result<Page<T>>>,
{
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = None;
    loop {
        let page = fetch(next.take()).await?;
        all.extend(page.items);
        if all.len() > MAX_ITEMS {
            return Err(Error::invalid_data(format!(
                "the backend's list has more than {MAX_ITEMS} items: ask for fewer"
            )));
        }
        let Some(token) = page.next.filter(|token| !token.is_empty()) else {
            return Ok(all);
        };
        if seen.len() >= MAX_PAGES || !seen.insert(token.clone()) {
            return Err(Error::invalid_data(
                "the backend's list has no end: it repeats a page",
            ));
        }
        next = Some(token);
    }
}
