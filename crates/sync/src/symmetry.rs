//! Saying which threads are interchangeable.
//!
//! Nothing is recognised by itself. Whether two closures have captured the same cannot be asked of them: their contents have
//! no equality, and their bytes may not be looked at. And their creator holds handles that give it their results one by
//! one. A [`Pool`] makes workers that are alike by construction, with numbers and objects of their own. Everything else
//! has to be declared; [`crate::Checker::check_symmetry`] runs permuted schedules to refute a wrong declaration, and an
//! assertion must not single out one of the interchangeable threads.

mod pool;

pub use pool::{Me, Own, Pool, Workers};

use crate::runtime::declare;
use crate::sync::{Barrier, Condvar, Mutex, Once, RwLock, Semaphore};
use crate::thread::{self, JoinHandle};
use burnside_stateless::{Family, Member, ObjId, Shape, ThreadId};

/// An object of this crate, for declarations.
pub trait Object {
    /// The name of the object in labels.
    fn id(&self) -> ObjId;
}

macro_rules! objects {
    ($($name:ident$(<$param:ident>)?,)*) => {
        $(
            impl$(<$param: ?Sized>)? Object for $name$(<$param>)? {
                fn id(&self) -> ObjId {
                    $name::id(self)
                }
            }
        )*
    };
}

objects! {
    Mutex<T>,
    RwLock<T>,
    Condvar,
    Barrier,
    Once,
    Semaphore,
}

/// Any two of these threads may be exchanged: same code, same captured objects, nothing that tells them apart.
pub fn interchange<T>(threads: &[JoinHandle<T>]) {
    let threads: Vec<ThreadId> = threads.iter().map(|handle| handle.id()).collect();
    declare(Family::interchange(&threads));
}

/// These threads form a ring that may be rotated, each with the object in the same place of `objects`.
pub fn ring<T>(threads: &[JoinHandle<T>], objects: &[&dyn Object]) {
    let threads: Vec<ThreadId> = threads.iter().map(|handle| handle.id()).collect();
    let objects: Vec<ObjId> = objects.iter().map(|object| object.id()).collect();
    declare(Family::ring(&threads, &objects));
}

/// Threads and objects that are exchanged together.
pub type Group<'a, T> = (&'a [JoinHandle<T>], &'a [&'a dyn Object]);

/// Any two of these groups may be exchanged as wholes.
pub fn interchange_groups<T>(groups: &[Group<'_, T>]) {
    let member = |(threads, objects): &Group<'_, T>| Member {
        threads: threads.iter().map(|handle| handle.id()).collect(),
        objects: objects.iter().map(|object| object.id()).collect(),
    };
    declare(Family { shape: Shape::Interchange, members: groups.iter().map(member).collect() });
}

/// Creates `n` threads that run clones of the same closure and declares them interchangeable.
#[track_caller]
pub fn replicas<F, T>(n: usize, body: F) -> Vec<JoinHandle<T>>
where
    F: Fn() -> T + Clone + Send + 'static,
    T: Send + 'static,
{
    let handles: Vec<JoinHandle<T>> = (0..n).map(|_| thread::spawn(body.clone())).collect();
    interchange(&handles);
    handles
}
