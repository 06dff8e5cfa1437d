//! System V semaphores, simulated: no set outlives its execution.

use std::ffi::c_int;
use std::slice;

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::semaphore::fail;
use super::time::{self, pass_time};
use crate::objects::{MAX_SYSV, Outcome};
use crate::real::hook;
use crate::run;
use crate::worker;

/// The sets that exist: key and number of semaphores, by set.
#[derive(Default)]
pub(crate) struct Sets(Vec<Option<(c_int, u16)>>);

const SEM_UNDO: c_int = 0x1000;

hook! {
    /// Who creates a set may be a matter of who comes first.
    fn semget(key: c_int, count: c_int, flags: c_int) -> c_int {
        if key != libc::IPC_PRIVATE {
            run::perform(Op::on(Kind::Opaque, key_object(key)));
        }
        match run::with(|run| run.sets.get(key, count, flags)) {
            Ok(set) => set,
            Err(error) => fail(error),
        }
    }

    fn semop(set: c_int, operations: *mut libc::sembuf, count: usize) -> c_int {
        // SAFETY: the caller passes this many operations.
        operate(set, unsafe { slice::from_raw_parts(operations, count) }, None)
    }

    fn semtimedop(set: c_int, operations: *mut libc::sembuf, count: usize, timeout: *const timespec) -> c_int {
        // SAFETY: the caller passes a duration or nothing.
        let timeout = unsafe { timeout.as_ref() };
        if timeout.is_some_and(|timeout| !time::is_valid(timeout) || timeout.tv_sec < 0) {
            return fail(libc::EINVAL);
        }
        let timeout = timeout.map(time::duration);
        // SAFETY: the caller passes this many operations.
        operate(set, unsafe { slice::from_raw_parts(operations, count) }, timeout)
    }

    /// Variadic in C: the union, when there is one, arrives as a word.
    fn semctl(set: c_int, number: c_int, command: c_int, argument: usize) -> c_int {
        let Some(count) = run::with(|run| run.sets.size(set)) else { return fail(libc::EINVAL) };
        let one = semaphore(set, number as u16);
        let is_of_set = (0..c_int::from(count)).contains(&number);
        let visible = |obj| {
            run::perform(Op::on_two(Kind::SysvTry, obj, whole(set)));
            run::with(|run| run.sets.size(set)).is_some()
        };
        match command {
            libc::SETVAL | libc::GETVAL if !is_of_set => fail(libc::EINVAL),
            libc::SETVAL => {
                let value = u64::from(argument as u32);
                if value > MAX_SYSV {
                    return fail(libc::ERANGE);
                }
                if !visible(one) {
                    return fail(libc::EINVAL);
                }
                run::with(|run| run.objects.set_semaphore(one, value));
                0
            }
            libc::GETVAL => {
                if !visible(one) {
                    return fail(libc::EINVAL);
                }
                run::with(|run| run.objects.semaphore(one)) as c_int
            }
            libc::SETALL | libc::GETALL => {
                if !visible(semaphore(set, 0)) {
                    return fail(libc::EINVAL);
                }
                // SAFETY: the caller passes room for one value for each semaphore.
                let values = unsafe { slice::from_raw_parts_mut(argument as *mut u16, count.into()) };
                if command == libc::SETALL && values.iter().any(|value| u64::from(*value) > MAX_SYSV) {
                    return fail(libc::ERANGE);
                }
                for (number, value) in (0..count).zip(values) {
                    let one = semaphore(set, number);
                    match command {
                        libc::SETALL => run::with(|run| run.objects.set_semaphore(one, (*value).into())),
                        _ => *value = run::with(|run| run.objects.semaphore(one)) as u16,
                    }
                }
                0
            }
            libc::IPC_RMID => {
                if !visible(semaphore(set, 0)) {
                    return fail(libc::EINVAL);
                }
                run::with(|run| {
                    run.sets.remove(set);
                    run.objects.remove_set(whole(set));
                });
                0
            }
            other => worker::give_up(&format!("`semctl` with command {other} is not simulated")),
        }
    }
}

