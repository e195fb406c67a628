//! The certificates of public authorities, as Mozilla trusts them: from a crate of a pinned version, not from the machine, so that
//! an image does not depend on where it was built. A newer version is a change of the lock file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// All of them, PEM, as programs look for them in `/etc/ssl/certs`.
pub(super) fn bundle() -> String {
    let mut out = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        out.push_str("-----BEGIN CERTIFICATE-----\n");
        let text = STANDARD.encode(certificate);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (line, more) = rest.split_at(rest.len().min(64));
            out.push_str(line);
            out.push('\n');
            rest = more;
        }
        out.push_str("-----END CERTIFICATE-----\n");
    }
    out
}
