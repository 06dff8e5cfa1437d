//! A counting semaphore, which `std` lacks.

use crate::runtime::{create, look, only_looked, perform};
use burnside_stateless::{Kind, ObjId, Object, Op};

/// A counting semaphore. Which of several waiting threads goes first is explored.
#[derive(Debug)]
pub struct Semaphore {
    obj: ObjId,
}

impl Semaphore {
    /// A semaphore with `permits` to take. To be called inside a run.
    #[must_use]
    pub fn new(permits: usize) -> Self {
        Self { obj: create(Some(Object::Sem(permits as u64))) }
    }

    /// Waits for a permit and takes it.
    #[track_caller]
    pub fn acquire(&self) {
        perform(Op::on(Kind::SemWait, self.obj));
    }

    /// Takes a permit if there is one; says whether there was.
    #[track_caller]
    pub fn try_acquire(&self) -> bool {
        let taken = perform(Op::on(Kind::SemTryWait, self.obj)) == 1;
        if !taken {
            only_looked(self.obj);
        }
        taken
    }

    /// Adds a permit.
    #[track_caller]
    pub fn release(&self) {
        perform(Op::on(Kind::SemPost, self.obj));
    }

    /// How many permits there are.
    #[track_caller]
    #[must_use]
    pub fn available_permits(&self) -> usize {
        look(Op::on(Kind::SemValue, self.obj)) as usize
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }
}
