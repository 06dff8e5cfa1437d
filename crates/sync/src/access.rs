//! Operations on atomics: labels, clocks and values, whichever memory model is asked for.

use crate::memory::atomics::{acquires, releases};
use crate::memory::{Request, What};
use crate::runtime::{create, look, note_race, only_looked, perform, perform_weak, with};
use burnside_stateless::{Kind, ObjId, Op};
use std::sync::atomic::Ordering;

/// Names a new atomic.
pub(crate) fn create_atomic(value: u64) -> ObjId {
    let obj = create(None);
    with(|run| {
        if run.memory.is_active() {
            run.memory.add_location(run.current(), obj, value);
        }
    });
    obj
}

fn is_weak() -> bool {
    with(|run| run.memory.is_weak())
}

/// Reads. `real` is the value of the newest write.
#[track_caller]
pub(crate) fn load(obj: ObjId, order: Ordering, real: impl FnOnce() -> u64) -> u64 {
    assert!(!releases(order) || order == Ordering::SeqCst, "there is no such thing as a release load");
    let request = Request { obj, what: What::Load, order };
    if !is_weak() {
        look(Op::on(Kind::Read, obj));
        follow(&request);
        return real();
    }
    with(|run| run.memory.refresh(obj, real));
    let at = perform_weak(Kind::Load, request);
    only_looked(obj);
    with(|run| run.memory.carry_out(run.current(), &request, at, |_| None).0)
}

/// Writes; says whether the write is the newest, so that the real cell has to change too.
#[track_caller]
pub(crate) fn store(obj: ObjId, order: Ordering, value: u64, real: impl FnOnce() -> u64) -> bool {
    assert!(!acquires(order) || order == Ordering::SeqCst, "there is no such thing as an acquire store");
    let request = Request { obj, what: What::Store, order };
    if !is_weak() {
        perform(Op::on(Kind::Write, obj));
        follow(&request);
        return true;
    }
    with(|run| run.memory.refresh(obj, real));
    let at = perform_weak(Kind::Store, request);
    with(|run| run.memory.carry_out(run.current(), &request, at, |_| Some(value)).1)
}

/// Reads and writes in one step, or only reads if `change` gives nothing, which under the weak model it must do exactly
/// if the value is not what `request` expects. Returns the value read, and the value of the newest write if that changed.
#[track_caller]
pub(crate) fn update(
    request: Request,
    real: impl Fn() -> u64,
    change: impl Fn(u64) -> Option<u64>,
) -> (u64, Option<u64>) {
    if !is_weak() {
        perform(Op::on(Kind::Rmw, request.obj));
        let old = real();
        let new = change(old);
        let what = if new.is_some() { request.what } else { What::Load };
        follow(&Request { what, ..failing(request, new.is_none()) });
        if new.is_none() {
            only_looked(request.obj);
        }
        return (old, new);
    }
    with(|run| run.memory.refresh(request.obj, &real));
    let at = perform_weak(Kind::Update, request);
    let mut new = None;
    let (old, is_newest) = with(|run| {
        run.memory.carry_out(run.current(), &request, at, |old| {
            new = change(old);
            new
        })
    });
    if new.is_none() {
        only_looked(request.obj);
    }
    (old, new.filter(|_| is_newest))
}

/// The request as the load it turned out to be.
fn failing(request: Request, failed: bool) -> Request {
    match request.what {
        What::UpdateIf(_, failure) if failed => Request { order: failure, ..request },
        _ => request,
    }
}

/// Keeps the clocks of an operation that took the newest write, as all do under sequential consistency.
fn follow(request: &Request) {
    with(|run| {
        if !run.memory.is_active() {
            return;
        }
        let me = run.current();
        if !run.memory.knows(request.obj) {
            run.memory.add_location(me, request.obj, 0);
        }
        let at = run.memory.newest(request);
        // Whether an update writes has been decided by the real value.
        let what = if matches!(request.what, What::UpdateIf(..)) { What::Update } else { request.what };
        run.memory.carry_out(me, &Request { what, ..*request }, at, |_| Some(0));
    });
}

/// An exclusive borrow.
pub(crate) fn lend(obj: ObjId) {
    if !crate::runtime::is_active() {
        return;
    }
    let race = with(|run| if run.memory.is_weak() { run.memory.lend(run.current(), obj) } else { None });
    if let Some(message) = race {
        note_race(message);
    }
}

/// A fence.
pub(crate) fn fence(order: Ordering) {
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    with(|run| run.memory.fence(run.current(), order));
}
