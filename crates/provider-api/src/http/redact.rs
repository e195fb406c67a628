//! URLs as they may be shown: without user info and without query values. Both are where backends
//! take credentials.

use std::fmt;

use http::Uri;

/// Prints a URL with everything masked that could be a credential.
pub struct RedactedUrl<'a>(&'a Uri);

impl<'a> RedactedUrl<'a> {
    /// A printable form of `uri`.
    pub fn new(uri: &'a Uri) -> Self {
        Self(uri)
    }
}

impl fmt::Display for RedactedUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.0.scheme_str() {
            write!(f, "{scheme}://")?;
        }
        if let Some(authority) = self.0.authority() {
            match authority.as_str().rsplit_once('@') {
                Some((_, host)) => write!(f, "***@{host}")?,
                None => f.write_str(authority.as_str())?,
            }
        }
        f.write_str(self.0.path())?;
        for (index, pair) in self.0.query().into_iter().flat_map(split).enumerate() {
            let joint = if index == 0 { '?' } else { '&' };
            match pair.split_once('=') {
                Some((name, _)) => write!(f, "{joint}{name}=***")?,
                None => write!(f, "{joint}***")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for RedactedUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn split(query: &str) -> impl Iterator<Item = &str> {
    query.split('&')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        RedactedUrl::new(&url.parse().unwrap()).to_string()
    }

    #[test]
    fn user_info_and_query_values_are_masked() {
        assert_eq!(
            shown("https://u:hunter2@h:8200/v1/kv?version=3&token=hunter2"),
            "https://***@h:8200/v1/kv?version=***&token=***"
        );
    }

    #[test]
    fn a_query_without_names_is_masked_whole() {
        assert_eq!(shown("https://h/p?hunter2"), "https://h/p?***");
    }

    #[test]
    fn a_plain_url_is_shown_as_it_is() {
        assert_eq!(shown("http://localhost:1/a/b"), "http://localhost:1/a/b");
    }
}
