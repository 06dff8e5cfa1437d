//! Mutexes and spin locks, and what all objects have in common: coming into
//! being and being destroyed.

use std::ffi::{c_int, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::marks;
use super::time;
use crate::objects::Outcome;
use crate::real::{hook, real};
use crate::run;

/// Offset of the type of a `pthread_mutex_t` in glibc on x86-64.
const MUTEX_TYPE: usize = 16;
const TYPE_BITS: c_int = 3;
const ROBUST: c_int = 0x10;
const SHARED: c_int = 0x80;
/// What glibc writes over the type of a mutex that is destroyed.
const DESTROYED: c_int = -1;

hook! {
    fn pthread_mutex_init(mutex: *mut c_void, attributes: *const c_void) -> c_int {
        let get = real!(pthread_mutexattr_getpshared: unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int);
        // SAFETY: the caller's attributes.
        let name = initialise(mutex.addr(), unsafe { is_shared(get, attributes) });
        let real = real!(pthread_mutex_init: unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int);
        // The real initialisation stores the type, which `mutex_type` reads.
        // SAFETY: the caller's arguments, handed on unchanged.
        let error = unsafe { real(mutex, attributes) };
        // SAFETY: initialised above.
        if error == 0 && unsafe { is_robust(mutex) } {
            run::with(|run| run.note_robust(name));
        }
        error
    }

    fn pthread_mutex_destroy(mutex: *mut c_void) -> c_int {
        // SAFETY: the caller passes an initialised mutex.
        unsafe { destroy_mutex(mutex) }
    }

    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int {
        // SAFETY: the caller passes an initialised mutex.
        unsafe { lock(mutex, &How::Wait) }
    }

    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        unsafe { lock(mutex, &How::Try) }
    }

    fn pthread_mutex_timedlock(mutex: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: as above; the caller passes a time.
        unsafe { lock(mutex, &How::Until(*deadline)) }
    }

    fn pthread_mutex_clocklock(mutex: *mut c_void, clock: c_int, deadline: *const timespec) -> c_int {
        if !time::is_waited_by(clock) {
            return libc::EINVAL;
        }
        // SAFETY: as above; the caller passes a time.
        unsafe { lock(mutex, &How::Until(*deadline)) }
    }

    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        unsafe { unlock(mutex) }
    }

    fn pthread_mutex_consistent(mutex: *mut c_void) -> c_int {
        let name = run::name(mutex.addr());
        let is_owner = run::with(|run| run.objects.mutex_owner(name) == Some(run.current()));
        match is_owner && run::with(|run| run.objects.make_consistent(name)) {
            true => 0,
            false => libc::EINVAL,
        }
    }

    fn pthread_spin_init(lock: *mut c_int, shared: c_int) -> c_int {
        initialise(lock.addr(), shared != 0);
        // SAFETY: the caller's lock; what a destroyed one left there is no more.
        unsafe { lock.write_volatile(0) };
        0
    }

    fn pthread_spin_destroy(lock: *mut c_int) -> c_int {
        known_spin(lock);
        destroy(lock.addr(), "spin lock", || _ = known_spin(lock));
        // SAFETY: the caller's lock, which is no more.
        unsafe { marks::leave(lock.cast()) };
        0
    }

    fn pthread_spin_lock(lock: *mut c_int) -> c_int {
        run::perform(Op::on(Kind::MutexLock, known_spin(lock)));
        known_spin(lock);
        0
    }

    fn pthread_spin_trylock(lock: *mut c_int) -> c_int {
        let outcome = run::perform(Op::on(Kind::MutexTryLock, known_spin(lock)));
        known_spin(lock);
        match outcome {
            Outcome::Refused => libc::EBUSY,
            _ => 0,
        }
    }

    fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
        let name = known_spin(lock);
        if run::with(|run| run.objects.mutex_owner(name) != Some(run.current())) {
            run::misuse("unlocks a spin lock that it does not hold");
        }
        run::perform(Op::on(Kind::MutexUnlock, name));
        0
    }
}

