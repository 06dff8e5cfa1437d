//! Values of statics and thread-locals.

use super::with;
use std::any::Any;
use std::rc::Rc;

/// The value of a static in this run, made by the first thread that asks.
// SOUND: who that is depends on the schedule, so what is made in it is named by the static and not by its maker.
pub(crate) fn static_value(key: usize, init: impl FnOnce() -> Rc<dyn Any>) -> Rc<dyn Any> {
    if let Some(value) = with(|run| run.statics.get(&key).cloned()) {
        return value;
    }
    let outer = with(|run| run.making_static.replace((key as u64, 0)));
    let value = init();
    with(|run| {
        run.making_static = outer;
        run.statics.insert(key, Rc::clone(&value));
    });
    value
}

/// The value of a thread-local of the running thread.
pub(crate) fn local(key: usize) -> Option<Rc<dyn Any>> {
    with(|run| {
        let me = run.current;
        run.thread(me).locals.get(&key).cloned()
    })
}

/// Sets a thread-local of the running thread.
pub(crate) fn set_local(key: usize, value: Rc<dyn Any>) {
    with(|run| {
        let me = run.current;
        run.thread(me).locals.insert(key, value);
    });
}

/// Drops the thread-locals of the running thread, which is about to end.
pub(crate) fn drop_locals() {
    loop {
        let next = with(|run| {
            let me = run.current;
            let thread = run.thread(me);
            let key = thread.locals.keys().min().copied()?;
            thread.locals.remove(&key)
        });
        if next.is_none() {
            return;
        }
        drop(next);
    }
}
