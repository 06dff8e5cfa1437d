//! Threads and their thread-specific values.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use burnside_stateless::{Kind, ObjId, Op};

use libc::timespec;

use super::mutex::How;
use super::semaphore::fail;
use super::time;
use crate::objects::Outcome;
use crate::real::{hook, real};
use crate::run::{self, Run};
use crate::sys;

/// Bytes in the name of a thread.
const MAX_THREAD_NAME: usize = 15;
/// As many as glibc has.
const MAX_KEYS: usize = 1024;
/// POSIX lets destructors set values again; glibc runs them this often.
const DESTRUCTOR_ROUNDS: usize = 4;

type Destructor = unsafe extern "C-unwind" fn(*mut c_void);

/// The keys of the program: in use, and with which destructor.
#[derive(Clone, Default)]
pub(crate) struct Keys(Vec<Option<Option<Destructor>>>);

hook! {
    fn pthread_create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: usize) -> c_int {
        // SAFETY: the caller's arguments, as POSIX wants them.
        unsafe { run::spawn(handle, attributes, routine, argument) }
    }

    fn pthread_join(handle: usize, result: *mut usize) -> c_int {
        // SAFETY: the caller passes a place for the result, or null.
        unsafe { join_for_ever(handle, result) }
    }

    /// Whether it has ended is seen, as with `pthread_join`, but never waited for.
    fn pthread_tryjoin_np(handle: usize, result: *mut usize) -> c_int {
        // SAFETY: the caller passes a place for the result, or null.
        unsafe { join_if_ended(handle, result, &How::Try) }
    }

    fn pthread_timedjoin_np(handle: usize, result: *mut usize, deadline: *const timespec) -> c_int {
        // SAFETY: as above; the caller passes a time or null.
        unsafe { join_until(handle, result, libc::CLOCK_REALTIME, deadline) }
    }

    fn pthread_clockjoin_np(handle: usize, result: *mut usize, clock: c_int, deadline: *const timespec) -> c_int {
        // SAFETY: as above; the caller passes a time or null.
        unsafe { join_until(handle, result, clock, deadline) }
    }

    fn pthread_self() -> usize {
        run::with(Run::ask_who)
    }

    fn pthread_detach(handle: usize) -> c_int {
        detach(handle)
    }

    fn gettid() -> c_int {
        run::with(Run::kernel_name)
    }

    fn pthread_setname_np(handle: usize, name: *const c_char) -> c_int {
        // SAFETY: the caller passes a string.
        let name = unsafe { CStr::from_ptr(name) };
        if name.count_bytes() > MAX_THREAD_NAME {
            return libc::ERANGE;
        }
        run::with(|run| match run.by_handle(handle) {
            Some(thread) => {
                run.rename(thread, name.into());
                0
            }
            None => libc::ESRCH,
        })
    }

    /// Names of threads are kept here. Variadic in C; what comes after is handed on.
    fn prctl(option: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int {
        let own = run::with(|run| run.me().handle);
        if option == libc::PR_SET_NAME {
            // SAFETY: the caller passes a string, of which the kernel takes 15 bytes.
            let bytes = unsafe { CStr::from_ptr(a as *const c_char) }.to_bytes();
            let name = CString::new(&bytes[..bytes.len().min(MAX_THREAD_NAME)]).unwrap_or_default();
            run::with(|run| run.rename(run.current(), name.into_boxed_c_str()));
            return 0;
        }
        if option == libc::PR_GET_NAME && run::with(|run| run.name_of(run.current())).is_some() {
            // SAFETY: the caller passes room for 16 bytes.
            return unsafe { pthread_getname_np(own, a as *mut c_char, MAX_THREAD_NAME + 1) };
        }
        let real = real!(prctl: unsafe extern "C" fn(c_int, usize, usize, usize, usize) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(option, a, b, c, d) }
    }

    fn pthread_getname_np(handle: usize, buffer: *mut c_char, length: usize) -> c_int {
        let named = run::with(|run| run.by_handle(handle).and_then(|thread| run.name_of(thread)));
        let Some(name) = named else {
            let real = real!(pthread_getname_np: unsafe extern "C" fn(usize, *mut c_char, usize) -> c_int);
            // A thread without a name of its own has that of the process, as the first has.
            let first = run::with(|run| run.first_handle());
            // SAFETY: the caller's buffer and the first thread's handle.
            return unsafe { real(first, buffer, length) };
        };
        run::with(|run| run.tell_apart("asks for the name of a thread"));
        let bytes = name.to_bytes_with_nul();
        if bytes.len() > length {
            return libc::ERANGE;
        }
        // SAFETY: the caller passes this much room.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), buffer, bytes.len()) };
        0
    }

    /// Each thread has a mask of its own; signals are not simulated.
    fn pthread_sigmask(how: c_int, new: *const u64, old: *mut u64) -> c_int {
        // SAFETY: the caller passes masks or null.
        unsafe { mask(how, new, old) }
    }

    fn sigprocmask(how: c_int, new: *const u64, old: *mut u64) -> c_int {
        // SAFETY: the caller passes masks or null.
        match unsafe { mask(how, new, old) } {
            0 => 0,
            error => fail(error),
        }
    }

    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int {
        let stack = run::with(|run| {
            run.tell_apart("asks where a stack is");
            let thread = run.by_handle(handle)?;
            run.user.as_ref()?.stack(thread)
        });
        let Some(stack) = stack else {
            let real = real!(pthread_getattr_np: unsafe extern "C" fn(usize, *mut c_void) -> c_int);
            // SAFETY: the caller's arguments, handed on unchanged.
            return unsafe { real(handle, attributes) };
        };
        let attributes = attributes.cast::<libc::pthread_attr_t>();
        // SAFETY: the caller passes room for the attributes.
        let error = unsafe { libc::pthread_attr_init(attributes) };
        if error != 0 {
            return error;
        }
        // SAFETY: initialised above.
        unsafe { libc::pthread_attr_setstack(attributes, stack.start as *mut c_void, stack.len()) }
    }

    fn sched_yield() -> c_int {
        run::perform(Op::on(Kind::Yield, ObjId::NONE));
        0
    }

    fn pthread_yield() -> c_int {
        run::perform(Op::on(Kind::Yield, ObjId::NONE));
        0
    }

    fn pthread_key_create(key: *mut u32, destructor: Option<Destructor>) -> c_int {
        let Some(fresh) = run::with(|run| run.keys.create(destructor)) else { return libc::EAGAIN };
        // SAFETY: the caller passes a place for the key.
        unsafe { key.write(fresh) };
        0
    }

    fn __pthread_key_create(key: *mut u32, destructor: Option<Destructor>) -> c_int {
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { pthread_key_create(key, destructor) }
    }

    fn pthread_key_delete(key: u32) -> c_int {
        run::with(|run| match run.keys.delete(key) {
            true => {
                run.forget_values(key as usize);
                0
            }
            false => libc::EINVAL,
        })
    }

    fn pthread_getspecific(key: u32) -> *mut c_void {
        run::with(|run| run.me().values.get(key as usize).copied().unwrap_or_default())
    }

    fn pthread_setspecific(key: u32, value: *mut c_void) -> c_int {
        run::with(|run| {
            if !run.keys.exists(key) {
                return libc::EINVAL;
            }
            let values = &mut run.me().values;
            if values.len() <= key as usize {
                values.resize(key as usize + 1, std::ptr::null_mut());
            }
            values[key as usize] = value;
            0
        })
    }
}