/// The name of a spin lock that has not been destroyed.
fn known_spin(lock: *mut c_int) -> ObjId {
    // SAFETY: the program passes a lock.
    unsafe { marks::check(lock.cast(), "spin lock") };
    run::name(lock.addr())
}

/// How long a lock is waited for.
pub(super) enum How {
    Wait,
    Try,
    Until(timespec),
}

impl How {
    fn kind(&self) -> Kind {
        match self {
            How::Wait => Kind::MutexLock,
            How::Try => Kind::MutexTryLock,
            How::Until(_) => Kind::MutexTimedLock,
        }
    }

    /// The error of an attempt that failed.
    pub(super) fn refusal(&self) -> c_int {
        match self {
            How::Until(deadline) if time::is_valid(deadline) => {
                time::reach(time::since_epoch(deadline));
                libc::ETIMEDOUT
            }
            How::Until(_) => libc::EINVAL,
            _ => libc::EBUSY,
        }
    }
}

/// The kinds of mutex that differ in what a second lock by the owner does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MutexType {
    Plain,
    Recursive,
    Checked,
}

/// # Safety
///
/// `mutex` must point to a `pthread_mutex_t`.
unsafe fn type_word(mutex: *mut c_void) -> c_int {
    let field = mutex.wrapping_byte_add(MUTEX_TYPE).cast::<c_int>();
    // SAFETY: the field lies inside the mutex the caller vouches for.
    unsafe { field.read() }
}

/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
unsafe fn mutex_type(mutex: *mut c_void) -> MutexType {
    // SAFETY: passed on from the caller.
    let word = unsafe { type_word(mutex) };
    if word == DESTROYED {
        run::misuse("uses a mutex after its destruction");
    }
    if word & SHARED != 0 {
        run::with(|run| run.share(mutex.addr()));
    }
    match word & TYPE_BITS {
        libc::PTHREAD_MUTEX_RECURSIVE => MutexType::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => MutexType::Checked,
        _ => MutexType::Plain,
    }
}

/// Are there errors when the owner of this mutex ends?
///
/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn is_robust(mutex: *mut c_void) -> bool {
    // SAFETY: passed on from the caller.
    let word = unsafe { type_word(mutex) };
    word != DESTROYED && word & ROBUST != 0
}

/// Locks `mutex` the way `how` says.
///
/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn lock(mutex: *mut c_void, how: &How) -> c_int {
    // SAFETY: passed on from the caller.
    let (kind, robust) = unsafe { (mutex_type(mutex), is_robust(mutex)) };
    let name = run::name(mutex.addr());
    if run::with(|run| run.objects.mutex_owner(name) == Some(run.current())) {
        // Nobody else can tell how often the owner holds its mutex, so a
        // second lock is no visible operation.
        match (kind, how) {
            (MutexType::Recursive, _) => {
                run::with(|run| run.objects.recurse(name, true));
                return 0;
            }
            // glibc has it so: of error-checking mutexes only robust ones look who asks.
            (MutexType::Checked, How::Try) if robust => return libc::EDEADLK,
            (_, How::Try) => return libc::EBUSY,
            (MutexType::Checked, _) => return libc::EDEADLK,
            (MutexType::Plain, _) => {}
        }
    }
    if robust {
        run::with(|run| run.note_robust(name));
    }
    let outcome = run::perform(Op::on(how.kind(), name));
    // It may have been destroyed in the meantime.
    // SAFETY: passed on from the caller.
    unsafe { mutex_type(mutex) };
    if robust && run::with(|run| run.objects.is_lost(name)) {
        return libc::ENOTRECOVERABLE;
    }
    match outcome {
        Outcome::Refused => how.refusal(),
        _ if robust && run::with(|run| run.objects.inherits(name)) => libc::EOWNERDEAD,
        _ => 0,
    }
}

