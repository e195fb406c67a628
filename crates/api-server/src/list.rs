//! Lists in pages. Each object is reduced to what the caller keeps of it as soon as its page is
//! there, so a large namespace is never in memory as a whole, and what is kept has a limit.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use lockstep_provider_api::http::{Page, pages};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::{Call, Client};
use crate::error::{is_expired, is_unusable};

/// Objects in one page of a list. Few enough that a page of ordinary Secrets stays small; those of
/// Helm releases have up to a megabyte each.
const PAGE: usize = 100;
/// Bytes of values that one list may find; an object can use less.
const MOST_FOUND: usize = 16 * 1024 * 1024;

/// A list to be read.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// Name in the request metric; `None` for a request upstream does not count.
    pub name: Option<&'static str>,
    /// Path of the collection.
    pub path: &'a str,
    /// Label selector; an empty one matches all.
    pub selector: &'a str,
    /// Word for the objects in messages.
    pub objects: &'a str,
}

#[derive(Deserialize)]
struct Answer<T> {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default = "Vec::new")]
    items: Vec<T>,
}

/// Where the next page begins.
#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default, rename = "continue")]
    next: String,
}

impl Client {
    /// Reads a list to its end. `keep` makes what is kept out of an object, with its size in bytes;
    /// `None` drops the object.
    pub async fn list<T, K>(
        &self,
        list: List<'_>,
        keep: impl Fn(T) -> Result<Option<(K, usize)>> + Sync,
    ) -> Result<Vec<K>>
    where
        T: DeserializeOwned + Send,
        K: Send,
    {
        match self.list_pages(list, &keep).await {
            // The server has forgotten where this list was.
            Err(error) if is_expired(&error) => self.list_pages(list, &keep).await,
            listed => listed,
        }
    }

    async fn list_pages<T, K>(
        &self,
        list: List<'_>,
        keep: &(impl Fn(T) -> Result<Option<(K, usize)>> + Sync),
    ) -> Result<Vec<K>>
    where
        T: DeserializeOwned + Send,
        K: Send,
    {
        let (limit, found) = (&AtomicUsize::new(PAGE), &AtomicUsize::new(0));
        pages(|next: Option<String>| async move {
            let page: Answer<T> = self
                .list_page(list, &next.unwrap_or_default(), limit)
                .await?;
            let mut items = Vec::new();
            for object in page.items {
                let Some((kept, bytes)) = keep(object)? else {
                    continue;
                };
                if found.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_FOUND {
                    return Err(Error::invalid_data(format!(
                        "the {} found have more than {MOST_FOUND} bytes: ask for fewer",
                        list.objects
                    )));
                }
                items.push(kept);
            }
            Ok(Page {
                items,
                next: Some(page.metadata.next),
            })
        })
        .await
    }

    /// Reads a page; one that is too large for an answer is asked for again in smaller pieces.
    async fn list_page<T: DeserializeOwned>(
        &self,
        list: List<'_>,
        next: &str,
        limit: &AtomicUsize,
    ) -> Result<Answer<T>> {
        loop {
            let count = limit.load(Ordering::Relaxed);
            let text = count.to_string();
            let call = Call::new(list.name, Method::GET, list.path)
                .query("labelSelector", list.selector)
                .query("limit", &text)
                .query("continue", next);
            match self.run(call).await {
                Err(error) if is_unusable(&error) && count > 1 => {
                    limit.store(count.div_ceil(8), Ordering::Relaxed);
                }
                listed => return listed,
            }
        }
    }
}