/// Waits for the end of a thread; `takes` its result.
pub(super) fn join(handle: usize, takes: bool) -> Result<usize, c_int> {
    let target = run::with(|run| run.by_handle(handle)).ok_or(libc::ESRCH)?;
    run::with(|run| run.may_join(target).map(|()| run.joins(target)))?;
    let result = run::join(handle)?;
    run::with(|run| run.joined(target, takes));
    Ok(result)
}

pub(super) fn detach(handle: usize) -> c_int {
    run::with(|run| match run.by_handle(handle) {
        Some(thread) => run.detach(thread),
        None => libc::ESRCH,
    })
}

/// # Safety
///
/// `result` must be null or valid for a write.
unsafe fn join_for_ever(handle: usize, result: *mut usize) -> c_int {
    match join(handle, !result.is_null()) {
        Ok(value) => {
            if !result.is_null() {
                // SAFETY: passed on from the caller.
                unsafe { result.write(value) };
            }
            0
        }
        Err(error) => error,
    }
}

/// Without a deadline glibc waits for ever.
///
/// # Safety
///
/// `result` must be null or valid for a write, `deadline` null or a time.
unsafe fn join_until(handle: usize, result: *mut usize, clock: c_int, deadline: *const timespec) -> c_int {
    // SAFETY: passed on from the caller.
    match unsafe { deadline.as_ref() } {
        Some(_) if !time::is_waited_by(clock) => libc::EINVAL,
        // SAFETY: passed on from the caller.
        Some(deadline) => unsafe { join_if_ended(handle, result, &How::Until(*deadline)) },
        // SAFETY: passed on from the caller.
        None => unsafe { join_for_ever(handle, result) },
    }
}

