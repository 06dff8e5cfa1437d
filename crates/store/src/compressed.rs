//! Whole states with repeated parts stored once: recursive pairwise compression (Laarman, van de Pol, Weber, "Parallel
//! recursive state compression for free", SPIN 2011).
//!
//! Every word of the state is replaced by its number in a dictionary of words met so far. Two such numbers make a
//! word, which is again replaced by its number, and so on until two numbers are left: the cell, 8 bytes. Steps of a
//! model change few words, so that nearly all words and pairs are in the dictionary already and a state costs
//! little more than its cell. (Where every state is full of words never met before, this needs more memory than
//! keeping states as they are.)
//!
//! Each shard has a dictionary of its own, so that no two threads write to one; numbers are unique across them.

use std::sync::Arc;

use crate::arena::{Appender, Arena};
use crate::index::Index;
use crate::memory::Memory;
use crate::set::{Codec, Config, Request};
use crate::{Full, hash};

/// Bytes of a cell, and of an entry of the dictionary.
const WORD_BYTES: usize = size_of::<u64>();

/// Keeps every state as two numbers of parts.
#[derive(Debug)]
pub struct Compressed {
    words: Arc<Arena>,
    /// How many numbers there are after each round of pairing, from the words of the state down to at most two.
    rounds: Vec<usize>,
}

/// Finds the numbers of parts, and adds parts met for the first time.
#[derive(Debug)]
pub struct Dictionary {
    index: Index,
    words: Appender,
    /// The state being encoded.
    scratch: Vec<u64>,
}

impl Codec for Compressed {
    const IS_EXACT: bool = true;
    type Key<'s> = [u8; WORD_BYTES];
    type Encoder = Dictionary;

    fn open(config: &Config, memory: &Arc<Memory>) -> Result<(Self, Vec<Dictionary>), Full> {
        let n_words = config.n_bits.div_ceil(u64::BITS).max(1) as usize;
        let halved = std::iter::successors(Some(n_words), |&n| (n > 2).then(|| n.div_ceil(2)));
        let words = Arc::new(Arena::new(WORD_BYTES, Arc::clone(memory)));
        let dictionary = |_| {
            let index = Index::new(Arc::clone(memory))?;
            Ok(Dictionary { index, words: Appender::new(Arc::clone(&words)), scratch: vec![0; n_words] })
        };
        let dictionaries = (0..config.n_shards).map(dictionary).collect::<Result<_, Full>>()?;
        Ok((Self { words, rounds: halved.collect() }, dictionaries))
    }

    fn cell_bytes(&self) -> usize {
        WORD_BYTES
    }

    fn key<'s>(dictionary: &mut Dictionary, request: &Request<'s>) -> Result<Self::Key<'s>, Full> {
        let mut scratch = std::mem::take(&mut dictionary.scratch);
        scratch.copy_from_slice(request.state);
        let key = encode(&mut scratch, |word| dictionary.number(word));
        dictionary.scratch = scratch;
        key
    }

    fn known_key<'s>(dictionary: &Dictionary, request: &Request<'s>) -> Option<Self::Key<'s>> {
        let mut scratch = request.state.to_vec();
        encode(&mut scratch, |word| dictionary.find(word, hash(&[word])).map_err(|_| Full)).ok()
    }

    fn is_same(key: Self::Key<'_>, cell: &[u8]) -> bool {
        cell == key
    }

    fn write(key: Self::Key<'_>, cell: &mut [u8]) {
        cell.copy_from_slice(&key);
    }

    fn publish(dictionary: &Dictionary) {
        dictionary.words.publish();
    }

    /// Undoes [`encode`], in place: `state` holds the numbers of one round after the other, each spread from behind.
    fn read(&self, cell: &[u8], state: &mut [u64]) {
        let root = u64::from_le_bytes(cell.try_into().expect("a cell is a word"));
        if state.len() == 1 {
            state[0] = root;
            return;
        }
        [state[0], state[1]] = unpair(root);
        for round in self.rounds.windows(2).rev() {
            let [longer, shorter] = round else { unreachable!("windows of two") };
            for at in (0..*shorter).rev() {
                if 2 * at + 1 < *longer {
                    [state[2 * at], state[2 * at + 1]] = unpair(self.word(state[at]));
                } else {
                    state[2 * at] = state[at];
                }
            }
        }
        for word in state {
            *word = self.word(*word);
        }
    }
}

impl Compressed {
    fn word(&self, number: u64) -> u64 {
        u64::from_le_bytes(self.words.get(number as u32).try_into().expect("an entry is a word"))
    }
}

impl Dictionary {
    fn find(&self, word: u64, hash: u64) -> Result<u32, crate::index::Vacancy> {
        self.index.find(hash, |number| self.words.get(number) == word.to_le_bytes())
    }

    /// The number of a word, which is added if it is missing.
    fn number(&mut self, word: u64) -> Result<u32, Full> {
        let hash = hash(&[word]);
        let vacancy = match self.find(word, hash) {
            Ok(number) => return Ok(number),
            Err(vacancy) => vacancy,
        };
        if !self.index.has_room() {
            return Err(Full);
        }
        let number = self.words.push(|cell| cell.copy_from_slice(&word.to_le_bytes()))?;
        self.index.fill(vacancy, hash, number);
        Ok(number)
    }
}

/// The key of a state, which is overwritten. A single word is its own key.
fn encode(state: &mut [u64], mut number: impl FnMut(u64) -> Result<u32, Full>) -> Result<[u8; WORD_BYTES], Full> {
    let mut len = state.len();
    if len > 1 {
        for word in &mut *state {
            *word = u64::from(number(*word)?);
        }
    }
    while len > 2 {
        for at in 0..len / 2 {
            state[at] = u64::from(number(pair(state[2 * at], state[2 * at + 1]))?);
        }
        if len % 2 == 1 {
            state[len / 2] = state[len - 1];
        }
        len = len.div_ceil(2);
    }
    let root = if len == 2 { pair(state[0], state[1]) } else { state[0] };
    Ok(root.to_le_bytes())
}

fn pair(first: u64, second: u64) -> u64 {
    first | second << 32
}

fn unpair(word: u64) -> [u64; 2] {
    [word & u64::from(u32::MAX), word >> 32]
}
