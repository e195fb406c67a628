//! Puts certificates in order: the leaf, what signed it, and so on up to the root.
//!
//! Only key identifiers are compared. An order found is no proof of anything.

use super::{Certificate, Problem};

/// The certificates of one chain, leaf first; an error if they are none or several.
pub(crate) fn order(certificates: &[Certificate]) -> Result<Vec<&Certificate>, Problem> {
    let mut parents = vec![None; certificates.len()];
    let mut is_parent = vec![false; certificates.len()];
    for (at, certificate) in certificates.iter().enumerate() {
        let wanted = certificate.authority_key_id.as_deref().unwrap_or_default();
        let parent = certificates
            .iter()
            .enumerate()
            .position(|(other, candidate)| other != at && candidate.subject_key_id == wanted);
        if let Some(parent) = parent {
            is_parent[parent] = true;
            parents[at] = Some(parent);
        }
    }
    let mut leaves = (0..certificates.len()).filter(|at| !is_parent[*at]);
    let mut next = leaves.next();
    if next.is_none() {
        return Err("no leaf certificate found");
    }
    if leaves.next().is_some() {
        return Err("found multiple leaf or disjunct certificates");
    }
    let mut chain = Vec::new();
    while let Some(at) = next {
        if chain.len() >= certificates.len() {
            return Err("constructing chain resulted in cycle");
        }
        chain.push(&certificates[at]);
        next = parents[at];
    }
    Ok(chain)
}
