//! Memory that the C library accesses for a program whose memory is watched.
//!
//! The compiler announces what the program itself loads and stores, but not what
//! `memcpy` and its like do in its place. These cannot be replaced by name, since
//! this library calls them too. So when the program has been loaded, the slots
//! by which it calls them (and the C++ library, for its strings) are filled with
//! the functions below.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::slice;

use burnside_stateless::Kind;

use super::tsan::access;
use crate::run;
use crate::sys;

/// Calls about more than this are not announced, but named.
const MAX_BYTES: usize = 4096;
const PAGE: usize = 4096;

/// What is put into the slots of these functions.
const REPLACED: [(&CStr, *const ()); 12] = [
    (c"memcpy", copy as *const ()),
    (c"memmove", move_bytes as *const ()),
    (c"memset", fill as *const ()),
    (c"memcmp", compare as *const ()),
    (c"strlen", length as *const ()),
    (c"strcpy", copy_string as *const ()),
    (c"strncpy", copy_some as *const ()),
    (c"strcmp", compare_strings as *const ()),
    (c"strncmp", compare_some as *const ()),
    (c"strcat", append as *const ()),
    (c"free", free as *const ()),
    (c"realloc", realloc as *const ()),
];

/// Fills the slots of everything that has been loaded.
pub(crate) fn replace_calls() {
    // SAFETY: the callback takes no argument of its own.
    unsafe { libc::dl_iterate_phdr(Some(visit), std::ptr::null_mut()) };
}

fn announce(address: usize, n_bytes: usize, kind: Kind) {
    if n_bytes > MAX_BYTES && run::is_controlled() {
        run::with(|run| {
            run.uncontrolled("what one call of the C library does to more than 4,096 bytes of watched memory")
        });
    } else if n_bytes > 0 {
        access(address, n_bytes, kind);
    }
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, n_bytes: usize) -> *mut c_void {
    announce(from.addr(), n_bytes, Kind::Read);
    announce(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::memcpy(to, from, n_bytes) }
}

unsafe extern "C" fn move_bytes(to: *mut c_void, from: *const c_void, n_bytes: usize) -> *mut c_void {
    announce(from.addr(), n_bytes, Kind::Read);
    announce(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::memmove(to, from, n_bytes) }
}

unsafe extern "C" fn fill(to: *mut c_void, value: c_int, n_bytes: usize) -> *mut c_void {
    announce(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::memset(to, value, n_bytes) }
}

unsafe extern "C" fn compare(a: *const c_void, b: *const c_void, n_bytes: usize) -> c_int {
    announce(a.addr(), n_bytes, Kind::Read);
    announce(b.addr(), n_bytes, Kind::Read);
    // SAFETY: the program's own call.
    unsafe { libc::memcmp(a, b, n_bytes) }
}

/// Accesses to a block do not matter to those of whoever gets it next.
unsafe extern "C" fn free(block: *mut c_void) {
    forget(block);
    // SAFETY: the program's own call.
    unsafe { libc::free(block) }
}

unsafe extern "C" fn realloc(block: *mut c_void, n_bytes: usize) -> *mut c_void {
    forget(block);
    // SAFETY: the program's own call.
    unsafe { libc::realloc(block, n_bytes) }
}

fn forget(block: *mut c_void) {
    if !block.is_null() && run::is_controlled() {
        // SAFETY: a block of the allocator, which is still there.
        run::forget_accesses(block.addr(), unsafe { libc::malloc_usable_size(block) });
    }
}

/// Announces a string with the zero at its end, as long as it is when the call is made.
fn announce_string(string: *const c_char, at_most: usize) {
    // SAFETY: the program passes a string, or that many bytes.
    let n_bytes = unsafe { libc::strnlen(string, at_most) };
    announce(string.addr(), n_bytes.saturating_add(1).min(at_most), Kind::Read);
}

unsafe extern "C" fn length(string: *const c_char) -> usize {
    announce_string(string, usize::MAX);
    // SAFETY: the program's own call.
    unsafe { libc::strlen(string) }
}

unsafe extern "C" fn copy_string(to: *mut c_char, from: *const c_char) -> *mut c_char {
    announce_string(from, usize::MAX);
    // SAFETY: the program's own call.
    let n_bytes = unsafe { libc::strlen(from) } + 1;
    announce(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::strcpy(to, from) }
}

unsafe extern "C" fn copy_some(to: *mut c_char, from: *const c_char, n_bytes: usize) -> *mut c_char {
    announce_string(from, n_bytes);
    announce(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::strncpy(to, from, n_bytes) }
}

unsafe extern "C" fn compare_strings(a: *const c_char, b: *const c_char) -> c_int {
    announce_string(a, usize::MAX);
    announce_string(b, usize::MAX);
    // SAFETY: the program's own call.
    unsafe { libc::strcmp(a, b) }
}

unsafe extern "C" fn compare_some(a: *const c_char, b: *const c_char, n_bytes: usize) -> c_int {
    announce_string(a, n_bytes);
    announce_string(b, n_bytes);
    // SAFETY: the program's own call.
    unsafe { libc::strncmp(a, b, n_bytes) }
}

