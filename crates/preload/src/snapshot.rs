//! The program's memory as it was before `main`, and back to it.
//!
//! [`Snapshot::take`] copies every private writable mapping of the process:
//! data of the program and its libraries, the heap, the main thread's
//! thread-local storage, and the live part of the main stack. Not copied are
//! the shim's own memory and the stacks and control blocks of user-level
//! threads, which are set up anew for every execution.
//!
//! [`Snapshot::restore`] compares page by page and copies back what differs.
//! PERF: the comparison is a sixth of the time of an execution of four
//! philosophers. Tracking writes by page protection was not tried: it would make
//! system calls that write to protected pages fail.
//!
//! Not restored: file offsets, signal handlers, anything outside the process.

use std::ffi::{c_int, c_void};
use std::fs;
use std::ops::Range;
use std::ptr;
use std::slice;

use crate::sys;

const PAGE: usize = 4096;

/// A copy of all memory the program can write to.
pub(crate) struct Snapshot {
    regions: Vec<Region>,
    /// End of the heap (`brk`).
    heap_end: usize,
    /// File descriptors from here on were opened by an execution.
    first_descriptor: usize,
    /// Mappings made by the execution that is going on.
    mapped: Vec<Range<usize>>,
}

struct Region {
    at: usize,
    copy: Vec<u8>,
}

/// One line of `/proc/self/maps`.
struct Mapping<'a> {
    range: Range<usize>,
    rights: &'a str,
    name: &'a str,
}

impl Snapshot {
    /// Copies the program's memory. Of the main stack only the part from
    /// `stack_top` on is live; `own` are ranges that belong to the shim.
    pub(crate) fn take(stack_top: usize, own: &[Range<usize>]) -> Snapshot {
        let maps = fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
        let mut regions = Vec::with_capacity(64);
        for range in writable(&maps, stack_top, own) {
            regions.push(Region { at: range.start, copy: bytes(&range).to_vec() });
        }
        Snapshot {
            regions,
            heap_end: heap_end(0),
            first_descriptor: first_free_descriptor(),
            mapped: Vec::with_capacity(16),
        }
    }

    /// The execution mapped `range`.
    pub(crate) fn note_mapped(&mut self, range: Range<usize>) {
        self.mapped.push(range);
    }

    /// The execution unmaps `range`. Is that memory it mapped itself?
    pub(crate) fn note_unmapped(&mut self, range: &Range<usize>) -> bool {
        let before = self.mapped.len();
        self.mapped.retain(|mapped| mapped != range);
        before != self.mapped.len()
    }

    /// Puts everything back.
    ///
    /// # Safety
    ///
    /// Nobody may run on the main stack or hold a reference into the program's
    /// memory.
    pub(crate) unsafe fn restore(&mut self) {
        for range in self.mapped.drain(..) {
            let args = [range.start, range.len(), 0, 0, 0, 0];
            // SAFETY: mapped by the execution that is over.
            unsafe { sys::call(libc::SYS_munmap, args) };
        }
        // PERF: the C library knows the end of the heap without a system call.
        // SAFETY: asks, and moves nothing.
        if unsafe { libc::sbrk(0) }.addr() != self.heap_end {
            heap_end(self.heap_end);
        }
        for region in &self.regions {
            // SAFETY: passed on from the caller.
            unsafe { region.restore() };
        }
        let args = [self.first_descriptor, u32::MAX as usize, 0, 0, 0, 0];
        // SAFETY: closes only what the execution opened.
        unsafe { sys::call(libc::SYS_close_range, args) };
    }
}

/// What the memory that threads share held at some moment.
pub(crate) struct Print(Vec<Region>);

impl Print {
    /// Of everything that can be written to, less `own`. Of the main stack only
    /// the part from `stack_top` on is live. The unwinder's and the dynamic
    /// linker's own notes are no business of the program.
    pub(crate) fn take(stack_top: usize, own: &[Range<usize>]) -> Print {
        let maps = fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
        let is_noise = |line: &&str| !line.contains("libgcc_s") && !line.contains("/ld-linux");
        let maps: Vec<&str> = maps.lines().filter(is_noise).collect();
        let ranges = writable(&maps.join("\n"), stack_top, own);
        Print(ranges.into_iter().map(|range| Region { at: range.start, copy: bytes(&range).to_vec() }).collect())
    }

    /// The first address at which memory is not as it was.
    pub(crate) fn difference(&self) -> Option<usize> {
        self.0.iter().find_map(|region| {
            let range = region.at..region.at + region.copy.len();
            let now = bytes(&range);
            now.iter().zip(&region.copy).position(|(now, before)| now != before).map(|offset| region.at + offset)
        })
    }
}

/// Where in the memory that threads share, as [`Print::take`] sees it, a word is that `is_wanted`.
pub(crate) fn find_word(stack_top: usize, own: &[Range<usize>], is_wanted: &dyn Fn(usize) -> bool) -> Option<usize> {
    let maps = fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    writable(&maps, stack_top, own).into_iter().find_map(|range| {
        let start = range.start.next_multiple_of(size_of::<usize>());
        let mut words = (start..range.end.saturating_sub(size_of::<usize>() - 1)).step_by(size_of::<usize>());
        // SAFETY: a word of a readable mapping, while no other thread of the program runs.
        words.find(|at| is_wanted(unsafe { (*at as *const usize).read_volatile() }))
    })
}

/// Where the heap is. The kernel may have it in several mappings that follow on each other.
pub(crate) fn heap() -> Option<Range<usize>> {
    let maps = fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    let parts = maps.lines().filter_map(Mapping::parse).filter(|mapping| mapping.name == "[heap]");
    parts
        .map(|part| part.range)
        .reduce(|whole, part| if part.start == whole.end { whole.start..part.end } else { whole })
}

