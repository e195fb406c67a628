//! Cipher block chaining, without any padding.

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser};

/// Decrypts whole blocks in place; what is left over at the end stays as it is.
pub(crate) fn decrypt<C>(cipher: &C, iv: &[u8], data: &mut [u8])
where
    C: BlockCipherDecrypt + BlockSizeUser,
{
    let mut before = iv.to_vec();
    for chunk in data.chunks_exact_mut(C::block_size()) {
        let encrypted = chunk.to_vec();
        let mut block = Block::<C>::default();
        block.copy_from_slice(chunk);
        cipher.decrypt_block(&mut block);
        for ((out, plain), mask) in chunk.iter_mut().zip(block.iter()).zip(&before) {
            *out = plain ^ mask;
        }
        before = encrypted;
    }
}

/// Encrypts whole blocks in place.
pub(crate) fn encrypt<C>(cipher: &C, iv: &[u8], data: &mut [u8])
where
    C: BlockCipherEncrypt + BlockSizeUser,
{
    let mut before = iv.to_vec();
    for chunk in data.chunks_exact_mut(C::block_size()) {
        let mut block = Block::<C>::default();
        for ((out, plain), mask) in block.iter_mut().zip(chunk.iter()).zip(&before) {
            *out = plain ^ mask;
        }
        cipher.encrypt_block(&mut block);
        chunk.copy_from_slice(&block);
        before.copy_from_slice(&block);
    }
}

/// Appends PKCS #7 padding.
pub(crate) fn pad(data: &mut Vec<u8>, block: usize) {
    let missing = block - data.len() % block;
    let byte = u8::try_from(missing).unwrap_or(0);
    data.resize(data.len() + missing, byte);
}