unsafe extern "C" fn append(to: *mut c_char, from: *const c_char) -> *mut c_char {
    announce_string(from, usize::MAX);
    announce_string(to, usize::MAX);
    // SAFETY: the program's own call.
    let (before, n_bytes) = unsafe { (libc::strlen(to), libc::strlen(from) + 1) };
    announce(to.addr() + before, n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { libc::strcat(to, from) }
}

/// Entries of the dynamic section that matter here.
#[derive(Default)]
struct Tables {
    symbols: usize,
    strings: usize,
    /// Address and size in bytes of tables of relocations.
    relocations: [(usize, usize); 2],
}

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;
const R_GLOB_DAT: u64 = 6;
const R_JUMP_SLOT: u64 = 7;

unsafe extern "C" fn visit(object: *mut libc::dl_phdr_info, _size: usize, _nothing: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a complete description.
    let object = unsafe { &*object };
    // SAFETY: it holds `dlpi_phnum` headers.
    let headers = unsafe { slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    let base = object.dlpi_addr as usize;
    // This library calls these functions for itself, and what it announces comes from the program.
    let here = visit as *const () as usize;
    let holds_us = |header: &libc::Elf64_Phdr| {
        let start = base + header.p_vaddr as usize;
        header.p_type == libc::PT_LOAD && (start..start + header.p_memsz as usize).contains(&here)
    };
    if headers.iter().any(holds_us) {
        return 0;
    }
    let place = |kind| headers.iter().find(|header| header.p_type == kind);
    let Some(dynamic) = place(libc::PT_DYNAMIC) else { return 0 };
    // SAFETY: the section of a loaded object, which ends with an entry of type 0.
    let tables = unsafe { tables(base, (base + dynamic.p_vaddr as usize) as *const [i64; 2]) };
    // SAFETY: a C string, empty for the program itself.
    let is_cpp = !object.dlpi_name.is_null()
        && unsafe { CStr::from_ptr(object.dlpi_name) }.to_bytes().windows(9).any(|part| part == b"libstdc++");
    // SAFETY: the tables of a loaded object.
    let slots = unsafe { slots(base, &tables) };
    if !is_cpp && !slots.iter().any(|(name, _)| name.to_bytes().starts_with(b"__tsan_")) {
        return 0;
    }
    let is_protected = |slot: usize| {
        place(libc::PT_GNU_RELRO).is_some_and(|relro| {
            let start = base + relro.p_vaddr as usize;
            (start..start + relro.p_memsz as usize).contains(&slot)
        })
    };
    for (name, slot) in slots {
        let Some((_, function)) = REPLACED.iter().find(|(known, _)| *known == name) else { continue };
        // SAFETY: a slot for a function with this name, in a page that is writable or made so.
        unsafe { write_slot(slot, function.addr(), is_protected(slot)) };
    }
    0
}

/// # Safety
///
/// `entry` must point to the dynamic section of an object loaded at `base`.
unsafe fn tables(base: usize, mut entry: *const [i64; 2]) -> Tables {
    let mut tables = Tables::default();
    loop {
        // SAFETY: up to and including the entry of type 0.
        let [tag, value] = unsafe { entry.read() };
        // The dynamic linker has made addresses of most offsets.
        let address = if (value as usize) < base { base + value as usize } else { value as usize };
        match tag {
            0 => return tables,
            DT_STRTAB => tables.strings = address,
            DT_SYMTAB => tables.symbols = address,
            DT_RELA => tables.relocations[0].0 = address,
            DT_RELASZ => tables.relocations[0].1 = value as usize,
            DT_JMPREL => tables.relocations[1].0 = address,
            DT_PLTRELSZ => tables.relocations[1].1 = value as usize,
            _ => {}
        }
        entry = entry.wrapping_add(1);
    }
}

/// The functions and variables an object takes from others, each with the place that holds its address.
///
/// # Safety
///
/// The tables must be those of an object loaded at `base`.
unsafe fn slots(base: usize, tables: &Tables) -> Vec<(&'static CStr, usize)> {
    let mut found = Vec::new();
    for (start, n_bytes) in tables.relocations {
        if start == 0 || tables.symbols == 0 || tables.strings == 0 {
            continue;
        }
        // SAFETY: a table of relocations: offset, symbol and type, addend.
        let relocations = unsafe { slice::from_raw_parts(start as *const [u64; 3], n_bytes / size_of::<[u64; 3]>()) };
        for [offset, info, _] in relocations {
            if !matches!(info & 0xffff_ffff, R_GLOB_DAT | R_JUMP_SLOT) {
                continue;
            }
            let symbol =
                (tables.symbols + (info >> 32) as usize * size_of::<libc::Elf64_Sym>()) as *const libc::Elf64_Sym;
            // SAFETY: the symbol the relocation names.
            let name = tables.strings + unsafe { (*symbol).st_name } as usize;
            // SAFETY: names are C strings and stay as long as the object.
            found.push((unsafe { CStr::from_ptr(name as *const c_char) }, base + *offset as usize));
        }
    }
    found
}

/// # Safety
///
/// `slot` must hold the address of a function that `function` can stand for.
unsafe fn write_slot(slot: usize, function: usize, is_protected: bool) {
    let page = slot / PAGE * PAGE;
    let protect = |rights: c_int| {
        // SAFETY: changes the rights of a page of addresses of functions, which holds nothing else.
        unsafe { sys::call(libc::SYS_mprotect, [page, PAGE, rights as usize, 0, 0, 0]) };
    };
    if is_protected {
        protect(libc::PROT_READ | libc::PROT_WRITE);
    }
    // SAFETY: passed on from the caller; writable by now.
    unsafe { (slot as *mut usize).write_volatile(function) };
    if is_protected {
        protect(libc::PROT_READ);
    }
}
