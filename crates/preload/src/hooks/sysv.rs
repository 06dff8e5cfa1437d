//! System V semaphores, simulated: no set outlives its execution.

use std::ffi::{c_int, c_long};
use std::slice;

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::semaphore::fail;
use crate::objects::Outcome;
use crate::real::hook;
use crate::run;

/// The sets that exist: key and number of semaphores, by set.
#[derive(Default)]
pub(crate) struct Sets(Vec<Option<(c_int, u16)>>);

hook! {
    fn semget(key: c_int, count: c_int, flags: c_int) -> c_int {
        match run::with(|run| run.sets.get(key, count, flags)) {
            Ok(set) => set,
            Err(error) => fail(error),
        }
    }

    fn semop(set: c_int, operations: *mut libc::sembuf, count: usize) -> c_int {
        // SAFETY: the caller passes this many operations.
        operate(set, unsafe { slice::from_raw_parts(operations, count) })
    }

    fn semtimedop(set: c_int, operations: *mut libc::sembuf, count: usize, _timeout: *const timespec) -> c_int {
        // SAFETY: the caller passes this many operations.
        operate(set, unsafe { slice::from_raw_parts(operations, count) })
    }

    /// Variadic in C: the union, when there is one, arrives as a word.
    fn semctl(set: c_int, number: c_int, command: c_int, argument: usize) -> c_int {
        let Some(count) = run::with(|run| run.sets.size(set)) else { return fail(libc::EINVAL) };
        let visible = |number| run::perform(Op::on_two(Kind::SysvSet, semaphore(set, number), whole(set)));
        match command {
            libc::SETVAL => {
                visible(number as u16);
                let value = argument as u32;
                run::with(|run| run.objects.set_semaphore(semaphore(set, number as u16), value.into()));
                0
            }
            libc::GETVAL => {
                visible(number as u16);
                run::with(|run| run.objects.semaphore(semaphore(set, number as u16))) as c_int
            }
            libc::SETALL => {
                visible(0);
                // SAFETY: the caller passes one value for each semaphore.
                let values = unsafe { slice::from_raw_parts(argument as *const u16, count.into()) };
                for (number, value) in (0..count).zip(values) {
                    run::with(|run| run.objects.set_semaphore(semaphore(set, number), (*value).into()));
                }
                0
            }
            libc::IPC_RMID => {
                visible(0);
                run::with(|run| run.sets.remove(set));
                0
            }
            _ => fail(libc::EINVAL),
        }
    }
}

/// System V names are not addresses; this bit is set in no user address.
const SYSV: u64 = 1 << 62;

fn semaphore(set: c_int, number: u16) -> ObjId {
    ObjId::at(SYSV | (set as u64) << 16 | u64::from(number))
}

fn whole(set: c_int) -> ObjId {
    semaphore(set, u16::MAX)
}

fn operate(set: c_int, operations: &[libc::sembuf]) -> c_int {
    let Some(count) = run::with(|run| run.sets.size(set)) else { return fail(libc::EINVAL) };
    if operations.is_empty() || operations.iter().any(|operation| operation.sem_num >= count) {
        return fail(libc::EFBIG);
    }
    if let [operation] = operations
        && c_long::from(operation.sem_flg) & c_long::from(libc::IPC_NOWAIT) == 0
    {
        run::perform(single(set, operation));
        return 0;
    }
    let changes = operations.iter().map(|op| (semaphore(set, op.sem_num), i64::from(op.sem_op))).collect();
    let may_fail = operations.iter().any(|op| c_int::from(op.sem_flg) & libc::IPC_NOWAIT != 0);
    run::with(|run| run.objects.plan_together(run.current(), changes, may_fail));
    let first = semaphore(set, operations[0].sem_num);
    let op = Op { kind: Kind::SysvSet, obj: first, obj2: whole(set), arg: operations.len() as u64 };
    match run::perform(op) {
        Outcome::Refused => fail(libc::EAGAIN),
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
        match known {
            Some(_) if key != libc::IPC_PRIVATE && flags & libc::IPC_EXCL != 0 => Err(libc::EEXIST),
            Some(set) if key != libc::IPC_PRIVATE => Ok(set as c_int),
            _ if key != libc::IPC_PRIVATE && flags & libc::IPC_CREAT == 0 => Err(libc::ENOENT),
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
