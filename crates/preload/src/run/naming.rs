//! Names of the objects at the addresses the program passes.

use std::ffi::{CStr, c_int};
use std::hash::{Hash, Hasher};

use burnside_stateless::ObjId;
use rustc_hash::FxHasher;

use super::{Run, with};

/// A semaphore with a name. Where it lies stays the same in all executions.
pub(crate) struct NamedSemaphore {
    name: Box<CStr>,
    /// What it is called in labels, in every process and execution.
    object: ObjId,
    /// A `sem_t` that nobody looks into; its address is what counts.
    place: Box<[u64; 4]>,
    exists: bool,
}

impl NamedSemaphore {
    fn address(&self) -> usize {
        self.place.as_ptr().addr()
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

/// What the semaphore with this name is called in labels.
pub(crate) fn semaphore_name(name: &CStr) -> ObjId {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
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
        let known = self.named.iter().position(|semaphore| *semaphore.name == *name);
        let index = known.unwrap_or_else(|| {
            let place = Box::new([0; 4]);
            let object = semaphore_name(name);
            self.named.push(NamedSemaphore { name: name.into(), object, place, exists: false });
            self.named.len() - 1
        });
        let semaphore = &mut self.named[index];
        match (semaphore.exists, flags & libc::O_CREAT != 0, flags & libc::O_EXCL != 0) {
            (true, true, true) => return Err(libc::EEXIST),
            (false, false, _) => return Err(libc::ENOENT),
            (true, ..) => {}
            (false, true, _) => {
                semaphore.exists = true;
                self.objects.set_semaphore(semaphore.object, value);
            }
        }
        Ok(semaphore.address())
    }

    /// `sem_unlink`: was there a semaphore of this name?
    pub(crate) fn unlink_semaphore(&mut self, name: &CStr) -> bool {
        let found = self.named.iter_mut().find(|semaphore| *semaphore.name == *name && semaphore.exists);
        found.is_some_and(|semaphore| std::mem::replace(&mut semaphore.exists, false))
    }

    /// No named semaphore survives from one execution to the next.
    pub(super) fn unlink_all_semaphores(&mut self) {
        for semaphore in &mut self.named {
            semaphore.exists = false;
        }
    }
}

/// Above all addresses; System V semaphores have another bit.
const NAMED: u64 = 1 << 61;
/// User addresses have 47 bits.
const PROCESS_SHIFT: u32 = 48;
