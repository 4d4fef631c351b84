//! Numbers as little-endian bytes: the common format of checkpoints, hashes and copies of a state.
//!
//! Every value is eight bytes, except inside lists of smaller items; lists are preceded by their length. A [`Reader`]
//! checks every length against the data before memory is allocated.

use glam::DVec3;

use crate::error::{CoreError, Result};

/// Appends numbers to a byte string.
#[derive(Clone, Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// An empty writer with capacity for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// The bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// An integer.
    pub fn number(&mut self, x: u64) {
        self.0.extend_from_slice(&x.to_le_bytes());
    }

    /// A floating-point number, bit for bit.
    pub fn float(&mut self, x: f64) {
        self.number(x.to_bits());
    }

    /// Floating-point numbers without a length prefix.
    pub fn floats(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.float(*x));
    }

    /// Floating-point numbers preceded by their count.
    pub fn array(&mut self, numbers: &[f64]) {
        self.number(numbers.len() as u64);
        self.floats(numbers);
    }

    /// Bytes preceded by their count.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Three floating-point numbers.
    pub fn vector(&mut self, v: DVec3) {
        self.floats(&v.to_array());
    }

    /// Items of equal size in bytes, preceded by their count.
    pub fn list<T, B: AsRef<[u8]>>(&mut self, items: &[T], bytes: impl Fn(&T) -> B) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| self.0.extend_from_slice(bytes(item).as_ref()));
    }
}

/// Reads numbers from a byte string.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    what: &'a str,
}

impl<'a> Reader<'a> {
    /// A reader of `bytes`, which contain `what` (for messages).
    pub fn new(bytes: &'a [u8], what: &'a str) -> Self {
        Self { rest: bytes, what }
    }

    /// The error for data that do not match.
    pub fn mismatch(&self, reason: &str) -> CoreError {
        CoreError::StateMismatch { reason: format!("{}: {reason}", self.what) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.mismatch("it is truncated"))?;
        self.rest = rest;
        Ok(head)
    }

    /// An integer.
    pub fn number(&mut self) -> Result<u64> {
        let head = self.take(8)?;
        Ok(u64::from_le_bytes(head.try_into().expect("eight bytes")))
    }

    /// A floating-point number.
    pub fn float(&mut self) -> Result<f64> {
        self.number().map(f64::from_bits)
    }

    /// As many floating-point numbers as the caller expects.
    pub fn floats<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.float()?;
        }
        Ok(out)
    }

    /// What [`Writer::array`] wrote.
    pub fn array(&mut self) -> Result<Vec<f64>> {
        self.list(8, |b| f64::from_le_bytes(b.try_into().expect("eight bytes")))
    }

    /// What [`Writer::bytes`] wrote.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.number()?;
        let count = usize::try_from(count).map_err(|_| self.mismatch("it is truncated"))?;
        self.take(count)
    }

    /// Three floating-point numbers.
    pub fn vector(&mut self) -> Result<DVec3> {
        self.floats().map(DVec3::from_array)
    }

    /// What [`Writer::list`] wrote of items with `size` bytes each.
    pub fn list<T>(&mut self, size: usize, item: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        let count = self.number()?;
        let bytes = usize::try_from(count).ok().and_then(|n| n.checked_mul(size));
        let head = self.take(bytes.ok_or_else(|| self.mismatch("it is truncated"))?)?;
        Ok(head.chunks_exact(size).map(item).collect())
    }

    /// Fails unless the next number is `expected`.
    pub fn expect(&mut self, expected: u64, what: &str) -> Result<()> {
        match self.number()? {
            found if found == expected => Ok(()),
            found => Err(self.mismatch(&format!("{what} is {found}, expected {expected}"))),
        }
    }

    /// Fails with a reason unless `fine`.
    pub fn check(&self, fine: bool, reason: &str) -> Result<()> {
        if fine { Ok(()) } else { Err(self.mismatch(reason)) }
    }

    /// Fails if bytes remain.
    pub fn end(self) -> Result<()> {
        self.check(self.rest.is_empty(), "there are extra bytes after its end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let mut out = Writer::default();
        out.number(7);
        out.array(&[1.5, -0.0]);
        out.bytes(b"name");
        out.list(&[[1u32, 2], [3, 4]], |x| [x[0] as u8, x[1] as u8]);
        let bytes = out.into_bytes();
        let mut input = Reader::new(&bytes, "a test");
        assert_eq!(input.number().unwrap(), 7);
        let floats = input.array().unwrap();
        assert_eq!(
            floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            [1.5f64.to_bits(), (-0.0f64).to_bits()]
        );
        assert_eq!(input.bytes().unwrap(), b"name");
        assert_eq!(input.list(2, |b| [u32::from(b[0]), u32::from(b[1])]).unwrap(), [[1, 2], [3, 4]]);
        input.end().unwrap();
    }

    #[test]
    fn every_cut_and_every_lie_about_a_length_is_refused() {
        let mut out = Writer::default();
        out.array(&[1.0, 2.0]);
        let bytes = out.into_bytes();
        for cut in 0..bytes.len() {
            assert!(Reader::new(&bytes[..cut], "a test").array().is_err());
        }
        let mut long = bytes.clone();
        long[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Reader::new(&long, "a test").array().is_err());
        assert!(Reader::new(&long, "a test").bytes().is_err());
        let mut input = Reader::new(&bytes, "a test");
        assert_eq!(input.number().unwrap(), 2);
        assert!(input.end().is_err());
    }
}
