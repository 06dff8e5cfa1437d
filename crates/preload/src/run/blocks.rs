//! Blocks of the heap that belong to one thread.
//!
//! A thread of C++ gets its function in a block of its own, which its creator
//! gives away. Such blocks differ in their addresses only, and twins may have
//! them, if nobody else has the address: then nobody can look into them or pass
//! them on, as if they were on the thread's stack.
//!
//! SOUND: all writable memory, the stacks and thread-local variables of all
//! threads and the registers they will go on with are searched for an address
//! inside the blocks, when the creator has come to its own first operation. Old
//! copies in memory that is not used any more only forbid the symmetry. As with
//! everything about twins, a program that computes addresses out of other
//! numbers is not thought of.
//!
//! One word is left out of the search. The C library keeps the address of the
//! free memory behind the last block on the heap, which is also the address of
//! the last word of that block.
//!
//! SOUND: [`is_top_of_heap`] admits a word only where the C library itself keeps
//! its variables, followed by the heads of the allocator's 127 lists of free
//! blocks, each of which refers to itself or to free blocks that refer back, and
//! if what it points to is free memory up to the end of the heap. The program
//! cannot have put such a word there: what it hands to the C library to keep (a
//! buffer of a stream, an argument of an exit handler) is not followed by these
//! lists. The allocator uses the word for nothing but to cut further blocks off
//! the free memory and to give blocks back to it, so that it shows in the
//! addresses of other blocks only, and those are opaque.

use std::ops::Range;

use burnside_stateless::ThreadId;

use super::twins::Hands;
use super::{Run, with};
use crate::arena;
use crate::backtrace::{self, Holding};
use crate::snapshot;

const WORD: usize = size_of::<usize>();

/// Threads that are twins if their blocks are their own.
pub(super) struct Claim {
    pub(super) thread: ThreadId,
    pub(super) twin: ThreadId,
    pub(super) blocks: [Range<usize>; 2],
}

/// Decides on what has been claimed, when the running thread is about to come to the first transition.
pub(super) fn settle() {
    let Some(own) = with(|run| run.own_code_if_claims()) else { return };
    let Some(holding) = backtrace::holding(&own) else { return };
    with(|run| run.settle_claims(&holding));
}

/// The block of the heap that begins at `address`.
pub(super) fn block_at(address: usize) -> Option<Range<usize>> {
    const IN_USE: usize = 1;
    const FLAGS: usize = 7;
    const ALIGNED: usize = 16;
    let heap = snapshot::heap()?;
    if !address.is_multiple_of(ALIGNED) || !(heap.start + ALIGNED..heap.end).contains(&address) {
        return None;
    }
    // SAFETY: a word of the heap, which is mapped.
    let word = |at: usize| heap.contains(&(at + WORD - 1)).then(|| unsafe { (at as *const usize).read() });
    let size = word(address - WORD)?;
    let next = (address - 2 * WORD).checked_add(size & !FLAGS)?;
    let is_block = size & (FLAGS & !IN_USE) == 0 && size & !FLAGS >= 2 * ALIGNED && next.is_multiple_of(ALIGNED);
    // What comes behind says that this is in use.
    (is_block && word(next + WORD)? & IN_USE != 0).then(|| address..next + WORD)
}

/// Is the word at `address` where the C library keeps the address of the free memory at the end of the heap?
///
/// It is the field `top` of `struct malloc_state` (glibc, malloc/malloc.c), with `last_remainder` and `bins` behind it. A
/// head of a list has its links where a free block that began two words earlier would have them.
fn is_top_of_heap(address: usize) -> bool {
    const N_LISTS: usize = 127;
    const LINKS: usize = 2 * WORD;
    const FLAGS: usize = 7;
    let library = snapshot::data_of(libc::gnu_get_libc_version as *const () as usize);
    let heads = address..address + LINKS + N_LISTS * 2 * WORD;
    let Some(heap) = snapshot::heap() else { return false };
    if !library.iter().any(|data| data.start <= heads.start && heads.end <= data.end) {
        return false;
    }
    let word = |at: usize| {
        let is_known = at.is_multiple_of(WORD) && [&heap, &heads].iter().any(|part| part.contains(&at));
        // SAFETY: an aligned word of the heap or of the library's variables, which are mapped and end between words.
        is_known.then(|| unsafe { (at as *const usize).read() })
    };
    let is_head = |head: usize| {
        let (next, last) = (word(head + LINKS)?, word(head + LINKS + WORD)?);
        Some(word(next.wrapping_add(LINKS + WORD))? == head && word(last.wrapping_add(LINKS))? == head)
    };
    let reaches_end = |top: usize| Some(top.checked_add(word(top.checked_add(WORD)?)? & !FLAGS)? == heap.end);
    let is_top = word(address).and_then(reaches_end) == Some(true);
    is_top && (0..N_LISTS).all(|list| is_head(address + list * 2 * WORD) == Some(true))
}

/// What the block at `address` begins with; zeros if there is none.
pub(super) fn first_words(address: usize) -> [u64; 2] {
    // SAFETY: a block has room for at least three words.
    block_at(address).map_or([0; 2], |block| unsafe { (block.start as *const [u64; 2]).read() })
}

impl Run {
    fn own_code_if_claims(&mut self) -> Option<Range<usize>> {
        (!self.claims.is_empty() && self.me().starter.is_none()).then(|| self.own_code.clone())
    }

    fn settle_claims(&mut self, holding: &Holding) {
        for claim in std::mem::take(&mut self.claims) {
            match self.holder(&claim, holding) {
                None => {
                    let first = self.twins[claim.twin.index()].unwrap_or(claim.twin);
                    self.twins[claim.thread.index()] = Some(first);
                }
                Some(address) => {
                    let why = format!("others know what threads {} and {} were given, at", claim.twin, claim.thread);
                    self.differ(claim.thread, why, address);
                }
            }
        }
    }

    /// Where somebody else has the address of one of the blocks.
    fn holder(&mut self, claim: &Claim, holding: &Holding) -> Option<usize> {
        let points_in = |word: usize| claim.blocks.iter().any(|block| block.contains(&word));
        let mut own = self.user.as_ref().expect("only user-level threads are compared").stacks();
        own.push(arena::range());
        own.extend(self.controller_stack());
        own.extend(claim.blocks.iter().cloned());
        let top =
            if self.current == ThreadId::MAIN { holding.stack } else { self.thread(ThreadId::MAIN).context_top() };
        while let Some(address) = snapshot::find_word(top, &own, &points_in) {
            if !is_top_of_heap(address) {
                return Some(address);
            }
            own.push(address..address + WORD);
        }
        if holding.registers.iter().copied().any(points_in) {
            return Some(holding.stack);
        }
        let others = (1..self.threads.len()).map(ThreadId::from);
        let mut others = others.filter(|other| *other != claim.thread && *other != claim.twin);
        let by_other = others.find_map(|other| self.hands(other).and_then(|hands| hands.find(&points_in)));
        // Each of the two has its own block only.
        let crossed = [(claim.twin, &claim.blocks[1]), (claim.thread, &claim.blocks[0])];
        let has_other = |(thread, block): &(ThreadId, &Range<usize>)| {
            self.hands(*thread).and_then(|hands: Hands| hands.find(&|word| block.contains(&word)))
        };
        by_other.or_else(|| crossed.iter().find_map(has_other))
    }
}
