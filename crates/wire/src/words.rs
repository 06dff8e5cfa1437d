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
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The length of the rest of a message, from its first eight bytes.
#[must_use]
pub fn unframe_length(head: [u8; WORD_BYTES]) -> usize {
    u64::from_le_bytes(head) as usize
}

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

impl Wire for String {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        for chunk in self.as_bytes().chunks(WORD_BYTES) {
            let mut word = [0; WORD_BYTES];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u64::from_le_bytes(word));
        }
    }

    fn read(words: &mut Reader<'_>) -> Option<String> {
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
        String::from_utf8(bytes).ok()
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
    fn a_message_carries_its_length() {
        let message = frame(&vec!["philosopher".to_owned(), String::new()]);
        let (head, body) = message.split_first_chunk().expect("a length comes first");
        assert_eq!(unframe_length(*head), body.len());
        let strings: Vec<String> = decode(body).expect("what was written reads back");
        assert_eq!(strings, ["philosopher", ""]);
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
