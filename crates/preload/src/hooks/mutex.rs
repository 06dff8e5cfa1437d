//! Mutexes, spin locks, reader-writer locks, barriers and `pthread_once`.

use std::ffi::{c_int, c_uint, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use crate::objects::Outcome;
use crate::real::{hook, real};
use crate::run;

/// Offset of the type of a `pthread_mutex_t` in glibc on x86-64.
const MUTEX_TYPE: usize = 16;
const TYPE_BITS: c_int = 3;

hook! {
    fn pthread_mutex_init(mutex: *mut c_void, attributes: *const c_void) -> c_int {
        run::create(mutex.addr());
        let real = real!(pthread_mutex_init: unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int);
        // The real initialisation stores the type, which `mutex_type` reads.
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(mutex, attributes) }
    }

    fn pthread_mutex_destroy(mutex: *mut c_void) -> c_int {
        let name = run::name(mutex.addr());
        if run::with(|run| run.objects.mutex_owner(name).is_some()) {
            return libc::EBUSY;
        }
        run::forget(mutex.addr());
        0
    }

    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int {
        // SAFETY: the caller passes an initialised mutex.
        unsafe { lock(mutex, Kind::MutexLock, libc::EBUSY) }
    }

    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        unsafe { lock(mutex, Kind::MutexTryLock, libc::EBUSY) }
    }

    fn pthread_mutex_timedlock(mutex: *mut c_void, _deadline: *const timespec) -> c_int {
        // SAFETY: as above.
        unsafe { lock(mutex, Kind::MutexTimedLock, libc::ETIMEDOUT) }
    }

    fn pthread_mutex_clocklock(mutex: *mut c_void, _clock: c_int, _deadline: *const timespec) -> c_int {
        // SAFETY: as above.
        unsafe { lock(mutex, Kind::MutexTimedLock, libc::ETIMEDOUT) }
    }

    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        unsafe { unlock(mutex) }
    }

    fn pthread_spin_init(lock: *mut c_int, _shared: c_int) -> c_int {
        run::create(lock.addr());
        0
    }

    fn pthread_spin_destroy(lock: *mut c_int) -> c_int {
        run::forget(lock.addr());
        0
    }

    fn pthread_spin_lock(lock: *mut c_int) -> c_int {
        run::perform(Op::on(Kind::MutexLock, run::name(lock.addr())));
        0
    }

    fn pthread_spin_trylock(lock: *mut c_int) -> c_int {
        refusal(run::perform(Op::on(Kind::MutexTryLock, run::name(lock.addr()))), libc::EBUSY)
    }

    fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
        run::perform(Op::on(Kind::MutexUnlock, run::name(lock.addr())));
        0
    }

    fn pthread_rwlock_init(lock: *mut c_void, _attributes: *const c_void) -> c_int {
        run::create(lock.addr());
        0
    }

    fn pthread_rwlock_destroy(lock: *mut c_void) -> c_int {
        run::forget(lock.addr());
        0
    }

    fn pthread_rwlock_rdlock(lock: *mut c_void) -> c_int {
        rwlock(lock, Kind::RwRead, libc::EBUSY)
    }

    fn pthread_rwlock_tryrdlock(lock: *mut c_void) -> c_int {
        rwlock(lock, Kind::RwTryRead, libc::EBUSY)
    }

    fn pthread_rwlock_timedrdlock(lock: *mut c_void, _deadline: *const timespec) -> c_int {
        rwlock(lock, Kind::RwTryRead, libc::ETIMEDOUT)
    }

    fn pthread_rwlock_clockrdlock(lock: *mut c_void, _clock: c_int, _deadline: *const timespec) -> c_int {
        rwlock(lock, Kind::RwTryRead, libc::ETIMEDOUT)
    }

    fn pthread_rwlock_wrlock(lock: *mut c_void) -> c_int {
        rwlock(lock, Kind::RwWrite, libc::EBUSY)
    }

    fn pthread_rwlock_trywrlock(lock: *mut c_void) -> c_int {
        rwlock(lock, Kind::RwTryWrite, libc::EBUSY)
    }

    fn pthread_rwlock_timedwrlock(lock: *mut c_void, _deadline: *const timespec) -> c_int {
        rwlock(lock, Kind::RwTryWrite, libc::ETIMEDOUT)
    }

    fn pthread_rwlock_clockwrlock(lock: *mut c_void, _clock: c_int, _deadline: *const timespec) -> c_int {
        rwlock(lock, Kind::RwTryWrite, libc::ETIMEDOUT)
    }

    fn pthread_rwlock_unlock(lock: *mut c_void) -> c_int {
        let name = run::name(lock.addr());
        let Some(kind) = run::with(|run| run.objects.unlock_kind(run.current(), name)) else {
            return libc::EPERM;
        };
        run::perform(Op::on(kind, name));
        0
    }

    fn pthread_barrier_init(barrier: *mut c_void, _attributes: *const c_void, count: c_uint) -> c_int {
        if count == 0 {
            return libc::EINVAL;
        }
        let name = run::create(barrier.addr());
        run::with(|run| run.objects.set_barrier(name, count.into()));
        0
    }

    fn pthread_barrier_destroy(barrier: *mut c_void) -> c_int {
        run::forget(barrier.addr());
        0
    }

    fn pthread_barrier_wait(barrier: *mut c_void) -> c_int {
        let name = run::name(barrier.addr());
        let Outcome::Value(round) = run::perform(Op::on(Kind::BarrierArrive, name)) else {
            return libc::PTHREAD_BARRIER_SERIAL_THREAD;
        };
        run::perform(Op::with(Kind::BarrierLeave, name, round));
        0
    }

    fn pthread_once(once: *mut c_int, routine: extern "C" fn()) -> c_int {
        once_only(once.addr(), || routine());
        0
    }
}

