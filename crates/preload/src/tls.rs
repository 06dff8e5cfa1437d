//! Thread control blocks for threads the kernel does not know.
//!
//! A user-level thread needs thread-local storage of its own: `errno`, the
//! program's `__thread` variables, the C library's per-thread state. The
//! dynamic linker builds one complete block for us ([`Template::new`]); every
//! thread of every execution gets a relocated copy of it ([`Template::stamp`]),
//! which costs a few kilobytes of `memcpy` and no call into the C library.
//!
//! What is assumed of the C library (glibc, x86-64), and checked where it can
//! be: the words at offsets 0 and 16 of the block point to the block, the word
//! at 8 to the vector of module blocks (preceded by its length), and the stack
//! and pointer guards are at 0x28 and 0x30.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::ptr;
use std::slice;

use crate::arena;
use crate::context;

const SELF: usize = 0;
const MODULES: usize = 8;
const SELF_AGAIN: usize = 16;
const STACK_GUARD: usize = 0x28;
const POINTER_GUARD: usize = 0x30;

/// Bytes above the thread pointer that belong to the block. `struct pthread`
/// has 2304 bytes in glibc 2.36; later versions grew it a little.
const CONTROL_BYTES: usize = 4096;

/// One entry of the vector of module blocks, `dtv_t` of glibc.
#[derive(Clone, Copy)]
#[repr(C)]
struct ModuleBlock {
    at: usize,
    to_free: usize,
}

/// A complete block in its state at thread start.
pub(crate) struct Template {
    /// Thread-local variables below the thread pointer, the control block above.
    image: Vec<u8>,
    /// Bytes of `image` below the thread pointer.
    below: usize,
    /// The address the image was built for.
    built_at: usize,
    modules: Vec<ModuleBlock>,
    align: usize,
}

/// Memory for one thread's block.
pub(crate) struct Slot {
    thread_pointer: usize,
    modules: *mut ModuleBlock,
}

impl Slot {
    /// What `pthread_self` answers in this thread.
    pub(crate) fn thread_pointer(&self) -> usize {
        self.thread_pointer
    }
}

impl Template {
    /// Builds the block. `None` when this C library is not one we know.
    pub(crate) fn new() -> Option<Template> {
        let info = symbol(c"_dl_get_tls_static_info")?;
        // SAFETY: the signature glibc has given this function since 2.1.
        let info: unsafe extern "C" fn(*mut usize, *mut usize) = unsafe { std::mem::transmute(info) };
        let (mut size, mut align) = (0, 0);
        // SAFETY: writes two words into live locals.
        unsafe { info(&mut size, &mut align) };
        let block = allocate(size, align)?;
        let template = Template::read(block, size, align);
        template.is_sane().then_some(template)
    }

    fn read(block: usize, size: usize, align: usize) -> Template {
        initialise(block);
        // The static size counts `struct pthread` and, rounded up, all variables.
        let below = size;
        let start = (block - below) as *const u8;
        // SAFETY: `allocate` reserved this much on both sides of the block.
        let image = unsafe { slice::from_raw_parts(start, below + CONTROL_BYTES) };
        // SAFETY: the dynamic linker has filled in the vector; its length,
        // without the generation entry, sits in the entry before it.
        let modules = unsafe {
            let first = *((block + MODULES) as *const *const ModuleBlock);
            let length = (*first.sub(1)).at;
            slice::from_raw_parts(first.sub(1), length + 2)
        };
        Template { image: image.to_vec(), below, built_at: block, modules: modules.to_vec(), align }
    }

    /// Is a copy of this block a copy of a block as we understand it?
    fn is_sane(&self) -> bool {
        self.word(SELF) == self.built_at && self.word(SELF_AGAIN) == self.built_at
    }

    fn word(&self, offset: usize) -> usize {
        let at = self.below + offset;
        let bytes = self.image[at..at + 8].try_into().expect("eight bytes were sliced");
        usize::from_ne_bytes(bytes)
    }

