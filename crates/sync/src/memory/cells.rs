//! Plain accesses and the races between them.

use super::Memory;
use super::Name;
use burnside_stateless::{ObjId, ThreadId};
use std::panic::Location;

/// How a plain cell is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read,
    Write,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    name: Name,
    place: &'static Location<'static>,
}

/// The accesses to a cell that later ones are compared with.
#[derive(Default, Debug)]
pub(super) struct Accesses {
    write: Option<Access>,
    /// The last read of each thread since the write.
    reads: Vec<Access>,
}

impl Memory {
    /// A plain cell comes to be, written by its creator.
    pub(crate) fn add_cell(&mut self, thread: ThreadId, obj: ObjId, place: &'static Location<'static>) {
        self.keep_clocks();
        let name = self.tick(thread, obj);
        self.cells.insert(obj, Accesses { write: Some(Access { name, place }), reads: Vec::new() });
    }

    /// A plain access; returns what is wrong with it.
    // SOUND: every earlier access that conflicts is hb-before the last write, or is the last write, or a read since; so
    // if all of those are hb-before this access, it races with none. Whether they are depends on clocks alone, which are
    // the same in all linearisations of a trace, so a race that some run has is found in the run of its trace.
    pub(crate) fn access(
        &mut self,
        thread: ThreadId,
        obj: ObjId,
        how: Use,
        place: &'static Location<'static>,
    ) -> Option<String> {
        let name = self.tick(thread, obj);
        let seen = |access: &Access| self.has_seen(thread, access.name);
        let accesses = self.cells.get(&obj)?;
        let write = accesses.write.as_ref().filter(|write| !seen(write));
        let read = accesses.reads.iter().find(|read| how == Use::Write && !seen(read));
        let race = write.map(|access| (Use::Write, *access)).or(read.map(|access| (Use::Read, *access)));
        let accesses = self.cells.get_mut(&obj)?;
        match how {
            Use::Write => *accesses = Accesses { write: Some(Access { name, place }), reads: Vec::new() },
            Use::Read => {
                accesses.reads.retain(|read| read.name.thread != thread);
                accesses.reads.push(Access { name, place });
            }
        }
        race.map(|(other, access)| describe(other, access, how, thread, place))
    }
}

fn describe(other: Use, access: Access, how: Use, thread: ThreadId, place: &Location<'_>) -> String {
    let word = |how| if how == Use::Read { "read" } else { "write" };
    format!(
        "data race: {} by thread {} at {}:{} and {} by thread {thread} at {}:{} are not ordered",
        word(other),
        access.name.thread,
        access.place.file(),
        access.place.line(),
        word(how),
        place.file(),
        place.line(),
    )
}