impl Region {
    /// # Safety
    ///
    /// As for [`Snapshot::restore`].
    unsafe fn restore(&self) {
        let mut at = self.at;
        for page in self.copy.chunks(PAGE) {
            let range = at..at + page.len();
            if bytes(&range) != page {
                // SAFETY: the range was writable when it was copied and no
                // reference into it is alive.
                unsafe { ptr::copy_nonoverlapping(page.as_ptr(), at as *mut u8, page.len()) };
            }
            at += page.len();
        }
    }
}

/// Where the mapping begins that `address` is in.
pub(crate) fn mapping_start(address: usize) -> usize {
    let maps = fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    let mut mappings = maps.lines().filter_map(Mapping::parse);
    mappings.find(|mapping| mapping.range.contains(&address)).map_or(0, |mapping| mapping.range.start)
}

/// The memory at `range`, which the program owns.
fn bytes(range: &Range<usize>) -> &[u8] {
    // SAFETY: only called for ranges of readable mappings, while no other
    // thread of the program runs.
    unsafe { slice::from_raw_parts(range.start as *const u8, range.len()) }
}

/// The parts of the address space to copy.
fn writable(maps: &str, stack_top: usize, own: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut holes = own.to_vec();
    holes.extend(data_of(data_of as *const () as usize));
    let mut found = Vec::with_capacity(64);
    for mapping in maps.lines().filter_map(Mapping::parse) {
        match (mapping.rights, mapping.name) {
            ("rw-p", "[stack]") => found.push(stack_top..mapping.range.end),
            ("rw-p", _) => found.extend(without(&mapping.range, &holes)),
            _ => {}
        }
    }
    found
}

/// `range` less the ranges in `holes`.
fn without(range: &Range<usize>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut rest = vec![range.clone()];
    for hole in holes {
        rest = rest
            .into_iter()
            .flat_map(|part| {
                let before = part.start..part.end.min(hole.start);
                let after = part.start.max(hole.end)..part.end;
                [before, after].into_iter().filter(|part| !part.is_empty())
            })
            .collect();
    }
    rest
}

/// Where the program or library is loaded that `address` is in.
pub(crate) fn image_of(address: usize) -> Option<usize> {
    // SAFETY: all zero is valid; filled in below.
    let mut info: libc::Dl_info = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
    // SAFETY: looks an address up and writes a live local.
    let found = unsafe { libc::dladdr(address as *const c_void, &mut info) };
    (found != 0).then(|| info.dli_fbase.addr())
}

/// Where the library this code is in is loaded.
pub(crate) fn own_code() -> Range<usize> {
    let mut found: Option<Range<usize>> = None;
    // SAFETY: the callback gets the pointer passed here, during the call only.
    unsafe { libc::dl_iterate_phdr(Some(visit_own), (&raw mut found).cast()) };
    found.unwrap_or(0..0)
}

unsafe extern "C" fn visit_own(object: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a complete description.
    let object = unsafe { &*object };
    // SAFETY: it holds `dlpi_phnum` headers.
    let headers = unsafe { slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let end = loaded.map(|header| (object.dlpi_addr + header.p_vaddr + header.p_memsz) as usize).max();
    let range = object.dlpi_addr as usize..end.unwrap_or(0);
    if range.contains(&(own_code as *const () as usize)) {
        // SAFETY: the value `own_code` passed, which nobody else uses now.
        unsafe { *found.cast::<Option<Range<usize>>>() = Some(range) };
        return 1;
    }
    0
}

/// The writable segments, in whole pages, of the program or library that `address` is in.
pub(crate) fn data_of(address: usize) -> Vec<Range<usize>> {
    let mut search = (address, Vec::new());
    // SAFETY: the callback gets the pointer passed here, during the call only.
    unsafe { libc::dl_iterate_phdr(Some(visit_object), (&raw mut search).cast()) };
    search.1
}

unsafe extern "C" fn visit_object(object: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a complete description.
    let object = unsafe { &*object };
    // SAFETY: it holds `dlpi_phnum` headers.
    let headers = unsafe { slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let ranges = loaded.map(|header| {
        let start = (object.dlpi_addr + header.p_vaddr) as usize;
        (header.p_flags, start..start + header.p_memsz as usize)
    });
    // SAFETY: the value `data_of` passed, which nobody else uses now.
    let (address, found) = unsafe { &mut *search.cast::<(usize, Vec<Range<usize>>)>() };
    if ranges.clone().any(|(_, range)| range.contains(address)) {
        let data = ranges.filter(|(rights, _)| rights & libc::PF_W != 0);
        found.extend(data.map(|(_, range)| range.start / PAGE * PAGE..range.end.next_multiple_of(PAGE)));
    }
    0
}

impl<'a> Mapping<'a> {
    fn parse(line: &'a str) -> Option<Mapping<'a>> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        let rights = fields.next()?;
        let name = fields.nth(3).unwrap_or_default();
        Some(Mapping { range: start..end, rights, name })
    }
}

/// Asks the kernel to move the end of the heap; 0 only asks where it is.
fn heap_end(wanted: usize) -> usize {
    // SAFETY: either a question, or a return to an end the heap had before.
    unsafe { sys::call(libc::SYS_brk, [wanted, 0, 0, 0, 0, 0]) as usize }
}

/// One past the highest open descriptor.
fn first_free_descriptor() -> usize {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return 1024 };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let highest = names.filter_map(|name| name.parse::<usize>().ok()).max();
    // The directory itself was open while it was read.
    highest.map_or(3, |highest| highest + 1)
}
