//! Names of the objects at the addresses the program passes.

use std::ffi::{CStr, c_int};
use std::hash::{Hash, Hasher};

use burnside_stateless::ObjId;
use rustc_hash::FxHasher;

use super::{Run, with};

/// A semaphore with a name. Where it lies stays the same in all executions.
pub(crate) struct NamedSemaphore {
    /// What its name is called in labels.
    name: ObjId,
    /// What it is called in labels, in every process and execution.
    object: ObjId,
    /// A `sem_t` that nobody looks into; its address is what counts.
    place: Box<[u64; 4]>,
    /// Has it been opened in this execution?
    is_open: bool,
    /// Can it be found by its name?
    exists: bool,
}

impl NamedSemaphore {
    fn address(&self) -> usize {
        self.place.as_ptr().addr()
    }

    fn is_called(&self, name: ObjId) -> bool {
        self.name == name
    }
}

/// The name of the object at `address`.
pub(crate) fn name(address: usize) -> ObjId {
    with(|run| {
        if let Some(semaphore) = run.named.iter().find(|semaphore| semaphore.address() == address) {
            return semaphore.object;
        }
        let place = run.place(address);
        run.names.of(place)
    })
}

/// The running thread initialises an object at `address`.
pub(crate) fn create(address: usize) -> ObjId {
    with(|run| {
        let creator = run.current();
        let place = run.place(address);
        let name = run.names.create(creator, place);
        run.objects.forget(name);
        name
    })
}

/// The running thread destroys the object at `address`.
pub(crate) fn forget(address: usize) {
    let name = name(address);
    with(|run| {
        let place = run.place(address);
        run.objects.forget(name);
        run.names.forget(place);
    });
}

/// What the name of a semaphore is called in labels, and the first semaphore of that name.
pub(crate) fn semaphore_name(name: &CStr) -> ObjId {
    nth_semaphore(name, 0)
}

/// The `nth` semaphore of this name in an execution: a name that was unlinked may be given to another.
fn nth_semaphore(name: &CStr, nth: usize) -> ObjId {
    let mut hasher = FxHasher::default();
    let name = name.to_bytes();
    let slashes = name.iter().take_while(|byte| **byte == b'/').count();
    (&name[slashes..], nth).hash(&mut hasher);
    ObjId::at(NAMED | (hasher.finish() % NAMED))
}

impl Run {
    /// Where an object is: every process of the program has objects of its own
    /// at an address, except for those they share.
    fn place(&mut self, address: usize) -> usize {
        match self.shared.contains(&address) {
            true => address,
            false => address | self.me().process << PROCESS_SHIFT,
        }
    }

    /// The object at `address` is shared by the processes of the program.
    pub(crate) fn share(&mut self, address: usize) {
        if !self.shared.contains(&address) {
            self.shared.push(address);
        }
        self.note_shared();
    }

    /// Processes that share objects share memory.
    pub(super) fn note_shared(&mut self) {
        if self.has_forked() && !self.shared.is_empty() {
            self.uncontrolled("memory that processes share is not watched");
        }
    }

    /// `sem_open`: the address of the semaphore, or an error number.
    pub(crate) fn open_semaphore(&mut self, name: &CStr, flags: c_int, value: u64) -> Result<usize, c_int> {
        let object = semaphore_name(name);
        let existing = self.named.iter().find(|semaphore| semaphore.exists && semaphore.is_called(object));
        match (existing, flags & libc::O_CREAT != 0, flags & libc::O_EXCL != 0) {
            (Some(_), true, true) => Err(libc::EEXIST),
            (None, false, _) => Err(libc::ENOENT),
            (Some(semaphore), ..) => Ok(semaphore.address()),
            (None, true, _) => Ok(self.create_semaphore(name, value)),
        }
    }

    /// A semaphore of this name that is none of those there are.
    fn create_semaphore(&mut self, name: &CStr, value: u64) -> usize {
        let called = semaphore_name(name);
        let nth = self.named.iter().filter(|semaphore| semaphore.is_open && semaphore.is_called(called)).count();
        let object = nth_semaphore(name, nth);
        let known = self.named.iter().position(|semaphore| semaphore.object == object);
        let index = known.unwrap_or_else(|| {
            let place = Box::new([0; 4]);
            self.named.push(NamedSemaphore { name: called, object, place, is_open: false, exists: false });
            self.named.len() - 1
        });
        self.objects.set_semaphore(object, value);
        let semaphore = &mut self.named[index];
        (semaphore.is_open, semaphore.exists) = (true, true);
        semaphore.address()
    }

    /// Is this the address of a semaphore with a name?
    pub(crate) fn is_named(&self, address: usize) -> bool {
        self.named.iter().any(|semaphore| semaphore.is_open && semaphore.address() == address)
    }

    /// `sem_unlink`: was there a semaphore of this name?
    pub(crate) fn unlink_semaphore(&mut self, name: &CStr) -> bool {
        let object = semaphore_name(name);
        let found = self.named.iter_mut().find(|semaphore| semaphore.exists && semaphore.is_called(object));
        found.is_some_and(|semaphore| std::mem::replace(&mut semaphore.exists, false))
    }

    /// No named semaphore survives from one execution to the next.
    pub(super) fn unlink_all_semaphores(&mut self) {
        for semaphore in &mut self.named {
            (semaphore.is_open, semaphore.exists) = (false, false);
        }
    }
}

/// Above all addresses; System V semaphores have another bit.
const NAMED: u64 = 1 << 61;
/// User addresses have 47 bits.
const PROCESS_SHIFT: u32 = 48;
