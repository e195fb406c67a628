//! Tokens of structure: documents, blocks, flow collections, keys and values.

use super::{MAX_DEPTH, Mark, Scanner, SimpleKey, Token, TokenKind};
use crate::yaml::Error;

impl Scanner {
    /// Whether a place can still be the start of a key: on one line, within 1,024 characters.
    pub(super) fn key_holds(&mut self, index: usize) -> Result<bool, Error> {
        let mark = self.reader.mark;
        let key = &mut self.keys[index];
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line == mark.line && key.mark.index + 1_024 >= mark.index {
            return Ok(true);
        }
        key.possible = false;
        if key.required {
            return self.refuse("could not find expected ':'");
        }
        Ok(false)
    }

    fn current_key(&mut self) -> &mut SimpleKey {
        let last = self.keys.len() - 1;
        &mut self.keys[last]
    }

    /// Notes that a key may begin here.
    pub(super) fn save_key(&mut self) -> Result<(), Error> {
        if !self.key_allowed {
            return Ok(());
        }
        let mark = self.reader.mark;
        let key = SimpleKey {
            possible: true,
            required: !self.flow() && self.indent == mark.column + 1,
            token: self.taken + self.tokens.len(),
            mark,
        };
        self.drop_key()?;
        *self.current_key() = key;
        self.keys_by_token.insert(key.token, self.keys.len() - 1);
        Ok(())
    }

    /// Notes that no key began at the place noted last.
    pub(super) fn drop_key(&mut self) -> Result<(), Error> {
        let key = self.current_key();
        let (possible, required, token) = (key.possible, key.required, key.token);
        key.possible = false;
        if possible && required {
            return self.refuse("could not find expected ':'");
        }
        if possible {
            self.keys_by_token.remove(&token);
        }
        Ok(())
    }

    /// Opens a block at a column, unless one is open there; its token goes to a place in the queue.
    fn open_block(
        &mut self,
        mark: Mark,
        kind: TokenKind,
        place: Option<usize>,
    ) -> Result<(), Error> {
        if self.flow() || self.indent > mark.column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = mark.column + 1;
        if self.indents.len() > MAX_DEPTH {
            return self.refuse(&format!("exceeded max depth of {MAX_DEPTH}"));
        }
        self.tokens
            .insert(place.unwrap_or(self.tokens.len()), Token { kind, mark });
        Ok(())
    }

    /// Closes the blocks that are indented deeper than a limit.
    pub(super) fn close_blocks(&mut self, limit: usize) {
        if self.flow() {
            return;
        }
        while self.indent > limit {
            self.push(TokenKind::BlockEnd, self.reader.mark);
            self.indent = self.indents.pop().unwrap_or_default();
        }
    }

    /// Reads an indicator of some length that ends all blocks, or one inside them.
    fn indicator(&mut self, kind: TokenKind, length: usize) {
        let mark = self.reader.mark;
        self.reader.skip_many(length);
        self.push(kind, mark);
    }

    pub(super) fn stream_end(&mut self) -> Result<(), Error> {
        let mark = &mut self.reader.mark;
        if mark.column != 0 {
            mark.column = 0;
            mark.line += 1;
        }
        self.close_blocks(0);
        self.drop_key()?;
        self.key_allowed = false;
        self.push(TokenKind::StreamEnd, self.reader.mark);
        Ok(())
    }

    pub(super) fn document_indicator(&mut self, kind: TokenKind) -> Result<(), Error> {
        self.close_blocks(0);
        self.drop_key()?;
        self.key_allowed = false;
        self.indicator(kind, 3);
        Ok(())
    }

    pub(super) fn open_flow(&mut self, kind: TokenKind) -> Result<(), Error> {
        self.save_key()?;
        let token = self.taken + self.tokens.len();
        self.keys.push(SimpleKey {
            token,
            ..SimpleKey::default()
        });
        if self.keys.len() > MAX_DEPTH {
            return self.refuse(&format!("exceeded max depth of {MAX_DEPTH}"));
        }
        self.key_allowed = true;
        self.indicator(kind, 1);
        Ok(())
    }

    pub(super) fn close_flow(&mut self, kind: TokenKind) -> Result<(), Error> {
        self.drop_key()?;
        if self.flow()
            && let Some(key) = self.keys.pop()
        {
            // This also forgets that the whole collection might be a key, as the Go library does.
            self.keys_by_token.remove(&key.token);
        }
        self.key_allowed = false;
        self.indicator(kind, 1);
        Ok(())
    }

    pub(super) fn flow_entry(&mut self) -> Result<(), Error> {
        self.drop_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    /// `- `: an element of a block sequence.
    pub(super) fn block_entry(&mut self) -> Result<(), Error> {
        if !self.flow() {
            if !self.key_allowed {
                return self.refuse("block sequence entries are not allowed in this context");
            }
            self.open_block(self.reader.mark, TokenKind::BlockSequenceStart, None)?;
        }
        self.drop_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    /// `? `: an explicit key.
    pub(super) fn key(&mut self) -> Result<(), Error> {
        if !self.flow() {
            if !self.key_allowed {
                return self.refuse("mapping keys are not allowed in this context");
            }
            self.open_block(self.reader.mark, TokenKind::BlockMappingStart, None)?;
        }
        self.drop_key()?;
        self.key_allowed = !self.flow();
        self.indicator(TokenKind::Key, 1);
        Ok(())
    }

    /// `: `: a value; what stood before it on the line becomes its key.
    pub(super) fn value(&mut self) -> Result<(), Error> {
        if self.key_holds(self.keys.len() - 1)? {
            let SimpleKey { token, mark, .. } = *self.current_key();
            // A key that was taken from the queue already is announced too late, at its end.
            let place = token.checked_sub(self.taken);
            let key = Token {
                kind: TokenKind::Key,
                mark,
            };
            self.tokens.insert(place.unwrap_or(self.tokens.len()), key);
            self.open_block(mark, TokenKind::BlockMappingStart, place)?;
            self.current_key().possible = false;
            self.keys_by_token.remove(&token);
            self.key_allowed = false;
        } else {
            if !self.flow() {
                if !self.key_allowed {
                    return self.refuse("mapping values are not allowed in this context");
                }
                self.open_block(self.reader.mark, TokenKind::BlockMappingStart, None)?;
            }
            self.key_allowed = !self.flow();
        }
        self.indicator(TokenKind::Value, 1);
        Ok(())
    }
}
