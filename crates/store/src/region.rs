//! Zeroed memory straight from the system.
//!
//! Pages of a fresh region are backed by memory only when they are first written, and can be given back one by one.
//! Where the system has no such calls (and under Miri and loom) an ordinary allocation stands in for them.

use std::ops::Range;
use std::ptr::NonNull;

use crate::Full;

/// The size of a huge page on the machines we know, and the alignment of every region at least that long.
pub(crate) const HUGE_PAGE: usize = if cfg!(any(miri, loom)) { 1 << 12 } else { 1 << 21 };

/// The size of a small page, or a multiple of it.
pub(crate) const PAGE: usize = 1 << 12;

/// A range of addresses owned by this value, zero at first.
#[derive(Debug)]
pub(crate) struct Region {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the region owns its memory as a `Vec` would; this type itself never reads or writes it.
unsafe impl Send for Region {}
// SAFETY: as above; whoever reads and writes through `base` answers for doing so in order.
unsafe impl Sync for Region {}

impl Region {
    /// A region of at least `bytes` bytes, aligned to [`PAGE`], and to [`HUGE_PAGE`] if it is at least that long.
    pub(crate) fn new(bytes: usize) -> Result<Self, Full> {
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE).ok_or(Full)?;
        let base = system::map(bytes).ok_or(Full)?;
        Ok(Self { base, bytes })
    }

    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Asks the system to back a range, given in bytes, with huge pages as far as it can. A hint.
    pub(crate) fn prefer_huge_pages(&self, range: Range<usize>) {
        let start = self.start_of(&range);
        if range.len() >= HUGE_PAGE {
            // SAFETY: the range lies inside the region.
            unsafe { system::prefer_huge_pages(start, range.len()) };
        }
    }

    /// Gives the memory of a range of whole pages back to the system; it reads as zero afterwards.
    pub(crate) fn discard(&mut self, range: Range<usize>) {
        assert!(range.start.is_multiple_of(PAGE) && range.end.is_multiple_of(PAGE), "{range:?} is not made of pages");
        let start = self.start_of(&range);
        // SAFETY: the range is made of pages inside the region, and `&mut` keeps everybody else out.
        unsafe { system::discard(start, range.len()) };
    }

    fn start_of(&self, range: &Range<usize>) -> NonNull<u8> {
        assert!(range.start <= range.end && range.end <= self.bytes, "{range:?} is outside the region");
        // SAFETY: the assertion keeps the address inside the region, or at its end.
        unsafe { self.base.add(range.start) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the region was mapped with this length in `new` and nothing can refer to it any more.
        unsafe { system::unmap(self.base, self.bytes) };
    }
}

#[cfg(all(unix, not(any(miri, loom))))]
mod system {
    use std::ffi::c_void;
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    use super::HUGE_PAGE;

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        if bytes < HUGE_PAGE {
            return map_anywhere(bytes);
        }
        // The system aligns to small pages only: take more and return what lies outside.
        let taken = bytes.checked_add(HUGE_PAGE)?;
        let base = map_anywhere(taken)?;
        let head = base.as_ptr().align_offset(HUGE_PAGE);
        if head > 0 {
            // SAFETY: the first `head` bytes of the mapping just made, which nothing refers to.
            unsafe { unmap(base, head) };
        }
        // SAFETY: `head` is less than `HUGE_PAGE`, so this stays inside the mapping.
        let base = unsafe { base.add(head) };
        // SAFETY: what is left of the mapping is `HUGE_PAGE - head + bytes` long.
        let tail = unsafe { base.add(bytes) };
        // SAFETY: the last bytes of the mapping just made, which nothing refers to; `head < HUGE_PAGE`.
        unsafe { unmap(tail, HUGE_PAGE - head) };
        Some(base)
    }

    fn map_anywhere(bytes: usize) -> Option<NonNull<u8>> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a fresh anonymous mapping at an address of the system's choice overlaps nothing.
        let base = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, flags) };
        NonNull::new(base.ok()?.cast())
    }

    /// # Safety
    ///
    /// The range must be whole pages of a mapping that nothing refers to.
    pub(super) unsafe fn unmap(base: NonNull<u8>, bytes: usize) {
        // SAFETY: by the contract above. A failure leaves the memory mapped, which only wastes it.
        let _ = unsafe { munmap(base.as_ptr().cast::<c_void>(), bytes) };
    }

    /// # Safety
    ///
    /// The range must be part of a mapping.
    pub(super) unsafe fn prefer_huge_pages(base: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: advice on huge pages does not change what memory holds.
        let _ = unsafe { madvise(base.as_ptr().cast::<c_void>(), bytes, Advice::LinuxHugepage) };
        #[cfg(not(target_os = "linux"))]
        let _ = (base, bytes);
    }

    /// # Safety
    ///
    /// The range must be whole pages of an anonymous mapping that nobody reads or writes meanwhile.
    pub(super) unsafe fn discard(base: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: by the contract above. Linux replaces the pages by zero pages.
        let _ = unsafe { madvise(base.as_ptr().cast::<c_void>(), bytes, Advice::LinuxDontNeed) };
        #[cfg(not(target_os = "linux"))]
        // SAFETY: by the contract above. Elsewhere "don't need" does not promise zeros, so write them.
        unsafe {
            base.as_ptr().write_bytes(0, bytes);
        }
    }
}

#[cfg(any(not(unix), miri, loom))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use super::{HUGE_PAGE, PAGE};

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: a region is never empty.
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) })
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, if bytes < HUGE_PAGE { PAGE } else { HUGE_PAGE }).ok()
    }

    pub(super) unsafe fn unmap(base: NonNull<u8>, bytes: usize) {
        let layout = layout(bytes).expect("the layout was valid when the memory was allocated");
        // SAFETY: the memory was allocated in `map` with this layout.
        unsafe { dealloc(base.as_ptr(), layout) };
    }

    pub(super) unsafe fn prefer_huge_pages(_: NonNull<u8>, _: usize) {}

    pub(super) unsafe fn discard(base: NonNull<u8>, bytes: usize) {
        // SAFETY: the range lies inside the allocation and nobody else uses it meanwhile.
        unsafe { base.as_ptr().write_bytes(0, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_aligned_and_zero_before_and_after_use() {
        for bytes in [1, PAGE, HUGE_PAGE - 1, HUGE_PAGE, 3 * HUGE_PAGE + 1] {
            let mut region = Region::new(bytes).expect("memory");
            assert!(region.bytes() >= bytes && region.bytes() < bytes + PAGE);
            let alignment = if bytes < HUGE_PAGE { PAGE } else { HUGE_PAGE };
            assert_eq!(region.base().as_ptr().addr() % alignment, 0);
            region.prefer_huge_pages(0..region.bytes());
            // SAFETY: the last byte of the region.
            let last = unsafe { region.base().add(region.bytes() - 1) };
            for _ in 0..2 {
                // SAFETY: nobody else uses the region.
                assert_eq!(unsafe { last.read() }, 0);
                // SAFETY: as above.
                unsafe { last.write(1) };
                region.discard(0..region.bytes());
            }
        }
    }

    #[test]
    fn a_hopeless_request_is_refused() {
        assert!(matches!(Region::new(usize::MAX), Err(Full)));
    }
}
