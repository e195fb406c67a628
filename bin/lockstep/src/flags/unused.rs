//! Flags of the original operator that have no effect here. They are accepted so that an existing
//! Deployment starts, a value that makes no sense is refused as it was, and those that are given are
//! named once in the log.

use clap::Args;

use crate::values::{SWITCH, boolean};

/// Section of the help that lists them.
pub(crate) const WITHOUT_EFFECT: &str = "Accepted for existing Deployments, without effect";

/// Flags without an effect.
#[derive(Debug, Args)]
#[command(next_help_heading = WITHOUT_EFFECT)]
pub(crate) struct UnusedFlags {
    /// No effect: managed Secrets are mirrored without their values.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_secrets_caching: Option<bool>,
    /// No effect: ConfigMaps are read when they are needed.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_configmaps_caching: Option<bool>,
    /// No effect: managed Secrets are mirrored without their values.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_managed_secrets_caching: Option<bool>,
    /// No effect: there is one mirror, so there is no mismatch.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_secret_api_read_on_cache_mismatch: Option<bool>,
    /// No effect: the metrics server speaks HTTP/1.1.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_http2: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    enable_vault_token_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    vault_token_cache_size: Option<i64>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    experimental_enable_vault_token_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    experimental_vault_token_cache_size: Option<i64>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    experimental_enable_doppler_oidc_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    experimental_doppler_oidc_cache_size: Option<i64>,
    /// No effect: the doppler provider is not in this build.
    #[arg(long, hide_short_help = true, value_name = "N")]
    doppler_etag_cache_size: Option<i64>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    mysterybox_tokens_cache_size: Option<i64>,
    /// No effect: connections are pooled by host.
    #[arg(long, hide_short_help = true, value_name = "N")]
    mysterybox_connections_cache_size: Option<i64>,
}

impl UnusedFlags {
    /// Names of the flags that were given and do nothing.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "only the controller logs them")
    )]
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            (
                "--enable-secrets-caching",
                self.enable_secrets_caching.is_some(),
            ),
            (
                "--enable-configmaps-caching",
                self.enable_configmaps_caching.is_some(),
            ),
            (
                "--enable-managed-secrets-caching",
                self.enable_managed_secrets_caching.is_some(),
            ),
            (
                "--enable-secret-api-read-on-cache-mismatch",
                self.enable_secret_api_read_on_cache_mismatch.is_some(),
            ),
            ("--enable-http2", self.enable_http2.is_some()),
            (
                "--enable-vault-token-cache",
                self.enable_vault_token_cache.is_some(),
            ),
            (
                "--vault-token-cache-size",
                self.vault_token_cache_size.is_some(),
            ),
            (
                "--experimental-enable-vault-token-cache",
                self.experimental_enable_vault_token_cache.is_some(),
            ),
            (
                "--experimental-vault-token-cache-size",
                self.experimental_vault_token_cache_size.is_some(),
            ),
            (
                "--experimental-enable-doppler-oidc-cache",
                self.experimental_enable_doppler_oidc_cache.is_some(),
            ),
            (
                "--experimental-doppler-oidc-cache-size",
                self.experimental_doppler_oidc_cache_size.is_some(),
            ),
            (
                "--doppler-etag-cache-size",
                self.doppler_etag_cache_size.is_some(),
            ),
            (
                "--mysterybox-tokens-cache-size",
                self.mysterybox_tokens_cache_size.is_some(),
            ),
            (
                "--mysterybox-connections-cache-size",
                self.mysterybox_connections_cache_size.is_some(),
            ),
        ];
        let given = flags.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name)
    }
}

#[cfg(feature = "cluster")]
#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches, Parser};

    use super::*;
    use crate::values::go_switches;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        unused: UnusedFlags,
    }

    fn given(flags: &[String]) -> Vec<String> {
        let line = std::iter::once("lockstep".to_owned()).chain(flags.iter().cloned());
        let matches = go_switches(Line::command()).get_matches_from(line);
        let line = Line::from_arg_matches(&matches).unwrap();
        line.unused.given().map(str::to_owned).collect()
    }

    #[test]
    fn what_has_no_effect_is_named_when_it_is_given_and_only_then() {
        let command = Line::command();
        let names: Vec<String> = command
            .get_arguments()
            .filter_map(|argument| argument.get_long())
            .map(|name| format!("--{name}"))
            .collect();
        // A value that every one of them takes.
        let flags: Vec<String> = names.iter().map(|name| format!("{name}=0")).collect();

        assert_eq!(given(&flags), names);
        assert!(given(&[]).is_empty());
    }
}