/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn unlock(mutex: *mut c_void) -> c_int {
    // SAFETY: passed on from the caller.
    let (kind, robust) = unsafe { (mutex_type(mutex), is_robust(mutex)) };
    let name = run::name(mutex.addr());
    let owner = run::with(|run| run.objects.mutex_owner(name));
    let is_owner = owner == Some(run::with(|run| run.current()));
    match kind {
        MutexType::Recursive | MutexType::Checked if !is_owner => return libc::EPERM,
        MutexType::Plain if robust && !is_owner => return libc::EPERM,
        MutexType::Plain if !is_owner => match owner {
            None => run::misuse("unlocks a mutex that is not locked"),
            Some(_) => run::misuse("unlocks a mutex that another thread holds"),
        },
        MutexType::Recursive if run::with(|run| run.objects.recurse(name, false)) => return 0,
        _ => {}
    }
    run::perform(Op::on(Kind::MutexUnlock, name));
    if robust {
        run::with(|run| run.objects.settle_robust(name));
    }
    0
}

/// May the calling thread wait at a condition with this mutex?
///
/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn may_wait_with(mutex: *mut c_void) -> Result<(), c_int> {
    // SAFETY: passed on from the caller.
    let kind = unsafe { mutex_type(mutex) };
    let name = run::name(mutex.addr());
    let is_owner = run::with(|run| run.objects.mutex_owner(name) == Some(run.current()));
    match kind {
        MutexType::Plain if !is_owner => run::misuse("waits at a condition with a mutex that it does not hold"),
        _ if !is_owner => return Err(libc::EPERM),
        _ if run::with(|run| run.objects.depth(name) > 0) => {
            run::misuse("waits at a condition with a recursive mutex that it holds more than once");
        }
        _ => {}
    }
    Ok(())
}

/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn destroy_mutex(mutex: *mut c_void) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { mutex_type(mutex) };
    // SAFETY: as above.
    destroy(mutex.addr(), "mutex", || unsafe { _ = mutex_type(mutex) });
    // SAFETY: the field lies inside the mutex the caller vouches for.
    unsafe { mutex.wrapping_byte_add(MUTEX_TYPE).cast::<c_int>().write(DESTROYED) };
    0
}

/// An object at `address` comes into being. For one in the program's own data
/// that is an operation: others may know where it is already.
pub(super) fn initialise(address: usize, is_shared: bool) -> ObjId {
    if run::with(|run| run.has_threads() && run.names.is_in_image(address)) {
        run::perform(Op::on(Kind::Opaque, run::name(address)));
    }
    if is_shared {
        run::with(|run| run.share(address));
    }
    run::create(address)
}

/// The object at `address` is destroyed, which others may still be using.
///
/// SOUND: whether it is there is looked at again, by `check`, when the operation has been executed. What was seen before
/// depends on when the thread came this far, which is no operation, so that no other order of that would be tried.
pub(super) fn destroy(address: usize, what: &str, check: impl FnOnce()) {
    let name = run::name(address);
    run::perform(Op::on(Kind::Opaque, name));
    check();
    if run::with(|run| run.objects.is_in_use(name)) {
        run::misuse(&format!("destroys a {what} that is in use"));
    }
    run::forget(address);
}

/// As [`destroy`], for objects that are never used without an initialisation:
/// using them afterwards is a mistake.
pub(super) fn destroy_for_good(address: usize, what: &str) {
    let name = run::name(address);
    in_use(address, what);
    run::perform(Op::on(Kind::Opaque, name));
    // SOUND: as in `destroy`.
    in_use(address, what);
    if run::with(|run| run.objects.is_in_use(name) || run.is_waited_for(name)) {
        run::misuse(&format!("destroys a {what} that is in use"));
    }
    run::with(|run| run.objects.bury(name));
}

/// The name of the object at `address`, which should not have been destroyed.
pub(super) fn in_use(address: usize, what: &str) -> ObjId {
    let name = run::name(address);
    if run::with(|run| run.objects.is_gone(name)) {
        run::misuse(&format!("uses a {what} after its destruction"));
    }
    name
}

type GetShared = unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int;

/// Do these attributes ask for an object that processes share?
///
/// # Safety
///
/// `attributes` must be null or what `get` takes.
pub(super) unsafe fn is_shared(get: GetShared, attributes: *const c_void) -> bool {
    let mut shared = 0;
    // SAFETY: passed on from the caller.
    !attributes.is_null() && unsafe { get(attributes, &mut shared) } == 0 && shared != 0
}
