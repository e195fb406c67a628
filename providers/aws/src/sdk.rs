//! The configuration that every client of the SDK starts from. Repeats, caching of credentials and
//! time-outs are ours, so the SDK's own are switched off; its rules for addresses and, where ambient
//! identity is allowed, its reading of environment and profile files stay.

use aws_config::{AppName, BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_sts::config::{IdentityCache, StalledStreamProtectionConfig};
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use lockstep_provider_api::prelude::*;

use crate::endpoint::Endpoint;
use crate::wire::{Clock, Wire};

/// Name in the user agent, as upstream has it.
const APP: &str = "external-secrets";

/// A configuration for one region, with the ambient credentials where those are allowed.
pub(crate) async fn config(ctx: &Ctx, region: &str) -> Result<SdkConfig> {
    let (wire, clock) = (Wire::new(ctx)?, Clock::new(ctx));
    let region = Region::new(region.to_owned());
    let app = AppName::new(APP).ok();
    if ctx.ambient().is_none() {
        let mut builder = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(region)
            .http_client(wire)
            .sleep_impl(clock.clone())
            .time_source(clock)
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::disabled())
            .identity_cache(IdentityCache::no_cache())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
        builder.set_app_name(app);
        return Ok(builder.build());
    }
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .region(region)
        .http_client(wire)
        .sleep_impl(clock.clone())
        .time_source(clock)
        .retry_config(RetryConfig::disabled())
        .timeout_config(TimeoutConfig::disabled())
        .identity_cache(IdentityCache::no_cache())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
    if let Some(app) = app {
        loader = loader.app_name(app);
    }
    Ok(Box::pin(loader.load()).await)
}

/// The same configuration with other credentials.
pub(crate) fn with_credentials(
    config: &SdkConfig,
    credentials: SharedCredentialsProvider,
) -> SdkConfig {
    let builder = config.to_builder();
    builder.credentials_provider(credentials).build()
}

/// A client of STS with the credentials of a configuration.
pub(crate) fn sts(config: &SdkConfig, ctx: &Ctx) -> Result<aws_sdk_sts::Client> {
    let mut builder = aws_sdk_sts::config::Builder::from(config);
    if let Some(url) = Endpoint::Sts.url(ctx)? {
        builder = builder.endpoint_url(url);
    }
    Ok(aws_sdk_sts::Client::from_conf(builder.build()))
}
