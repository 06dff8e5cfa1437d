//! What is noted about threads that are, or may be meant to be, alike.

use super::{current, with};
use burnside_stateless::{Family, ObjId, ThreadId};
use std::panic::Location;

/// Declares workers of a pool to be alike, unless the program is known to tell them apart.
pub(crate) fn declare_pool(threads: &[ThreadId], family: Family) {
    with(|run| {
        run.pooled.extend(threads);
        if run.references.workers_are_alike() {
            run.cursor.as_mut().expect("present while the program runs").declare(family);
        }
    });
}

/// Notes that the identity of a thread, possibly a worker, is seen by the program.
pub(crate) fn identity_seen(thread: ThreadId, place: &Location<'_>) {
    with(|run| {
        if run.pooled.contains(&thread) {
            let why = format!("the identity of a worker's thread is asked for at {}:{}", place.file(), place.line());
            run.references.tell_apart(why);
        }
    });
}

/// Notes where a thread is created: several from one place may be meant to be alike.
pub(crate) fn note_spawn(place: &'static Location<'static>) {
    with(|run| {
        if run.spawned_at.contains(&place) {
            run.similar.get_or_insert(place);
        } else {
            run.spawned_at.push(place);
        }
    });
}

/// What `make` returns, and the names of the objects it has made.
pub(crate) fn objects_made<T>(make: impl FnOnce() -> T) -> (T, Vec<ObjId>) {
    let count = || {
        with(|run| {
            let me = run.current;
            run.thread(me).n_objects
        })
    };
    let (me, before) = (current(), count());
    let value = make();
    (value, (before + 1..=count()).map(|index| ObjId::created(me, index)).collect())
}