    /// Memory for one more thread.
    pub(crate) fn slot(&self) -> Slot {
        let align = self.align.max(64);
        let len = self.image.len() + align + size_of_val(&self.modules[..]);
        let memory = arena::block(len).addr();
        let thread_pointer = (memory + self.below).next_multiple_of(align);
        let modules = (thread_pointer + CONTROL_BYTES) as *mut ModuleBlock;
        Slot { thread_pointer, modules }
    }

    /// Where the thread-local variables are in `slot`.
    pub(crate) fn locals(&self, slot: &Slot) -> Range<usize> {
        slot.thread_pointer - self.below..slot.thread_pointer
    }

    /// Puts `slot` into the state of a thread that has just started.
    pub(crate) fn stamp(&self, slot: &Slot) {
        let here = slot.thread_pointer;
        let start = (here - self.below) as *mut u8;
        // SAFETY: `slot()` allocated this much around the thread pointer.
        unsafe { ptr::copy_nonoverlapping(self.image.as_ptr(), start, self.image.len()) };
        let own = self.built_at - self.below..self.built_at;
        for (index, module) in self.modules.iter().enumerate() {
            let mut module = *module;
            if own.contains(&module.at) {
                module.at = module.at - self.built_at + here;
            }
            // SAFETY: `slot()` left room for the whole vector.
            unsafe { slot.modules.add(index).write(module) };
        }
        for (offset, value) in [(SELF, here), (SELF_AGAIN, here), (MODULES, slot.modules.wrapping_add(1).addr())] {
            // SAFETY: inside the control block of the slot.
            unsafe { ((here + offset) as *mut usize).write(value) };
        }
    }
}

/// Lets the dynamic linker fill a block in memory of ours.
fn allocate(size: usize, align: usize) -> Option<usize> {
    let fill = symbol(c"_dl_allocate_tls")?;
    // SAFETY: the signature glibc has given this function since 2.1.
    let fill: unsafe extern "C" fn(*mut c_void) -> *mut c_void = unsafe { std::mem::transmute(fill) };
    let align = align.max(64);
    let memory = arena::block(size + CONTROL_BYTES + align).addr();
    let block = (memory + size).next_multiple_of(align);
    // SAFETY: the memory below the block holds the static size the linker
    // reported; it zeroes and fills that part and sets the vector's address.
    let filled = unsafe { fill(block as *mut c_void) };
    (filled.addr() == block).then_some(block)
}

/// Does for the block what the C library does at thread start.
fn initialise(block: usize) {
    let main = context::thread_pointer();
    for (offset, value) in [(SELF, block), (SELF_AGAIN, block)] {
        // SAFETY: inside the block just allocated.
        unsafe { ((block + offset) as *mut usize).write(value) };
    }
    for guard in [STACK_GUARD, POINTER_GUARD] {
        // SAFETY: both words are inside complete control blocks.
        unsafe { *((block + guard) as *mut usize) = *((main + guard) as *const usize) };
    }
    no_restartable_sequences(block);
    if let Some(ctype) = symbol(c"__ctype_init") {
        // SAFETY: takes and returns nothing; sets three thread-local pointers.
        let ctype: unsafe extern "C" fn() = unsafe { std::mem::transmute(ctype) };
        // SAFETY: the block is complete and the old pointer comes back at once.
        unsafe {
            context::set_thread_pointer(block);
            ctype();
            context::set_thread_pointer(main);
        }
    }
}

/// Marks the block's area for restartable sequences as not registered, so that
/// `sched_getcpu` asks the kernel. The kernel knows the main thread's only.
fn no_restartable_sequences(block: usize) {
    const CPU_ID: isize = 4;
    const REGISTRATION_FAILED: i32 = -2;
    if let Some(offset) = symbol(c"__rseq_offset") {
        // SAFETY: an exported constant of the C library.
        let offset = unsafe { *(offset as *const isize) };
        let cpu_id = (block as isize + offset + CPU_ID) as *mut i32;
        // SAFETY: the area is part of the control block.
        unsafe { cpu_id.write(REGISTRATION_FAILED) };
    }
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: looks a name up in the libraries that are loaded.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
