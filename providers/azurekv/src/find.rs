//! Searching: the names and tags of all secrets are listed to the end, then those that match are
//! read, some at a time. Keys and certificates are seen as the secrets behind them.

use futures_util::stream::{self, StreamExt as _};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::http::{Method, Page, pages};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::{Call, Vault};
use crate::object::Kind;
use crate::read::{self, Attributes, Path};

/// Reads that run at one time.
const AT_ONCE: usize = 8;

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    value: Vec<Item>,
    #[serde(rename = "nextLink")]
    next: Option<String>,
}

/// A secret, or a version of one, as a list shows it.
#[derive(Deserialize)]
pub(crate) struct Item {
    id: String,
    #[serde(default)]
    pub(crate) tags: Option<std::collections::BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) attributes: Option<Attributes>,
}

impl Item {
    /// The last part of its address.
    pub(crate) fn name(&self) -> &str {
        self.id
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default()
    }

    fn is_disabled(&self) -> bool {
        let attributes = self.attributes.as_ref();
        attributes.and_then(|attributes| attributes.enabled) == Some(false)
    }

    fn has(&self, wanted: &std::collections::BTreeMap<String, String>) -> bool {
        let tag = |name: &String| self.tags.as_ref().and_then(|tags| tags.get(name));
        wanted.iter().all(|(name, value)| tag(name) == Some(value))
    }
}

/// The secrets that a search wants, by name.
pub(crate) async fn find(vault: &Vault, find: &Find, path: Path) -> Result<SecretMap> {
    // As upstream, an expression that does not compile matches nothing.
    let matcher = match find.name.as_deref().map(NameMatcher::new) {
        Some(Err(_)) => return Ok(SecretMap::new()),
        Some(Ok(matcher)) => Some(matcher),
        None => None,
    };
    let items = items(vault, "GetSecrets", Kind::Secret.path()).await?;
    let names = items.into_iter().filter(|item| {
        !item.is_disabled()
            && find.tags.as_ref().is_none_or(|tags| item.has(tags))
            && matcher
                .as_ref()
                .is_none_or(|matcher| matcher.matches(item.name()))
    });
    let names: Vec<String> = names.map(|item| item.name().to_owned()).collect();
    let reads = stream::iter(names).map(|name| async move {
        let value = read_one(vault, &name, path).await?;
        Ok::<_, Error>(value.map(|value| (name, value)))
    });
    let mut reads = reads.buffered(AT_ONCE);
    let mut found = SecretMap::new();
    while let Some(read) = reads.next().await {
        if let Some((name, value)) = read? {
            found.insert(name, value);
        }
    }
    Ok(found)
}

/// The value of a listed secret; `None` if it was deleted since.
async fn read_one(vault: &Vault, name: &str, path: Path) -> Result<Option<SecretValue>> {
    match vault.get(Kind::Secret, name, None).await {
        Ok(answer) => {
            let reference = RemoteRef::key(format!("{}/{name}", Kind::Secret.prefix()));
            read::value(&answer.into_secret(), &reference, path).map(Some)
        }
        Err(failure) if failure.is_missing() => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// Everything that a list of the vault holds; `path` is below the vault.
pub(crate) async fn items(vault: &Vault, operation: &'static str, path: &str) -> Result<Vec<Item>> {
    let call = Call {
        operation,
        kind: Kind::Secret,
        name: "",
    };
    pages(|next| page(vault, call, path, next)).await
}

/// The names in a list.
pub(crate) async fn names(
    vault: &Vault,
    operation: &'static str,
    path: &str,
) -> Result<Vec<String>> {
    let items = items(vault, operation, path).await?;
    Ok(items.iter().map(|item| item.name().to_owned()).collect())
}

async fn page(
    vault: &Vault,
    call: Call<'_>,
    path: &str,
    next: Option<String>,
) -> Result<Page<Item>> {
    let answer = match next {
        None => vault.call(call, Method::GET, path, None).await?,
        Some(link) => vault.follow(call, &link).await?,
    };
    let list: List = answer.json()?;
    Ok(Page {
        items: list.value,
        next: list.next,
    })
}
