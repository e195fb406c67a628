//! Turns a panic inside of a provider, or of a library it is made of, into an error of that call.
//! Calls are shared by many objects, so a panic that went on would end the runs of all of them.
//! The text of the panic may hold anything and is not passed on.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Call, Layer, Layered};
use crate::erased::SharedStore;
use crate::error::{Error, ErrorKind, Result};

struct Contain;

/// A store whose calls fail where they would panic.
pub fn contain(store: SharedStore) -> SharedStore {
    Layered::share(store, Contain)
}

impl Layer for Contain {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        let guarded = AssertUnwindSafe(async { attempt().await }).catch_unwind();
        guarded.await.unwrap_or_else(|_| Err(broken(call.as_str())))
    }
}

/// The error text of a call that panicked.
pub fn broken(call: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("{call}: the provider broke off; this is a fault of it, and the log says where"),
    )
}
