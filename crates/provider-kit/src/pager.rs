//! How lists tell where their next page is. Each function names the next page from the present
//! answer, as [`lockstep_provider_api::http::pages`] wants it; that function reads to the end.

use lockstep_provider_api::http::Answer;

/// The next page of a list that counts pages from 1 and says their number in a header, such as
/// `x-total-pages`.
pub fn by_total_pages(answer: &Answer, header: &str, page: usize) -> Option<String> {
    let total: usize = answer.header(header)?.trim().parse().ok()?;
    (page < total).then(|| (page + 1).to_string())
}

/// The next offset of a list that gives at most `limit` items a page.
pub fn by_offset(offset: usize, limit: usize, got: usize) -> Option<String> {
    (got >= limit && got > 0).then(|| (offset + got).to_string())
}

/// The cursor in a header, such as `opc-next-page` or `x-next-page`.
pub fn by_header(answer: &Answer, header: &str) -> Option<String> {
    let cursor = answer.header(header)?.trim();
    (!cursor.is_empty()).then(|| cursor.to_owned())
}

/// The number of the page to ask for: 1 for the first.
pub fn page_number(token: Option<&str>) -> usize {
    token.and_then(|token| token.parse().ok()).unwrap_or(1)
}

/// The offset to ask for: 0 for the first page.
pub fn offset(token: Option<&str>) -> usize {
    token.and_then(|token| token.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_page_is_the_last_one() {
        assert_eq!(by_offset(100, 100, 100).as_deref(), Some("200"));
        assert_eq!(by_offset(100, 100, 99), None);
        assert_eq!(by_offset(0, 0, 0), None);
    }

    #[test]
    fn the_first_page_has_number_one_and_offset_zero() {
        assert_eq!(page_number(None), 1);
        assert_eq!(page_number(Some("7")), 7);
        assert_eq!(offset(None), 0);
        assert_eq!(offset(Some("200")), 200);
    }
}
