//! Files of a record: their names are sealed with keys of their own, and their contents lie at
//! addresses that Keeper gives for a while.

use futures_util::future::join_all;
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use serde_json::Value;

use crate::api::Api;
use crate::crypto::{Key, encode};
use crate::record::File;
use crate::vault::{Record, SealedFile};

/// Largest content that is taken; no Secret holds more.
const MAX_FILE: usize = 2 << 20;

/// Loads all files of a record. One that cannot be loaded says why, and fails only who wants it.
pub(crate) async fn load(api: &Api, record: &Record) -> Result<Vec<File>> {
    let (key, _) = record.opened()?;
    let loads = record.files.iter().map(|file| load_one(api, file, key));
    Ok(join_all(loads).await)
}

async fn load_one(api: &Api, sealed: &SealedFile, record_key: &Key) -> File {
    let Some(key) = record_key.open_text(&sealed.key).and_then(Key::new) else {
        return broken(String::new(), "its key cannot be decrypted");
    };
    let title = title(sealed, &key).unwrap_or_default();
    match download(api.ctx(), &sealed.url).await {
        Err(error) => broken(title, &error.to_string()),
        Ok(content) => match key.open(content.expose()) {
            None => broken(title, "it cannot be decrypted"),
            Some(plain) => File {
                title,
                content: Ok(encode(plain.expose())),
            },
        },
    }
}

fn broken(title: String, problem: &str) -> File {
    File {
        title,
        content: Err(problem.to_owned()),
    }
}

fn title(sealed: &SealedFile, key: &Key) -> Option<String> {
    let meta = key.open_text(&sealed.data)?;
    let meta: Value = serde_json::from_slice(meta.expose()).ok()?;
    Some(meta.get("title")?.as_str()?.to_owned())
}

/// The address comes from Keeper and needs no sign-in.
async fn download(ctx: &Ctx, url: &str) -> Result<SecretValue> {
    if !url.starts_with("https://") {
        return Err(Error::invalid_data("it has no address"));
    }
    let answer = ctx.http(&Tls::default())?.get(url).send().await;
    let answer = answer.and_then(|answer| match answer.error() {
        None => Ok(answer),
        // The address holds a credential.
        Some(_) => Err(Error::unreachable(format!("answer {}", answer.status()))),
    });
    let content = ctx.counted(crate::LABEL, "GetFile", answer)?.into_secret();
    if content.len() > MAX_FILE {
        return Err(Error::invalid_data(format!(
            "it has {} bytes",
            content.len()
        )));
    }
    Ok(content)
}
