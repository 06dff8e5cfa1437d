//! The way from a variable to one of its slots, and what is kept there.

use crate::typed::{ChanTypeId, Frame, Index, Place, ProcId, Program, Scope, StructId, Type, VarId};

/// Everything that holds values of one kind: the elements of an array are one cell, and so are the same fields of all
/// structures of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Cell {
    /// A variable; without a process type, a global one.
    Var(Option<ProcId>, VarId),
    /// A field of a structure.
    Field(StructId, usize),
    /// A field of the messages of a kind of channel.
    Message(ChanTypeId, usize),
}

/// One step from a whole to a part.
pub(super) enum Step<'a> {
    /// The element that an index names.
    Index(&'a Index),
    /// The element with this number.
    Element(u32),
    /// A field, by number.
    Field(usize),
}

/// The frame that a place lies in.
pub(super) fn frame_of(program: &Program, proc: Option<ProcId>, scope: Scope) -> (&Frame, Option<ProcId>) {
    match (scope, proc) {
        (Scope::Local, Some(proc)) => (&program.procs[proc.index()].frame, Some(proc)),
        (Scope::Local, None) | (Scope::Global, _) => (&program.globals, None),
    }
}

/// The way to a place from its variable, and the cell it leads to.
pub(super) fn walk<'a>(program: &Program, proc: Option<ProcId>, place: &'a Place) -> (Vec<Step<'a>>, Cell) {
    let (frame, owner) = frame_of(program, proc, place.scope);
    let var = &frame.vars[place.var.index()];
    let mut walk = Walk {
        program,
        indices: place.indices.iter().collect(),
        offset: place.slot - var.slot,
        steps: Vec::new(),
        cell: Cell::Var(owner, place.var),
    };
    walk.level(var.length, var.stride, var.ty);
    (walk.steps, walk.cell)
}

/// The cell of a slot of a frame.
pub(super) fn cell_of_slot(program: &Program, proc: Option<ProcId>, frame: &Frame, slot: u32) -> Cell {
    let (steps, cell) = way_to_slot(program, proc, frame, slot);
    drop(steps);
    cell
}

/// The way to a slot of a frame from its variable.
pub(super) fn way_to_slot(
    program: &Program,
    proc: Option<ProcId>,
    frame: &Frame,
    slot: u32,
) -> (Vec<Step<'static>>, Cell) {
    let id = frame.slots[slot as usize].var;
    let var = &frame.vars[id.index()];
    let mut walk =
        Walk { program, indices: Vec::new(), offset: slot - var.slot, steps: Vec::new(), cell: Cell::Var(proc, id) };
    walk.level(var.length, var.stride, var.ty);
    (walk.steps, walk.cell)
}

struct Walk<'p, 'a> {
    program: &'p Program,
    /// Indices not used yet, the outermost first.
    indices: Vec<&'a Index>,
    /// How far the slot lies behind the part reached.
    offset: u32,
    steps: Vec<Step<'a>>,
    cell: Cell,
}

impl Walk<'_, '_> {
    fn level(&mut self, length: Option<u32>, stride: u32, ty: Type) {
        if let Some(length) = length {
            let element = self.offset / stride.max(1);
            self.offset %= stride.max(1);
            let matches = |index: &&Index| index.length == length && index.stride == stride;
            let step = match self.indices.first().copied().filter(matches) {
                Some(index) => {
                    self.indices.remove(0);
                    Step::Index(index)
                }
                None => Step::Element(element),
            };
            self.steps.push(step);
        }
        if let Type::Struct(id) = ty {
            let structure = &self.program.structs[id.index()];
            let at = structure.fields.iter().rposition(|field| field.offset <= self.offset).unwrap_or(0);
            let field = &structure.fields[at];
            self.offset -= field.offset;
            self.steps.push(Step::Field(at));
            self.cell = Cell::Field(id, at);
            self.level(field.length, slots_of(self.program, field.ty), field.ty);
        }
    }
}

/// Slots of one value.
pub(super) fn slots_of(program: &Program, ty: Type) -> u32 {
    match ty {
        Type::Scalar(_) => 1,
        Type::Struct(id) => program.structs[id.index()].n_slots,
    }
}
