//! Names of objects that are the same in every execution.
//!
//! An object in the program's data has the same address always, so the address
//! is its name. Elsewhere an address may depend on who allocated first; an
//! object that was initialised by a call is then named after the thread that
//! did it and how many it had initialised before. What was never initialised
//! by a call (a C++ mutex on the heap) keeps its address.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::slice;

use burnside_stateless::{ObjId, ThreadId};
use rustc_hash::FxHashMap;

/// From addresses to names.
#[derive(Default)]
pub(crate) struct Names {
    /// Where the program and its libraries are loaded.
    images: Vec<Range<usize>>,
    created: FxHashMap<usize, ObjId>,
    /// Objects each thread has initialised.
    n_created: Vec<u32>,
}

impl Names {
    /// Names for a program that has been loaded.
    pub(crate) fn new() -> Names {
        let mut names = Names::default();
        // SAFETY: the callback gets the pointer passed here, during the call only.
        unsafe { libc::dl_iterate_phdr(Some(add_image), (&raw mut names.images).cast()) };
        names
    }

    /// Forgets what an execution created.
    pub(crate) fn reset(&mut self) {
        self.created.clear();
        self.n_created.clear();
    }

    /// The name of the object at `address`.
    pub(crate) fn of(&self, address: usize) -> ObjId {
        match self.created.get(&address) {
            Some(name) => *name,
            None => ObjId::at(address as u64),
        }
    }

    /// `creator` initialises an object at `address`.
    pub(crate) fn create(&mut self, creator: ThreadId, address: usize) -> ObjId {
        if self.is_in_image(address) {
            return ObjId::at(address as u64);
        }
        let index = creator.index();
        if self.n_created.len() <= index {
            self.n_created.resize(index + 1, 0);
        }
        let name = ObjId::created(creator, self.n_created[index]);
        self.n_created[index] += 1;
        self.created.insert(address, name);
        name
    }

    /// Is `address` in the data of the program or its libraries?
    pub(crate) fn is_in_image(&self, address: usize) -> bool {
        self.images.iter().any(|image| image.contains(&address))
    }

    /// The object at `address` is no more.
    pub(crate) fn forget(&mut self, address: usize) {
        self.created.remove(&address);
    }

    /// Where the objects named by their creator lie.
    pub(crate) fn places(&self) -> Vec<(ObjId, u64)> {
        let mut places: Vec<_> = self.created.iter().map(|(at, name)| (*name, *at as u64)).collect();
        places.sort_unstable();
        places
    }
}

unsafe extern "C" fn add_image(object: *mut libc::dl_phdr_info, _size: usize, images: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a complete description.
    let object = unsafe { &*object };
    // SAFETY: it holds `dlpi_phnum` headers.
    let headers = unsafe { slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    // SAFETY: the vector `Names::new` passed, which nobody else uses now.
    let images = unsafe { &mut *images.cast::<Vec<Range<usize>>>() };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
        let start = (object.dlpi_addr + header.p_vaddr) as usize;
        images.push(start..start + header.p_memsz as usize);
    }
    0
}
