//! The paper's own operations, which `verisoft.h` calls when this library is
//! there to answer.

use std::ffi::{CStr, c_char, c_int};

use burnside_stateless::{FailureKind, Kind, ObjId, Op};

use crate::objects::Outcome;
use crate::run;

/// `VS_toss(n)`: some number in `0..=n`, each of them in some execution.
#[unsafe(no_mangle)]
extern "C" fn burnside_toss(greatest: c_int) -> c_int {
    if !run::is_controlled() || greatest <= 0 {
        return 0;
    }
    match run::perform(Op::with(Kind::Choose, ObjId::NONE, greatest as u64 + 1)) {
        Outcome::Value(choice) => choice as c_int,
        _ => 0,
    }
}

/// `VS_assert(condition)`, a visible operation.
///
/// # Safety
///
/// `text` and `file` must be C strings.
#[unsafe(no_mangle)]
unsafe extern "C" fn burnside_assert(holds: c_int, text: *const c_char, file: *const c_char, line: c_int) {
    if run::is_controlled() {
        run::perform(Op::on(Kind::Assert, ObjId::NONE));
    }
    if holds != 0 {
        return;
    }
    // SAFETY: passed on from the caller.
    let (text, file) = unsafe { (CStr::from_ptr(text), CStr::from_ptr(file)) };
    let message = format!("VS_assert({}) failed, {}:{line}", text.to_string_lossy(), file.to_string_lossy());
    if run::is_controlled() {
        run::fail(FailureKind::Assertion, message);
    }
    crate::sys::write_all(libc::STDERR_FILENO, format!("{message}\n").as_bytes());
    std::process::abort()
}