/// # Safety
///
/// `result` must be null or valid for a write.
unsafe fn join_if_ended(handle: usize, result: *mut usize, how: &How) -> c_int {
    let Some(target) = run::with(|run| run.by_handle(handle)) else { return libc::ESRCH };
    run::with(|run| {
        run.ask_for_ends();
        run.tell_apart("asks whether a thread has ended");
    });
    if let Err(error) = run::with(|run| run.may_join(target)) {
        return error;
    }
    if run::perform(Op::thread(Kind::Finished, target)) == Outcome::Refused {
        return how.refusal();
    }
    match run::join_ended(target) {
        value if !result.is_null() => {
            run::with(|run| run.joined(target, true));
            // SAFETY: passed on from the caller.
            unsafe { result.write(value) };
        }
        _ => run::with(|run| run.joined(target, false)),
    }
    0
}

/// Bytes of a `sigset_t` that the kernel uses, as one number.
///
/// # Safety
///
/// `new` and `old` must be null or point to masks.
unsafe fn mask(how: c_int, new: *const u64, old: *mut u64) -> c_int {
    if run::with(|run| run.user.is_none()) {
        let arguments = [how as usize, new.addr(), old.addr(), 8, 0, 0];
        // SAFETY: the program's own call; the kernel uses eight bytes of a mask.
        return -(unsafe { sys::call(libc::SYS_rt_sigprocmask, arguments) } as c_int);
    }
    // SAFETY: passed on from the caller.
    let new = unsafe { new.as_ref() }.copied();
    let known = run::with(|run| run.me().mask);
    if !old.is_null() {
        // SAFETY: passed on from the caller.
        unsafe { old.write(known) };
    }
    let Some(new) = new else { return 0 };
    let mask = match how {
        libc::SIG_BLOCK => known | new,
        libc::SIG_UNBLOCK => known & !new,
        libc::SIG_SETMASK => new,
        _ => return libc::EINVAL,
    };
    run::with(|run| run.me().mask = mask);
    0
}

impl Keys {
    fn create(&mut self, destructor: Option<Destructor>) -> Option<u32> {
        let index = match self.0.iter().position(Option::is_none) {
            Some(index) => index,
            None if self.0.len() < MAX_KEYS => {
                self.0.push(None);
                self.0.len() - 1
            }
            None => return None,
        };
        self.0[index] = Some(destructor);
        Some(index as u32)
    }

    fn delete(&mut self, key: u32) -> bool {
        self.0.get_mut(key as usize).is_some_and(|slot| slot.take().is_some())
    }

    fn exists(&self, key: u32) -> bool {
        matches!(self.0.get(key as usize), Some(Some(_)))
    }

    fn destructor(&self, key: usize) -> Option<Destructor> {
        self.0.get(key).copied().flatten().flatten()
    }
}

/// Runs the destructors of this thread's C++ `thread_local` objects.
pub(super) fn run_local_destructors() {
    // With threads of the kernel the C library would do this itself, but its
    // threads never end here: the process does.
    let run_all = real!(__call_tls_dtors: unsafe extern "C-unwind" fn());
    // SAFETY: runs what this thread registered, once.
    unsafe { run_all() };
}

/// What a thread does after its start routine: C++ `thread_local` destructors,
/// then those of its thread-specific values.
pub(crate) fn run_thread_destructors() {
    run_local_destructors();
    for _ in 0..DESTRUCTOR_ROUNDS {
        let mut key = 0;
        while let Some((at, destructor, value)) = run::with(|run| next_destructor(run, key)) {
            key = at + 1;
            // SAFETY: the program asked for this call.
            unsafe { destructor(value) };
        }
    }
}

/// The first key from `from` on that has a value and a destructor. Each round
/// looks at each key once, also if its destructor sets it again.
fn next_destructor(run: &mut Run, from: usize) -> Option<(usize, Destructor, *mut c_void)> {
    for key in from..run.me().values.len() {
        let Some(destructor) = run.keys.destructor(key) else { continue };
        let value = std::mem::take(&mut run.me().values[key]);
        if !value.is_null() {
            return Some((key, destructor, value));
        }
    }
    None
}
