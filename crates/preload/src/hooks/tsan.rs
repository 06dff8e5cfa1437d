//! Memory accesses as visible operations.
//!
//! Code compiled with `-fsanitize=thread` calls the functions below before
//! every access. Linked to this library instead of the sanitizer's, its loads,
//! stores and atomics become operations on cells of eight bytes, and races on
//! plain memory are explored like everything else. Atomics are executed here,
//! sequentially consistent whatever order they ask for.
//!
//! Accesses of a thread to its own stack are visible only where another thread
//! has been seen to access the same cell ([`run`] keeps account of that).

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use burnside_stateless::{Kind, Op};

use crate::run::{self, Access};

const CELL_BYTES: usize = 8;

/// Makes an access of `n_bytes` at `address` visible, an operation on some bytes of each of its cells.
pub(super) fn access(address: usize, n_bytes: usize, kind: Kind) {
    announce(address, n_bytes, kind, Access::Plain);
}

fn announce(address: usize, n_bytes: usize, kind: Kind, how: Access) {
    if !run::is_controlled() {
        return;
    }
    for (cell, bytes) in cells(address, n_bytes) {
        let mut visible = run::with(|run| run.visible_cell(cell));
        if visible.is_none() {
            match kind {
                Kind::Write => run::writes_own(cell),
                _ if run::waits_for_own(cell) => visible = run::with(|run| run.visible_cell(cell)),
                _ => {}
            }
        }
        if let Some(obj) = visible {
            let op = Op::on_bytes(kind, obj, bytes);
            run::perform(op);
            run::look_for_race(&op, how);
        }
    }
}

/// The cells in which the bytes at `address` are, and which of each cell.
fn cells(address: usize, n_bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = address + n_bytes.max(1);
    (address / CELL_BYTES..=(end - 1) / CELL_BYTES).map(move |number| {
        let cell = number * CELL_BYTES;
        let (first, last) = (address.max(cell) - cell, end.min(cell + CELL_BYTES) - cell);
        (cell, ((1u16 << last) - (1u16 << first)) as u8)
    })
}

/// An operation that reads and writes `n_bytes` at `address` has been executed: did it change them?
fn changed(address: usize, n_bytes: usize, is_other: bool) {
    if is_other && run::is_controlled() {
        for (cell, bytes) in cells(address, n_bytes) {
            run::with(|run| {
                if let Some(obj) = run.visible_cell(cell) {
                    run.changed(obj, bytes);
                }
            });
        }
    }
}

/// Functions that announce an access and leave it to the program.
macro_rules! accesses {
    ($($name:ident: $kind:ident, $bytes:literal;)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(address: usize) {
            access(address, $bytes, Kind::$kind);
        }
    )*};
}

