//! How a machine under Azure Arc proves that its user may read a key file: the service names the
//! file in a challenge and wants its content back. Only files of the agent's own folder are read.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;

use super::refusal;

/// Where the agent keeps its key files.
const FOLDER: &str = "/var/opt/azcmagent/tokens/";
/// Largest file of the agent.
const MAX_SIZE: usize = 4096;

/// The value of `Authorization` that answers a challenge.
pub(super) fn proof(challenge: &Answer, ctx: &Ctx) -> Result<SecretValue> {
    let refused = |why: &str| {
        let text = format!("the challenge of Azure Arc cannot be answered: {why}");
        Error::new(ErrorKind::Unauthenticated, text)
    };
    let header = challenge.header("www-authenticate").unwrap_or_default();
    let path = header
        .split_once("realm=")
        .map(|(_, path)| path.trim_matches('"'))
        .ok_or_else(|| refused("it names no file"))?;
    let name = path.strip_prefix(FOLDER).unwrap_or_default();
    let is_agents = name
        .strip_suffix(".key")
        .is_some_and(|stem| !stem.contains(['/', '.']));
    if !is_agents {
        return Err(refused("it names a file outside of the agent's folder"));
    }
    let ambient = ctx.ambient().ok_or_else(refusal::no_ambient)?;
    let key = ambient.read(path)?;
    if key.len() > MAX_SIZE {
        return Err(refused("the file is too large"));
    }
    let mut value = b"Basic ".to_vec();
    value.extend_from_slice(key.without_final_newline());
    Ok(SecretValue::new(value))
}
