//! Values as sequences of 64-bit words.

/// A value that can travel.
pub trait Wire: Sized {
    /// Appends the value.
    fn write(&self, words: &mut Vec<u64>);
    /// Reads what [`write`](Wire::write) appended; `None` if it did not.
    fn read(words: &mut Reader<'_>) -> Option<Self>;
}

/// Words not read yet.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

const WORD_BYTES: usize = 8;

impl Reader<'_> {
    /// The next word.
    pub fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.bytes.split_first_chunk::<WORD_BYTES>()?;
        self.bytes = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// The next value.
    pub fn value<T: Wire>(&mut self) -> Option<T> {
        T::read(self)
    }

    /// How many words are left: no sequence can be longer.
    fn n_left(&self) -> usize {
        self.bytes.len() / WORD_BYTES
    }
}

/// A message: its length in bytes, then the words of `value`.
#[must_use]
pub fn frame<T: Wire>(value: &T) -> Vec<u8> {
    let mut words = Vec::with_capacity(256);
    words.push(0);
    value.write(&mut words);
    words[0] = ((words.len() - 1) * WORD_BYTES) as u64;
    let mut bytes = Vec::with_capacity(words.len() * WORD_BYTES);
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// May another message follow before this one has been answered?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    /// No: reading more than the message gets nothing more.
    Nothing,
    /// Yes: not a byte more than the message must be read.
    Perhaps,
}

/// Reads one message by `read`, which fills part of what it is given and says
/// how much: its words, or `None` if the stream ends first. `buf` is scratch.
///
/// # Errors
///
/// Those of `read`.
pub fn unframe<E>(
    buf: &mut Vec<u8>,
    behind: Behind,
    mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
) -> Result<Option<&[u8]>, E> {
    buf.resize(buf.capacity().max(FIRST_READ), 0);
    let mut n_read = 0;
    loop {
        let wanted = match buf.first_chunk::<WORD_BYTES>() {
            Some(head) if n_read >= WORD_BYTES => WORD_BYTES + u64::from_le_bytes(*head) as usize,
            _ => WORD_BYTES,
        };
        if n_read >= WORD_BYTES && n_read >= wanted {
            return Ok(Some(&buf[WORD_BYTES..wanted]));
        }
        if buf.len() < wanted {
            buf.resize(wanted, 0);
        }
        let until = if behind == Behind::Nothing { buf.len() } else { wanted };
        match read(&mut buf[n_read..until])? {
            0 => return Ok(None),
            n => n_read += n,
        }
    }
}

/// Most messages come whole in one read of this many bytes.
const FIRST_READ: usize = 8 << 10;

/// The value in a message without its length; `None` unless it fills it.
#[must_use]
pub fn decode<T: Wire>(bytes: &[u8]) -> Option<T> {
    let mut reader = Reader { bytes };
    let value = T::read(&mut reader)?;
    reader.bytes.is_empty().then_some(value)
}

impl Wire for u64 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self);
    }

    fn read(words: &mut Reader<'_>) -> Option<u64> {
        words.word()
    }
}

impl Wire for u32 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }

    fn read(words: &mut Reader<'_>) -> Option<u32> {
        words.word()?.try_into().ok()
    }
}

impl Wire for bool {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }

    fn read(words: &mut Reader<'_>) -> Option<bool> {
        match words.word()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Bytes, eight to a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Wire for Bytes {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.0.len() as u64);
        for chunk in self.0.chunks(WORD_BYTES) {
            let mut word = [0; WORD_BYTES];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u64::from_le_bytes(word));
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Bytes> {
        let length: usize = words.word()?.try_into().ok()?;
        let n_words = length.div_ceil(WORD_BYTES);
        if n_words > words.n_left() {
            return None;
        }
        let mut bytes = Vec::with_capacity(n_words * WORD_BYTES);
        for _ in 0..n_words {
            bytes.extend(words.word()?.to_le_bytes());
        }
        bytes.truncate(length);
        Some(Bytes(bytes))
    }
}

impl Wire for String {
    fn write(&self, words: &mut Vec<u64>) {
        Bytes(self.as_bytes().to_vec()).write(words);
    }

    fn read(words: &mut Reader<'_>) -> Option<String> {
        String::from_utf8(Bytes::read(words)?.0).ok()
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        for item in self {
            item.write(words);
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Vec<T>> {
        let length: usize = words.word()?.try_into().ok()?;
        if length > words.n_left() {
            return None;
        }
        (0..length).map(|_| T::read(words)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, words: &mut Vec<u64>) {
        self.is_some().write(words);
        if let Some(value) = self {
            value.write(words);
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<Option<T>> {
        if bool::read(words)? { Some(Some(T::read(words)?)) } else { Some(None) }
    }
}

/// Implements [`Wire`] for a struct, field after field.
macro_rules! wire_struct {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl $crate::Wire for $name {
            fn write(&self, words: &mut Vec<u64>) {
                let $name { $($field),* } = self;
                $($field.write(words);)*
            }

            fn read(words: &mut $crate::Reader<'_>) -> Option<$name> {
                Some($name { $($field: words.value()?),* })
            }
        }
    )*};
}

pub(crate) use wire_struct;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_arrives_whole_or_in_pieces() {
        let message = frame(&vec!["philosopher".to_owned(), String::new()]);
        for piece in [1, 7, 8, 9, message.len()] {
            let mut rest = &message[..];
            let mut buf = Vec::new();
            let body = unframe::<()>(&mut buf, Behind::Nothing, |out| {
                let n = piece.min(rest.len()).min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
                rest = &rest[n..];
                Ok(n)
            });
            let strings: Vec<String> = body.ok().flatten().and_then(decode).expect("what was written reads back");
            assert_eq!(strings, ["philosopher", ""]);
        }
    }

    #[test]
    fn a_message_behind_is_left_alone() {
        let messages = [frame(&vec![1_u64, 2]), frame(&vec![3_u64])].concat();
        let mut rest = &messages[..];
        for expected in [vec![1, 2], vec![3]] {
            let mut buf = Vec::new();
            let body = unframe::<()>(&mut buf, Behind::Perhaps, |out| {
                let n = rest.len().min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
                rest = &rest[n..];
                Ok(n)
            });
            assert_eq!(body.ok().flatten().and_then(decode::<Vec<u64>>), Some(expected));
        }
    }

    #[test]
    fn a_stream_that_ends_has_no_message() {
        let message = frame(&vec![1_u64, 2]);
        let mut rest = &message[..12];
        let body = unframe::<()>(&mut Vec::new(), Behind::Nothing, |out| {
            let n = rest.len().min(out.len());
            out[..n].copy_from_slice(&rest[..n]);
            rest = &rest[n..];
            Ok(n)
        })
        .map(|body| body.map(<[u8]>::to_vec));
        assert_eq!(body, Ok(None));
    }

    #[test]
    fn a_cut_message_is_refused() {
        let message = frame(&vec![1_u64, 2, 3]);
        assert_eq!(decode::<Vec<u64>>(&message[8..message.len() - 8]), None);
        assert_eq!(decode::<Vec<u64>>(&[&message[8..], &[0; 8]].concat()), None);
    }

    #[test]
    fn a_length_beyond_the_message_is_refused() {
        assert_eq!(decode::<Vec<u64>>(&u64::MAX.to_le_bytes()), None);
        assert_eq!(decode::<String>(&u64::MAX.to_le_bytes()), None);
    }
}