accesses! {
    __tsan_read1: Read, 1;
    __tsan_read2: Read, 2;
    __tsan_read4: Read, 4;
    __tsan_read8: Read, 8;
    __tsan_read16: Read, 16;
    __tsan_write1: Write, 1;
    __tsan_write2: Write, 2;
    __tsan_write4: Write, 4;
    __tsan_write8: Write, 8;
    __tsan_write16: Write, 16;
    __tsan_unaligned_read2: Read, 2;
    __tsan_unaligned_read4: Read, 4;
    __tsan_unaligned_read8: Read, 8;
    __tsan_unaligned_read16: Read, 16;
    __tsan_unaligned_write2: Write, 2;
    __tsan_unaligned_write4: Write, 4;
    __tsan_unaligned_write8: Write, 8;
    __tsan_unaligned_write16: Write, 16;
    __tsan_volatile_read1: Read, 1;
    __tsan_volatile_read2: Read, 2;
    __tsan_volatile_read4: Read, 4;
    __tsan_volatile_read8: Read, 8;
    __tsan_volatile_read16: Read, 16;
    __tsan_volatile_write1: Write, 1;
    __tsan_volatile_write2: Write, 2;
    __tsan_volatile_write4: Write, 4;
    __tsan_volatile_write8: Write, 8;
    __tsan_volatile_write16: Write, 16;
    __tsan_vptr_read: Read, 8;
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {
    run::watch_memory();
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_func_entry(_caller: usize) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_func_exit() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_begin() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_end() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_vptr_update(address: usize, _value: usize) {
    access(address, 8, Kind::Write);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_read_range(address: usize, n_bytes: usize) {
    access(address, n_bytes, Kind::Read);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_write_range(address: usize, n_bytes: usize) {
    access(address, n_bytes, Kind::Write);
}

/// # Safety
///
/// As for `memcpy`, except that the ranges may overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memcpy(to: *mut c_void, from: *const c_void, n_bytes: usize) -> *mut c_void {
    access(from.addr(), n_bytes, Kind::Read);
    access(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { ptr::copy(from.cast::<u8>(), to.cast::<u8>(), n_bytes) };
    to
}

/// # Safety
///
/// As for `memmove`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memmove(to: *mut c_void, from: *const c_void, n_bytes: usize) -> *mut c_void {
    // SAFETY: the program's own call.
    unsafe { __tsan_memcpy(to, from, n_bytes) }
}

/// # Safety
///
/// As for `memset`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memset(to: *mut c_void, value: c_int, n_bytes: usize) -> *mut c_void {
    access(to.addr(), n_bytes, Kind::Write);
    // SAFETY: the program's own call.
    unsafe { ptr::write_bytes(to.cast::<u8>(), value as u8, n_bytes) };
    to
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {}

/// Atomics of one width.
macro_rules! atomics {
    ($value:ty, $atomic:ty:
     $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
     $strong:ident $weak:ident $val:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $load(at: *mut $value, _order: c_int) -> $value {
            announce(at.addr(), size_of::<$value>(), Kind::Read, Access::Atomic);
            // SAFETY: the program passes an aligned object of this width.
            unsafe { <$atomic>::from_ptr(at) }.load(Ordering::SeqCst)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $store(at: *mut $value, value: $value, _order: c_int) {
            announce(at.addr(), size_of::<$value>(), Kind::Write, Access::Atomic);
            // SAFETY: as above.
            unsafe { <$atomic>::from_ptr(at) }.store(value, Ordering::SeqCst);
        }

        atomics!(@rmw $value, $atomic: $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or,
            $xor fetch_xor, $nand fetch_nand);

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $strong(
            at: *mut $value, expected: *mut $value, value: $value, _order: c_int, _failure: c_int,
        ) -> c_int {
            // SAFETY: the program passes a place for the expected value.
            let before = unsafe { *expected };
            // SAFETY: passed on from the caller.
            let seen = unsafe { $val(at, before, value, 0, 0) };
            // SAFETY: as above.
            unsafe { *expected = seen };
            c_int::from(seen == before)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $weak(
            at: *mut $value, expected: *mut $value, value: $value, order: c_int, failure: c_int,
        ) -> c_int {
            // SAFETY: passed on from the caller.
            unsafe { $strong(at, expected, value, order, failure) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $val(
            at: *mut $value, expected: $value, value: $value, _order: c_int, _failure: c_int,
        ) -> $value {
            announce(at.addr(), size_of::<$value>(), Kind::Rmw, Access::Atomic);
            // SAFETY: the program passes an aligned object of this width.
            let cell = unsafe { <$atomic>::from_ptr(at) };
            match cell.compare_exchange(expected, value, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(seen) => {
                    changed(at.addr(), size_of::<$value>(), seen != value);
                    seen
                }
                Err(seen) => seen,
            }
        }
    };
    (@rmw $value:ty, $atomic:ty: $($name:ident $method:ident),*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(at: *mut $value, value: $value, _order: c_int) -> $value {
            announce(at.addr(), size_of::<$value>(), Kind::Rmw, Access::Atomic);
            // SAFETY: the program passes an aligned object of this width.
            let cell = unsafe { <$atomic>::from_ptr(at) };
            let seen = cell.$method(value, Ordering::SeqCst);
            changed(at.addr(), size_of::<$value>(), cell.load(Ordering::SeqCst) != seen);
            seen
        }
    )*};
}

atomics!(u8, AtomicU8:
    __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
    __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
    __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
    __tsan_atomic8_compare_exchange_val);
atomics!(u16, AtomicU16:
    __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
    __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
    __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
    __tsan_atomic16_compare_exchange_val);
atomics!(u32, AtomicU32:
    __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
    __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
    __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
    __tsan_atomic32_compare_exchange_val);
atomics!(u64, AtomicU64:
    __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
    __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
    __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
    __tsan_atomic64_compare_exchange_val);

/// Held while a 16-byte atomic is executed: the program may also run on its own.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Executes a 16-byte atomic: `update` gets the value and answers the new one.
///
/// # Safety
///
/// `at` must be valid for reads and writes.
unsafe fn wide(at: *mut u128, kind: Kind, update: impl FnOnce(u128) -> u128) -> u128 {
    announce(at.addr(), size_of::<u128>(), kind, Access::Atomic);
    while WIDE.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    // SAFETY: passed on from the caller; all 16-byte atomics are executed here.
    let seen = unsafe { at.read_unaligned() };
    let new = update(seen);
    if kind != Kind::Read {
        // SAFETY: as above.
        unsafe { at.write_unaligned(new) };
    }
    WIDE.store(false, Ordering::Release);
    if kind == Kind::Rmw {
        changed(at.addr(), CELL_BYTES, seen as u64 != new as u64);
        changed(at.addr() + CELL_BYTES, CELL_BYTES, seen >> 64 != new >> 64);
    }
    seen
}

/// 16-byte atomics that read and write.
macro_rules! wide_rmw {
    ($($name:ident: |$seen:ident, $value:ident| $new:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(at: *mut u128, $value: u128, _order: c_int) -> u128 {
            // SAFETY: the program passes an object of this width.
            unsafe { wide(at, Kind::Rmw, |$seen| $new) }
        }
    )*};
}

wide_rmw! {
    __tsan_atomic128_exchange: |_seen, value| value;
    __tsan_atomic128_fetch_add: |seen, value| seen.wrapping_add(value);
    __tsan_atomic128_fetch_sub: |seen, value| seen.wrapping_sub(value);
    __tsan_atomic128_fetch_and: |seen, value| seen & value;
    __tsan_atomic128_fetch_or: |seen, value| seen | value;
    __tsan_atomic128_fetch_xor: |seen, value| seen ^ value;
    __tsan_atomic128_fetch_nand: |seen, value| !(seen & value);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_load(at: *mut u128, _order: c_int) -> u128 {
    // SAFETY: the program passes an object of this width.
    unsafe { wide(at, Kind::Read, |seen| seen) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_store(at: *mut u128, value: u128, _order: c_int) {
    // SAFETY: the program passes an object of this width.
    unsafe { wide(at, Kind::Write, |_| value) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    at: *mut u128,
    expected: u128,
    value: u128,
    _order: c_int,
    _failure: c_int,
) -> u128 {
    // SAFETY: the program passes an object of this width.
    unsafe { wide(at, Kind::Rmw, |seen| if seen == expected { value } else { seen }) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_compare_exchange_strong(
    at: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> c_int {
    // SAFETY: the program passes a place for the expected value.
    let before = unsafe { expected.read_unaligned() };
    // SAFETY: passed on from the caller.
    let seen = unsafe { __tsan_atomic128_compare_exchange_val(at, before, value, order, failure) };
    // SAFETY: as above.
    unsafe { expected.write_unaligned(seen) };
    c_int::from(seen == before)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_compare_exchange_weak(
    at: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { __tsan_atomic128_compare_exchange_strong(at, expected, value, order, failure) }
}
