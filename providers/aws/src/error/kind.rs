//! Error codes of AWS by what they mean. Codes that are not listed are classified by their HTTP
//! status; a status alone never means absence, because any wrong address can answer 404.

use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::prelude::*;

/// State of a secret that will be deleted.
pub(crate) const SCHEDULED: &str = "scheduled for deletion";

const ABSENT: &[&str] = &["ResourceNotFoundException", "ParameterNotFound"];

const DENIED: &[&str] = &[
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "DecryptionFailure",
    "EncryptionFailure",
    "InvalidKeyId",
    "KMSAccessDeniedException",
    "KMSDisabledException",
    "KMSInvalidStateException",
    "KMSNotFoundException",
    "NotAuthorized",
    "OptInRequired",
    "PublicPolicyException",
    "RegionDisabledException",
    "UnauthorizedOperation",
];

const UNAUTHENTICATED: &[&str] = &[
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "IDPRejectedClaim",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidIdentityToken",
    "InvalidIdentityTokenException",
    "InvalidSignatureException",
    "InvalidToken",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "RequestExpired",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
];

const THROTTLED: &[&str] = &[
    "BandwidthLimitExceeded",
    "LimitExceededException",
    "PriorRequestNotComplete",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "Throttling",
    "ThrottledException",
    "ThrottlingException",
    "TooManyRequestsException",
    "TooManyUpdates",
];

const UNREACHABLE: &[&str] = &[
    "IDPCommunicationError",
    "InternalError",
    "InternalFailure",
    "InternalServerError",
    "InternalServiceError",
    "InternalServiceException",
    "RequestTimeout",
    "RequestTimeoutException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
];

const CONFLICT: &[&str] = &[
    "ParameterAlreadyExists",
    "ResourceExistsException",
    "ResourceInUseException",
];

/// There is something, but not the version that was asked for: never a missing secret.
const NO_VERSION: &[&str] = &["ParameterVersionNotFound"];

/// The kind of an answer that says no.
pub(super) fn of(code: &str, message: &str, status: u16) -> ErrorKind {
    let lists = [
        (ABSENT, ErrorKind::NotFound),
        (DENIED, ErrorKind::Denied),
        (UNAUTHENTICATED, ErrorKind::Unauthenticated),
        (THROTTLED, ErrorKind::Throttled),
        (UNREACHABLE, ErrorKind::Unreachable),
        (CONFLICT, ErrorKind::Conflict),
        (NO_VERSION, ErrorKind::InvalidData),
    ];
    if is_scheduled(code, message) {
        return ErrorKind::Tombstoned(Tombstone {
            state: SCHEDULED.into(),
            until: None,
            counts_as_absent: false,
        });
    }
    let listed = lists.into_iter().find(|(codes, _)| codes.contains(&code));
    match (listed, status) {
        (Some((_, kind)), _) => kind,
        (None, 401) => ErrorKind::Unauthenticated,
        (None, 403) => ErrorKind::Denied,
        (None, 409) => ErrorKind::Conflict,
        (None, 429) => ErrorKind::Throttled,
        // No answer of AWS: a page of a proxy, or a redirect to one.
        (None, ..=399 | 500..) => ErrorKind::Unreachable,
        _ => ErrorKind::InvalidSpec,
    }
}

/// Whether a secret is there no longer, but not gone yet.
fn is_scheduled(code: &str, message: &str) -> bool {
    let codes = ["InvalidRequestException", "InvalidParameterException"];
    let words = ["marked for deletion", "marked deleted", SCHEDULED];
    codes.contains(&code) && words.iter().any(|word| message.contains(word))
}
