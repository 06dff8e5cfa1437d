//! Threads and their thread-specific values.

use std::ffi::{c_char, c_int, c_void};

use burnside_stateless::{Kind, ObjId, Op};

use crate::real::{hook, real};
use crate::run::{self, Run};
use crate::worker;

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
        match run::join(handle) {
            Ok(value) if !result.is_null() => {
                if value != 0 {
                    run::with(|run| run.tell_apart("takes the result of another"));
                }
                // SAFETY: the caller passes a place for the result.
                unsafe { result.write(value) };
                0
            }
            Ok(_) => 0,
            Err(error) => error,
        }
    }

    /// Whether it has ended is seen, as with `pthread_join`, but never waited for.
    fn pthread_tryjoin_np(handle: usize, result: *mut usize) -> c_int {
        let Some(target) = run::with(|run| run.by_handle(handle)) else { return libc::ESRCH };
        run::perform(Op::thread(Kind::Finished, target));
        match run::with(|run| run.result_of(target)) {
            Some(value) => {
                if !result.is_null() {
                    run::with(|run| run.tell_apart("takes the result of another"));
                    // SAFETY: the caller passes a place for the result.
                    unsafe { result.write(value) };
                }
                0
            }
            None => libc::EBUSY,
        }
    }

    fn pthread_self() -> usize {
        run::with(Run::ask_who)
    }

    fn pthread_detach(_handle: usize) -> c_int {
        0
    }

    fn pthread_exit(result: usize) -> ! {
        run::finish_thread(result)
    }

    fn pthread_cancel(_handle: usize) -> c_int {
        worker::give_up("the program calls `pthread_cancel`, which is not simulated")
    }

    fn pthread_kill(_handle: usize, signal: c_int) -> c_int {
        if signal == 0 {
            return 0;
        }
        worker::give_up("the program calls `pthread_kill`, which is not simulated")
    }

    fn pthread_setname_np(_handle: usize, _name: *const c_char) -> c_int {
        0
    }

    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int {
        let stack = run::with(|run| {
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
        if run::with(|run| run.keys.delete(key)) { 0 } else { libc::EINVAL }
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

/// What a thread does after its start routine: C++ `thread_local` destructors,
/// then those of its thread-specific values.
pub(crate) fn run_thread_destructors() {
    // With threads of the kernel the C library would do this itself, but its
    // threads never end here: the process does.
    let run_all = real!(__call_tls_dtors: unsafe extern "C-unwind" fn());
    // SAFETY: runs what this thread registered, once.
    unsafe { run_all() };
    for _ in 0..DESTRUCTOR_ROUNDS {
        while let Some((destructor, value)) = run::with(next_destructor) {
            // SAFETY: the program asked for this call.
            unsafe { destructor(value) };
        }
    }
}

fn next_destructor(run: &mut Run) -> Option<(Destructor, *mut c_void)> {
    for key in 0..run.me().values.len() {
        let Some(destructor) = run.keys.destructor(key) else { continue };
        let value = std::mem::take(&mut run.me().values[key]);
        if !value.is_null() {
            return Some((destructor, value));
        }
    }
    None
}