/// System V names are not addresses; this bit is set in no user address.
const SYSV: u64 = 1 << 62;
/// Set in the names of keys.
const KEY: u64 = 1 << 52;

fn semaphore(set: c_int, number: u16) -> ObjId {
    ObjId::at(SYSV | (set as u64) << 16 | u64::from(number))
}

fn key_object(key: c_int) -> ObjId {
    ObjId::at(SYSV | KEY | u64::from(key as u32) << 16)
}

fn whole(set: c_int) -> ObjId {
    semaphore(set, u16::MAX)
}

fn operate(set: c_int, operations: &[libc::sembuf], timeout: Option<u64>) -> c_int {
    let Some(count) = run::with(|run| run.sets.size(set)) else { return fail(libc::EINVAL) };
    if operations.is_empty() || operations.iter().any(|operation| operation.sem_num >= count) {
        return fail(if operations.is_empty() { libc::EINVAL } else { libc::EFBIG });
    }
    let has = |flag: c_int| operations.iter().any(|op| c_int::from(op.sem_flg) & flag != 0);
    if has(SEM_UNDO) && run::with(|run| run.has_forked()) {
        run::with(|run| run.uncontrolled("`SEM_UNDO`: what a process leaves undone is not taken back when it ends"));
    }
    let may_fail = has(libc::IPC_NOWAIT) || timeout.is_some();
    let outcome = match operations {
        [operation] if !may_fail => run::perform(single(set, operation)),
        _ => {
            let changes = operations.iter().map(|op| (semaphore(set, op.sem_num), i64::from(op.sem_op))).collect();
            run::with(|run| run.objects.plan_together(run.current(), changes));
            let kind = if may_fail { Kind::SysvTry } else { Kind::SysvSet };
            let first = semaphore(set, operations[0].sem_num);
            run::perform(Op { kind, obj: first, obj2: whole(set), arg: operations.len() as u64 })
        }
    };
    if run::with(|run| run.sets.size(set)).is_none() {
        return fail(libc::EIDRM);
    }
    match outcome {
        Outcome::TooMuch => {
            run::with(|run| {
                run.uncontrolled("which of several posts finds a System V semaphore at its greatest value")
            });
            fail(libc::ERANGE)
        }
        Outcome::Refused => {
            if !has(libc::IPC_NOWAIT) {
                pass_time(timeout.unwrap_or(0));
            }
            fail(libc::EAGAIN)
        }
        _ => 0,
    }
}

fn single(set: c_int, operation: &libc::sembuf) -> Op {
    let kind = match operation.sem_op {
        0 => Kind::SysvZero,
        change if change < 0 => Kind::SysvWait,
        _ => Kind::SysvPost,
    };
    let count = u64::from(operation.sem_op.unsigned_abs());
    Op { kind, obj: semaphore(set, operation.sem_num), obj2: whole(set), arg: count }
}

impl Sets {
    fn get(&mut self, key: c_int, count: c_int, flags: c_int) -> Result<c_int, c_int> {
        let known = self.0.iter().position(|set| set.is_some_and(|(other, _)| other == key));
        let exclusive = libc::IPC_CREAT | libc::IPC_EXCL;
        match known {
            Some(_) if key != libc::IPC_PRIVATE && flags & exclusive == exclusive => Err(libc::EEXIST),
            Some(set) if key != libc::IPC_PRIVATE => match self.size(set as c_int) {
                Some(size) if count > c_int::from(size) => Err(libc::EINVAL),
                _ => Ok(set as c_int),
            },
            _ if key != libc::IPC_PRIVATE && flags & libc::IPC_CREAT == 0 => Err(libc::ENOENT),
            _ if count <= 0 => Err(libc::EINVAL),
            _ => {
                let size = u16::try_from(count).map_err(|_| libc::EINVAL)?;
                self.0.push(Some((key, size)));
                Ok(self.0.len() as c_int - 1)
            }
        }
    }

    fn size(&self, set: c_int) -> Option<u16> {
        let (_, size) = (*self.0.get(usize::try_from(set).ok()?)?)?;
        Some(size)
    }

    fn remove(&mut self, set: c_int) {
        self.0[set as usize] = None;
    }

    /// Forgets all sets.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
