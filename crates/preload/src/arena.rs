//! The shim's own memory, apart from the program's.
//!
//! The program's heap is restored between executions and its addresses must
//! not depend on what the shim allocates, so the shim never calls `malloc`:
//! this is the global allocator of the library. It is one reserved range with
//! a free list per power of two. Nothing is ever given back to the kernel.
//!
//! After [`share`] the range is shared with the processes this one forks, which
//! is how the schedule of a program of several processes is kept in one place.

use std::alloc::{GlobalAlloc, Layout};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::sys;

/// Reserved, not used: pages appear when they are touched.
const SIZE: usize = 8 << 30;
const PAGE: usize = 4096;
/// The smallest block is 16 bytes.
const LEAST: u32 = 4;

#[global_allocator]
static ARENA: Arena = Arena;

/// The range in use; null until the first allocation.
static HEADER: AtomicPtr<Header> = AtomicPtr::new(ptr::null_mut());

struct Arena;

/// Sits at the start of the range.
#[repr(C)]
struct Header {
    /// Held by whoever uses `blocks`.
    busy: AtomicBool,
    blocks: Blocks,
}

struct Blocks {
    /// Start of the range.
    base: *mut u8,
    /// Offset of the first byte never handed out.
    top: usize,
    /// Heads of the lists of free blocks of `1 << index` bytes.
    free: [*mut Free; 40],
}

/// What a block holds while it is free.
struct Free {
    next: *mut Free,
}

/// The addresses of the shim's own memory.
pub(crate) fn range() -> Range<usize> {
    let start = header().addr();
    start..start + SIZE
}

/// From here on the contents are shared with processes forked later.
///
/// Must be called while this process has a single thread.
pub(crate) fn share() {
    let base = header().cast::<u8>();
    // SAFETY: the header was set up by `header()`; there is one thread.
    let used = unsafe { (*header()).blocks.top };
    let copy = sys::map(used, libc::MAP_PRIVATE);
    // SAFETY: both ranges hold `used` bytes and are distinct mappings.
    unsafe { ptr::copy_nonoverlapping(base, copy, used) };
    // SAFETY: the range is ours and its contents are put back below, before
    // anything reads them; no allocation happens in between.
    unsafe { sys::remap(base, SIZE, libc::MAP_SHARED) };
    // SAFETY: as above, in the other direction.
    unsafe { ptr::copy_nonoverlapping(copy, base, used) };
    // SAFETY: the copy was mapped above and is not used again.
    unsafe { sys::call(libc::SYS_munmap, [copy.addr(), used, 0, 0, 0, 0]) };
}

/// `len` zeroed bytes at the start of a page, for good.
pub(crate) fn block(len: usize) -> *mut u8 {
    let layout = Layout::from_size_align(len, PAGE).expect("a length that fits the address space");
    // SAFETY: the length is not zero: nobody asks for nothing.
    let block = unsafe { std::alloc::alloc_zeroed(layout) };
    assert!(!block.is_null(), "the arena is full");
    block
}

fn header() -> *mut Header {
    let known = HEADER.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    // The first allocation happens while the program is loaded, in one thread.
    let fresh = sys::map(SIZE, libc::MAP_PRIVATE).cast::<Header>();
    let top = size_of::<Header>().next_multiple_of(PAGE);
    let blocks = Blocks { base: fresh.cast(), top, free: [ptr::null_mut(); 40] };
    // SAFETY: a fresh mapping of at least a page, aligned and unshared.
    unsafe { fresh.write(Header { busy: AtomicBool::new(false), blocks }) };
    HEADER.store(fresh, Ordering::Release);
    fresh
}

/// Binary logarithm of the block that holds `layout`.
fn class(layout: Layout) -> u32 {
    let size = layout.size().max(layout.align()).max(1 << LEAST);
    size.next_power_of_two().trailing_zeros()
}

impl Blocks {
    fn take(&mut self, class: u32) -> *mut u8 {
        let head = self.free[class as usize];
        if !head.is_null() {
            // SAFETY: a block on a list is free and starts with its link.
            self.free[class as usize] = unsafe { (*head).next };
            return head.cast();
        }
        let size = 1_usize << class;
        let at = self.top.next_multiple_of(size.min(PAGE));
        if at + size > SIZE {
            return ptr::null_mut();
        }
        self.top = at + size;
        self.base.wrapping_add(at)
    }

    fn give(&mut self, block: *mut u8, class: u32) {
        let block = block.cast::<Free>();
        // SAFETY: the block is no longer used and holds at least 16 bytes.
        unsafe { (*block).next = self.free[class as usize] };
        self.free[class as usize] = block;
    }
}

/// Runs `body` with the blocks to itself.
fn locked<R>(body: impl FnOnce(&mut Blocks) -> R) -> R {
    let header = header();
    // SAFETY: the flag is only ever accessed through shared references.
    let busy = unsafe { &(*header).busy };
    while busy.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    // SAFETY: `busy` is held, so nobody else has the blocks.
    let result = body(unsafe { &mut (*header).blocks });
    busy.store(false, Ordering::Release);
    result
}

// SAFETY: blocks are disjoint, as large as their class, and aligned to the
// class or to a page; no class below the alignment is ever chosen.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > PAGE {
            return ptr::null_mut();
        }
        locked(|blocks| blocks.take(class(layout)))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        locked(|blocks| blocks.give(block, class(layout)));
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller passes a size that is valid with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if class(wanted) == class(layout) {
            return block;
        }
        // SAFETY: `size` is not zero, as the contract of `realloc` demands.
        let fresh = unsafe { self.alloc(wanted) };
        if !fresh.is_null() {
            // SAFETY: both blocks hold the smaller of the two sizes, and are distinct.
            unsafe { ptr::copy_nonoverlapping(block, fresh, layout.size().min(size)) };
            // SAFETY: the caller gives the old block up.
            unsafe { self.dealloc(block, layout) };
        }
        fresh
    }
}
