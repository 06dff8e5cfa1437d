//! The switch between mutants. `cargo xtask mutants` copies this crate into its scratch workspace; it is built nowhere
//! else. `BURNSIDE_MUTANT` holds the number of the mutant that is in force; `BURNSIDE_REACHED` names a file that receives
//! the numbers of all places that are executed, each once.

use std::fs::File;
use std::io::Write;
use std::ops::{Add, AddAssign, Not, Sub, SubAssign};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const SPECIAL: u32 = 1 << 31;
const UNREAD: u32 = SPECIAL;
const RECORDING: u32 = SPECIAL + 1;

static SELECTED: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicU64; 2048] = [const { AtomicU64::new(0) }; 2048];
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Which of `n` mutants numbered from `first` is in force, from 1; 0 if none is.
#[inline(always)]
pub fn pick(first: u32, n: u32) -> u32 {
    let selected = SELECTED.load(Relaxed);
    if selected & SPECIAL != 0 {
        return slow(first, n);
    }
    let at = selected.wrapping_sub(first);
    if at < n { at + 1 } else { 0 }
}

#[cold]
#[inline(never)]
fn slow(first: u32, n: u32) -> u32 {
    if SELECTED.load(Relaxed) == UNREAD {
        let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = std::env::var_os("BURNSIDE_REACHED") {
            if file.is_none() {
                *file = Some(std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the file opens"));
            }
            SELECTED.store(RECORDING, Relaxed);
        } else {
            let word = std::env::var("BURNSIDE_MUTANT").unwrap_or_default();
            SELECTED.store(word.parse().unwrap_or(0), Relaxed);
        }
        drop(file);
        return pick(first, n);
    }
    let bit = 1 << (first % 64);
    if REACHED[first as usize / 64].fetch_or(bit, Relaxed) & bit == 0 {
        let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
        let file = file.as_mut().expect("the file is open");
        file.write_all(format!("{first}\n").as_bytes()).expect("the file is writable");
    }
    0
}

/// Whether a mutant is in force.
#[inline(always)]
pub fn on(n: u32) -> bool {
    pick(n, 1) != 0
}

#[inline(always)]
pub fn lt<A: PartialOrd<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    match pick(n, 2) {
        0 => a < b,
        1 => a <= b,
        _ => a >= b,
    }
}

#[inline(always)]
pub fn le<A: PartialOrd<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    match pick(n, 2) {
        0 => a <= b,
        1 => a < b,
        _ => a > b,
    }
}

#[inline(always)]
pub fn gt<A: PartialOrd<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    match pick(n, 2) {
        0 => a > b,
        1 => a >= b,
        _ => a <= b,
    }
}

#[inline(always)]
pub fn ge<A: PartialOrd<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    match pick(n, 2) {
        0 => a >= b,
        1 => a > b,
        _ => a < b,
    }
}

#[inline(always)]
pub fn eq<A: PartialEq<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    if on(n) { a != b } else { a == b }
}

#[inline(always)]
pub fn ne<A: PartialEq<B> + ?Sized, B: ?Sized>(n: u32, a: &A, b: &B) -> bool {
    if on(n) { a == b } else { a != b }
}

#[inline(always)]
pub fn not<T: Not<Output = T>>(n: u32, it: T) -> T {
    if on(n) { it } else { !it }
}

#[inline(always)]
pub fn flip(n: u32, it: bool) -> bool {
    it != on(n)
}

#[inline(always)]
pub fn guard(n: u32, it: bool) -> bool {
    match pick(n, 2) {
        0 => it,
        1 => true,
        _ => false,
    }
}

#[inline(always)]
#[track_caller]
pub fn add<A: Add<B> + Sub<B, Output = <A as Add<B>>::Output>, B>(n: u32, a: A, b: B) -> <A as Add<B>>::Output {
    if on(n) { a - b } else { a + b }
}

#[inline(always)]
#[track_caller]
pub fn sub<A: Sub<B> + Add<B, Output = <A as Sub<B>>::Output>, B>(n: u32, a: A, b: B) -> <A as Sub<B>>::Output {
    if on(n) { a + b } else { a - b }
}

#[inline(always)]
#[track_caller]
pub fn add_assign<A: AddAssign<B> + SubAssign<B>, B>(n: u32, a: &mut A, b: B) {
    if on(n) { *a -= b } else { *a += b }
}

#[inline(always)]
#[track_caller]
pub fn sub_assign<A: AddAssign<B> + SubAssign<B>, B>(n: u32, a: &mut A, b: B) {
    if on(n) { *a += b } else { *a -= b }
}

/// Integers that have neighbours.
pub trait Step: Copy {
    fn up(self) -> Self;
    fn down(self) -> Self;
}

macro_rules! step {
    ($($ty:ty)*) => { $(impl Step for $ty {
        #[inline(always)]
        fn up(self) -> Self { self.wrapping_add(1) }
        #[inline(always)]
        fn down(self) -> Self { self.wrapping_sub(1) }
    })* };
}
step!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

#[inline(always)]
pub fn int<T: Step>(n: u32, it: T) -> T {
    match pick(n, 2) {
        0 => it,
        1 => it.up(),
        _ => it.down(),
    }
}
