//! Pools of workers that nobody can tell apart.
//!
//! Workers with numbers of their own are usually alike all the same: the number says which slot is theirs and nothing
//! more. Here the number is a [`Me`], which can be compared with another and used to find what is the worker's
//! [`Own`], so that exchanging two workers changes nothing but names, and of `n!` orders one is explored. Whoever needs to
//! know more asks for the number: the search then begins anew without the symmetry, and says at which line it was given up.
//!
//! What is assumed and not checked is that clones of a closure are alike, that the program does not use addresses as
//! numbers, and that it counts nothing in variables this crate does not know.
//!
//! ```
//! use burnside_sync::{check, sync::{Arc, Mutex}, symmetry::Pool};
//!
//! let report = check(|| {
//!     let total = Arc::new(Mutex::new(0));
//!     let mut pool = Pool::new(4);
//!     let results = pool.own(|| Mutex::new(None));
//!     let (sum, slots) = (Arc::clone(&total), results.clone());
//!     pool.start(move |me| {
//!         let mut total = sum.lock().unwrap();
//!         *total += 1;
//!         *slots.of(me).lock().unwrap() = Some(*total);
//!     })
//!     .join();
//!     assert_eq!(results.sorted(|slot| slot.lock().unwrap().unwrap()), [1, 2, 3, 4]);
//! });
//! assert_eq!(report.stats.n_executions, 1);
//! ```

use crate::runtime::{self, is_active, with};
use crate::thread::{self, JoinHandle};
use burnside_stateless::{Family, Member, ObjId, Shape, ThreadId};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Who a worker is: the same as itself, and that is all others may know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Me {
    pool: ObjId,
    number: usize,
}

impl Me {
    /// The number, from 0. Whoever asks can tell workers apart: the pool's symmetry is given up.
    #[track_caller]
    #[must_use]
    pub fn number(self) -> usize {
        tell_apart("the number of a worker is asked for", Location::caller());
        self.number
    }
}

impl fmt::Debug for Me {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Me")
    }
}

fn tell_apart(why: &str, place: &Location<'_>) {
    if is_active() {
        with(|run| run.references.tell_apart(format!("{why} at {}:{}", place.file(), place.line())));
    }
}

/// Workers about to be created.
pub struct Pool {
    name: ObjId,
    n: usize,
    /// Per worker the objects that are its own.
    objects: Vec<Vec<ObjId>>,
    joined: Arc<AtomicBool>,
}

/// One value for each worker of a pool.
pub struct Own<T> {
    pool: ObjId,
    values: Arc<[T]>,
    /// Whether the workers have ended.
    joined: Arc<AtomicBool>,
}

/// Workers at work.
#[must_use = "workers that nobody waits for may not have ended when the run does"]
pub struct Workers<T> {
    handles: Vec<JoinHandle<T>>,
    joined: Arc<AtomicBool>,
}

impl Pool {
    /// `n` workers, to be created by [`Pool::start`]. To be called inside a run.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { name: runtime::create(None), n, objects: vec![Vec::new(); n], joined: Arc::default() }
    }

    /// A value for each worker. They must be made alike: with as many objects each.
    #[track_caller]
    pub fn own<T>(&mut self, mut make: impl FnMut() -> T) -> Own<T> {
        let mut values = Vec::with_capacity(self.n);
        let mut counts = Vec::with_capacity(self.n);
        for objects in &mut self.objects {
            let (value, made) = runtime::objects_made(&mut make);
            counts.push(made.len());
            objects.extend(made);
            values.push(value);
        }
        if counts.iter().any(|count| *count != counts[0]) {
            tell_apart("values for workers have different numbers of objects", Location::caller());
        }
        Own { pool: self.name, values: values.into(), joined: Arc::clone(&self.joined) }
    }

    /// Creates the workers. They run clones of `body`, each with its own [`Me`].
    // SOUND: workers have the same code and equal captured values, and differ in a `Me` that they can only compare, hand
    // on, and use to find an object that the exchange of two workers exchanges too. Whatever tells them apart otherwise
    // (their number, their thread's identity, values of others in order, results in order) ends the search. The
    // creator treats the values in order only after the last worker has ended, when nothing is left to prune, and gets
    // what it makes of them sorted.
    #[track_caller]
    pub fn start<T, F>(self, body: F) -> Workers<T>
    where
        T: Send + 'static,
        F: Fn(Me) -> T + Clone + Send + 'static,
    {
        let worker = |number: usize| {
            let (body, me) = (body.clone(), Me { pool: self.name, number });
            thread::spawn(move || body(me))
        };
        let handles: Vec<JoinHandle<T>> = (0..self.n).map(worker).collect();
        let threads: Vec<ThreadId> = handles.iter().map(JoinHandle::id).collect();
        let member = |(thread, objects): (&ThreadId, Vec<ObjId>)| Member { threads: vec![*thread], objects };
        let members = threads.iter().zip(self.objects).map(member).collect();
        runtime::declare_pool(&threads, Family { shape: Shape::Interchange, members });
        Workers { handles, joined: self.joined }
    }
}

impl<T> Own<T> {
    /// What is this worker's own.
    ///
    /// # Panics
    ///
    /// If the worker belongs to another pool.
    #[must_use]
    pub fn of(&self, me: Me) -> &T {
        assert!(me.pool == self.pool, "a worker of another pool");
        &self.values[me.number]
    }

    /// What `look` makes of each value, sorted. Before all workers have ended it gives the pool's symmetry up.
    #[track_caller]
    pub fn sorted<K: Ord>(&self, look: impl Fn(&T) -> K) -> Vec<K> {
        if !self.joined.load(SeqCst) {
            tell_apart("values of workers are looked at one after the other", Location::caller());
        }
        let mut keys: Vec<K> = self.values.iter().map(look).collect();
        keys.sort_unstable();
        keys
    }

    /// All values in the order of their workers' numbers, which gives the pool's symmetry up.
    #[track_caller]
    #[must_use]
    pub fn in_order(&self) -> &[T] {
        tell_apart("values of workers are looked at in order", Location::caller());
        &self.values
    }
}

impl<T> Clone for Own<T> {
    fn clone(&self) -> Self {
        Self { pool: self.pool, values: Arc::clone(&self.values), joined: Arc::clone(&self.joined) }
    }
}

impl<T: Ord> Workers<T> {
    /// Waits for all workers and returns their results, sorted.
    ///
    /// # Panics
    ///
    /// If one of them panicked.
    #[track_caller]
    pub fn join(self) -> Vec<T> {
        let mut results = self.wait();
        results.sort_unstable();
        results
    }
}

impl<T> Workers<T> {
    /// Waits for all workers and returns their results in the order of their numbers, which gives the symmetry up.
    ///
    /// # Panics
    ///
    /// If one of them panicked.
    #[track_caller]
    pub fn join_in_order(self) -> Vec<T> {
        tell_apart("results of workers are asked for in order", Location::caller());
        self.wait()
    }

    #[track_caller]
    fn wait(self) -> Vec<T> {
        let results = self.handles.into_iter().map(|handle| handle.join().expect("a worker panicked")).collect();
        self.joined.store(true, SeqCst);
        results
    }
}
