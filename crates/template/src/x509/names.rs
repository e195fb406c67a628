//! The alternative names of a certificate.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Problem;
use crate::der::Reader;
use crate::url::Url;

/// Texts of the names in Go's order: DNS, addresses, mail, URIs.
pub(super) fn parse(value: &[u8]) -> Result<Vec<Vec<u8>>, Problem> {
    const BAD: Problem = "x509: invalid subject alternative names";
    let mut list = Reader::new(value).sequence().ok_or(BAD)?;
    let (mut dns, mut addresses, mut mails, mut uris) = (vec![], vec![], vec![], vec![]);
    while !list.is_empty() {
        let name = list.any().ok_or("x509: invalid subject alternative name")?;
        match name.tag {
            0x81 => mails.push(ascii(name.body, "x509: SAN rfc822Name is malformed")?),
            0x82 => dns.push(ascii(name.body, "x509: SAN dNSName is malformed")?),
            0x86 => {
                let text = ascii(
                    name.body,
                    "x509: SAN uniformResourceIdentifier is malformed",
                )?;
                let uri = Url::parse(&text).map_err(|_| "x509: cannot parse URI")?;
                uris.push(uri.text());
            }
            0x87 => addresses.push(address(name.body)?),
            _ => {}
        }
    }
    Ok([dns, addresses, mails, uris].concat())
}

fn ascii(text: &[u8], problem: Problem) -> Result<Vec<u8>, Problem> {
    if text.is_ascii() {
        Ok(text.to_vec())
    } else {
        Err(problem)
    }
}

fn address(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let text = if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        Ipv4Addr::from(v4).to_string()
    } else if let Ok(v6) = <[u8; 16]>::try_from(bytes) {
        let v6 = Ipv6Addr::from(v6);
        v6.to_ipv4_mapped()
            .map_or_else(|| v6.to_string(), |v4| v4.to_string())
    } else {
        return Err("x509: cannot parse IP address of the wrong length");
    };
    Ok(text.into_bytes())
}