/// Runs `routine` unless somebody has, waiting for somebody who is at it.
pub(super) fn once_only(address: usize, routine: impl FnOnce()) {
    // What was done before `main` is done in every execution and every process.
    if run::with(|run| run.initial.is_initialised(ObjId::at(address as u64))) {
        return;
    }
    let name = run::name(address);
    if run::perform(Op::on(Kind::OnceEnter, name)) == Outcome::Chosen {
        routine();
        run::perform(Op::on(Kind::OnceLeave, name));
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
/// `mutex` must point to an initialised `pthread_mutex_t`.
unsafe fn mutex_type(mutex: *mut c_void) -> MutexType {
    let field = mutex.wrapping_byte_add(MUTEX_TYPE).cast::<c_int>();
    // SAFETY: the field lies inside the mutex the caller vouches for.
    match unsafe { field.read() } & TYPE_BITS {
        libc::PTHREAD_MUTEX_RECURSIVE => MutexType::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => MutexType::Checked,
        _ => MutexType::Plain,
    }
}

/// Locks `mutex` the way `kind` says; `busy` is the error when that fails.
///
/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn lock(mutex: *mut c_void, kind: Kind, busy: c_int) -> c_int {
    let name = run::name(mutex.addr());
    if run::with(|run| run.objects.mutex_owner(name) == Some(run.current())) {
        // Nobody else can tell how often the owner holds its mutex, so a
        // second lock is no visible operation.
        // SAFETY: passed on from the caller.
        match (unsafe { mutex_type(mutex) }, kind) {
            (MutexType::Recursive, _) => {
                run::with(|run| run.objects.recurse(name, true));
                return 0;
            }
            (_, Kind::MutexTryLock) => return libc::EBUSY,
            (MutexType::Checked, _) => return libc::EDEADLK,
            (MutexType::Plain, _) => {}
        }
    }
    refusal(run::perform(Op::on(kind, name)), busy)
}

/// # Safety
///
/// `mutex` must point to an initialised `pthread_mutex_t`.
pub(super) unsafe fn unlock(mutex: *mut c_void) -> c_int {
    let name = run::name(mutex.addr());
    // SAFETY: passed on from the caller.
    let kind = unsafe { mutex_type(mutex) };
    let is_owner = run::with(|run| run.objects.mutex_owner(name) == Some(run.current()));
    match kind {
        MutexType::Recursive | MutexType::Checked if !is_owner => return libc::EPERM,
        MutexType::Recursive if run::with(|run| run.objects.recurse(name, false)) => return 0,
        _ => {}
    }
    run::perform(Op::on(Kind::MutexUnlock, name));
    0
}

fn rwlock(lock: *mut c_void, kind: Kind, busy: c_int) -> c_int {
    refusal(run::perform(Op::on(kind, run::name(lock.addr()))), busy)
}

/// 0, or the error number of a refused operation.
pub(super) fn refusal(outcome: Outcome, error: c_int) -> c_int {
    if outcome == Outcome::Refused { error } else { 0 }
}
