//! `Barrier`.

use crate::runtime::{create, perform};
use burnside_stateless::{Kind, ObjId, Object, Op};

/// A meeting point; see [`std::sync::Barrier`].
#[derive(Debug)]
pub struct Barrier {
    obj: ObjId,
}

/// Whether the thread was the one of its round that leads.
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether this thread leads: here, the last to arrive.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for rounds of `n`. To be called inside a run.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let size = u32::try_from(n.max(1)).expect("rounds of fewer than 2^32 threads");
        Self { obj: create(Some(Object::Barrier { size, n_arrived: 0 })) }
    }

    /// Waits until the round is full.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let arrival = perform(Op::on(Kind::BarrierArrive, self.obj));
        perform(Op::with(Kind::BarrierLeave, self.obj, arrival / 2));
        BarrierWaitResult(arrival % 2 == 1)
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }
}
