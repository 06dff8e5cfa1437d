//! The evaluator's memory: the state being changed, the stack of frames, and access to places in both.

use burnside_diag::Span;
use burnside_ir::{
    FunctionId, Layout, Local, LocalId, LocalMode, Model, Operand, Place, PlaceBase, Projection, PropertyId, Type,
    TypeId, Types, UNDEFINED,
};

use crate::frame::{Frame, FrameLayout, Location};
use crate::step::Limits;
use crate::{Fault, FaultKind};

/// Why evaluation ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(Box<Fault>),
    /// An assumption does not hold: the step is left out.
    Pruned,
}

pub(crate) type Eval<T> = Result<T, Stop>;

static NO_LOCALS: FrameLayout = FrameLayout { offsets: Vec::new(), size: 0 };

/// A model with everything about it that evaluation needs and that never changes.
pub(crate) struct Program<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: &'m Layout,
    pub(crate) frames: Frames,
    pub(crate) limits: Limits,
    /// By type: whether quantifiers over it look at every value, also when the answer is known.
    pub(crate) strict: Vec<bool>,
}

/// Frame layouts of everything that has locals.
pub(crate) struct Frames {
    pub(crate) rules: Vec<FrameLayout>,
    pub(crate) starts: Vec<FrameLayout>,
    pub(crate) properties: Vec<FrameLayout>,
    functions: Vec<FrameLayout>,
}

impl<'m> Program<'m> {
    pub(crate) fn new(model: &'m Model, layout: &'m Layout, limits: Limits) -> Self {
        let frame = |locals: &[Local]| FrameLayout::new(&model.types, locals);
        let frames = Frames {
            rules: model.rules.iter().map(|rule| frame(&rule.locals)).collect(),
            starts: model.starts.iter().map(|start| frame(&start.locals)).collect(),
            properties: model.properties.iter().map(|property| frame(&property.locals)).collect(),
            functions: model.functions.iter().map(|function| frame(&function.locals)).collect(),
        };
        Self { model, layout, frames, limits, strict: vec![false; model.types.iter().len()] }
    }

    pub(crate) fn function_frame(&self, function: FunctionId) -> &FrameLayout {
        &self.frames.functions[function.index()]
    }
}

/// Slots that are kept for the next step. Deep calls take gigabytes, and there are several interpreters.
const MOST_KEPT: usize = 1 << 20;

/// Memory that is used again from step to step, and what steps leave behind besides a state.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The state as changed so far.
    pub(crate) globals: Vec<i64>,
    pub(crate) stack: Vec<i64>,
    /// Cover points reached.
    pub(crate) covered: Vec<PropertyId>,
    /// What `put` statements printed, if anyone listens.
    pub(crate) output: Option<String>,
}

/// One evaluation in progress.
pub(crate) struct Machine<'p, 's> {
    pub(crate) program: &'p Program<'p>,
    pub(crate) scratch: &'s mut Scratch,
    /// Whether the globals may differ from the state that evaluation started from.
    pub(crate) dirty: bool,
    pub(crate) frame: Frame<'p>,
    pub(crate) call_depth: u32,
    /// Slots of the frames and results of the calls in progress.
    pub(crate) call_slots: u32,
}

impl<'p, 's> Machine<'p, 's> {
    pub(crate) fn new(program: &'p Program<'p>, scratch: &'s mut Scratch, state: &[i64]) -> Self {
        scratch.globals.clear();
        scratch.globals.extend_from_slice(state);
        scratch.stack.clear();
        scratch.stack.shrink_to(MOST_KEPT);
        let frame = Frame { layout: &NO_LOCALS, locals: &[], base: 0, result: None };
        Self { program, scratch, dirty: false, frame, call_depth: 0, call_slots: 0 }
    }

    /// Starts the outermost frame with all locals undefined.
    pub(crate) fn enter(&mut self, layout: &'p FrameLayout, locals: &'p [Local]) {
        self.scratch.stack.clear();
        self.scratch.stack.resize(layout.size as usize, UNDEFINED);
        self.enter_again(layout, locals);
    }

    /// Returns to the outermost frame, whose contents are in place, also out of the middle of a call.
    pub(crate) fn enter_again(&mut self, layout: &'p FrameLayout, locals: &'p [Local]) {
        self.frame = Frame { layout, locals, base: 0, result: None };
        self.call_depth = 0;
        self.call_slots = 0;
    }

    fn model(&self) -> &'p Model {
        self.program.model
    }

    pub(crate) fn types(&self) -> &'p Types {
        &self.program.model.types
    }

    pub(crate) fn fault<T>(&self, kind: FaultKind, span: Span, message: impl Into<String>) -> Eval<T> {
        Err(Stop::Fault(Box::new(Fault { kind, span, message: message.into() })))
    }

    pub(crate) fn load(&self, at: Location) -> i64 {
        match at {
            Location::Global(at) => self.scratch.globals[at],
            Location::Stack(at) => self.scratch.stack[at],
        }
    }

    pub(crate) fn store(&mut self, at: Location, value: i64) {
        match at {
            Location::Global(at) => {
                self.dirty = true;
                self.scratch.globals[at] = value;
            }
            Location::Stack(at) => self.scratch.stack[at] = value,
        }
    }

    pub(crate) fn local_at(&self, local: LocalId) -> Location {
        let at = self.frame.base + self.frame.layout.offsets[local.index()] as usize;
        match self.frame.locals[local.index()].mode {
            LocalMode::Owned => Location::Stack(at),
            LocalMode::Reference => Location::from_value(self.scratch.stack[at]),
            LocalMode::Slot => panic!("verified places do not start at a slot local"),
        }
    }

    pub(crate) fn set_local(&mut self, local: LocalId, value: i64) {
        let at = self.frame.base + self.frame.layout.offsets[local.index()] as usize;
        self.scratch.stack[at] = value;
    }

    pub(crate) fn bind(&mut self, local: LocalId, at: Location) {
        self.set_local(local, at.to_value());
    }

    /// Finds the first slot of a place.
    pub(crate) fn locate(&mut self, place: &'p Place) -> Eval<Location> {
        let (mut at, mut ty) = match &place.base {
            PlaceBase::Global(global) => {
                (Location::Global(self.program.layout.global(*global) as usize), self.model().global(*global).ty)
            }
            PlaceBase::Local(local) => (self.local_at(*local), self.frame.locals[local.index()].ty),
            PlaceBase::Call(call) => {
                let at = self.call(call)?;
                let result = self.model().function(call.function).result;
                (Location::Stack(at), result.expect("a function used as a place has a result"))
            }
        };
        for projection in &place.path {
            (at, ty) = self.project(at, ty, projection, place.span)?;
        }
        Ok(at)
    }

    fn project(
        &mut self,
        at: Location,
        ty: TypeId,
        projection: &'p Projection,
        span: Span,
    ) -> Eval<(Location, TypeId)> {
        match (projection, self.types().get(ty)) {
            (Projection::Field(field), Type::Record { fields }) => {
                let offset = self.types().field_offset(ty, *field) as usize;
                Ok((at.offset(offset), fields[*field as usize].ty))
            }
            (Projection::Index(index), &Type::Array { index: index_ty, element }) => {
                let value = self.eval(index)?;
                let shape = self.types().shape(index_ty);
                if !shape.admits(value) {
                    let value = self.types().value_name(index.ty, value);
                    let message = format!("index `{value}` is outside {}", self.bounds(index_ty));
                    return self.fault(FaultKind::IndexOutOfRange, index.span, message);
                }
                let stride = self.types().shape(element).n_slots as usize;
                Ok((at.offset((value - shape.lo) as usize * stride), element))
            }
            (Projection::Element(slot), &Type::Multiset { element, .. }) => {
                let presence = self.present_slot(at, ty, self.slot_number(*slot), span)?;
                Ok((presence.offset(1), element))
            }
            (Projection::Numbered(number), &Type::Multiset { element, .. }) => {
                let value = self.eval(number)?;
                let presence = self.present_slot(at, ty, value, number.span)?;
                Ok((presence.offset(1), element))
            }
            (projection, ty) => panic!("verified places do not project {ty:?} by {projection:?}"),
        }
    }

    /// The position of the element that a slot local names.
    pub(crate) fn slot_number(&self, slot: LocalId) -> i64 {
        self.scratch.stack[self.frame.base + self.frame.layout.offsets[slot.index()] as usize]
    }

    /// The presence slot of an element that must be there.
    fn present_slot(&self, at: Location, multiset: TypeId, number: i64, span: Span) -> Eval<Location> {
        let (capacity, stride) = self.multiset(multiset);
        let presence = at.offset(number.clamp(0, capacity as i64 - 1) as usize * stride);
        if !(0..capacity as i64).contains(&number) || self.load(presence) == UNDEFINED {
            let message = "there is no such element in the multiset (any more)";
            return self.fault(FaultKind::EmptySlot, span, message);
        }
        Ok(presence)
    }

    /// Capacity and distance between elements.
    pub(crate) fn multiset(&self, ty: TypeId) -> (usize, usize) {
        let (capacity, element) = self.types().get(ty).multiset().expect("verified: a multiset");
        (capacity as usize, self.types().shape(element).n_slots as usize + 1)
    }

    /// The numbers of the occupied slots of a multiset.
    pub(crate) fn occupied(&self, at: Location, multiset: TypeId) -> Vec<i64> {
        let (capacity, stride) = self.multiset(multiset);
        (0..capacity).filter(|slot| self.load(at.offset(slot * stride)) != UNDEFINED).map(|slot| slot as i64).collect()
    }

    /// Stores an operand at `at`, which has type `ty`; `span` is blamed for values that do not fit.
    pub(crate) fn store_operand(&mut self, at: Location, ty: TypeId, operand: &'p Operand, span: Span) -> Eval<()> {
        match operand {
            Operand::Value(expr) => {
                let value = self.eval(expr)?;
                self.check_range(value, ty, expr.ty, span)?;
                self.store(at, value);
            }
            Operand::Copy(place) => {
                let from = self.locate(place)?;
                if self.types().shape(ty).scalar {
                    let value = self.load(from);
                    self.check_range(value, ty, place.ty, span)?;
                    self.store(at, value);
                } else {
                    self.copy_aggregate(from, place.ty, at, ty, span)?;
                }
            }
            Operand::Undefined => self.fill(at, ty, UNDEFINED),
        }
        Ok(())
    }

    /// Source and target may overlap. Corresponding scalars may have different ranges, so each is checked.
    fn copy_aggregate(&mut self, from: Location, from_ty: TypeId, to: Location, to_ty: TypeId, span: Span) -> Eval<()> {
        let n_slots = self.types().shape(to_ty).n_slots as usize;
        if from_ty != to_ty {
            let values: Vec<i64> = (0..n_slots).map(|slot| self.load(from.offset(slot))).collect();
            self.check_slots(&values, &mut 0, to_ty, span)?;
        }
        let Scratch { globals, stack, .. } = &mut *self.scratch;
        match (from, to) {
            (Location::Global(from), Location::Global(to)) => globals.copy_within(from..from + n_slots, to),
            (Location::Stack(from), Location::Stack(to)) => stack.copy_within(from..from + n_slots, to),
            (Location::Global(from), Location::Stack(to)) => {
                stack[to..to + n_slots].copy_from_slice(&globals[from..from + n_slots]);
            }
            (Location::Stack(from), Location::Global(to)) => {
                globals[to..to + n_slots].copy_from_slice(&stack[from..from + n_slots]);
            }
        }
        self.dirty |= matches!(to, Location::Global(_));
        Ok(())
    }

    fn check_slots(&self, values: &[i64], slot: &mut usize, ty: TypeId, span: Span) -> Eval<()> {
        match self.types().get(ty) {
            &Type::Array { index, element } => (0..self.types().shape(index).cardinality())
                .try_for_each(|_| self.check_slots(values, slot, element, span)),
            Type::Record { fields } => {
                fields.iter().try_for_each(|field| self.check_slots(values, slot, field.ty, span))
            }
            &Type::Multiset { capacity, element } => (0..capacity).try_for_each(|_| {
                *slot += 1;
                self.check_slots(values, slot, element, span)
            }),
            _ => {
                *slot += 1;
                self.check_range(values[*slot - 1], ty, ty, span)
            }
        }
    }

    /// A fault unless `value` (undefined, or of type `from`) is admitted by the scalar type `ty`.
    pub(crate) fn check_range(&self, value: i64, ty: TypeId, from: TypeId, span: Span) -> Eval<()> {
        if value == UNDEFINED || self.types().shape(ty).admits(value) {
            return Ok(());
        }
        let value = self.types().value_name(from, value);
        self.fault(FaultKind::ValueOutOfRange, span, format!("value `{value}` is outside {}", self.bounds(ty)))
    }

    /// A type's name, and where it begins and ends unless the name says so.
    fn bounds(&self, ty: TypeId) -> String {
        let name = self.types().type_name(ty);
        match self.types().get(ty) {
            Type::Range { lo, hi } if name != format!("{lo}..{hi}") => format!("`{name}`, which is `{lo}..{hi}`"),
            _ => format!("`{name}`"),
        }
    }

    fn fill(&mut self, at: Location, ty: TypeId, value: i64) {
        for slot in 0..self.types().shape(ty).n_slots as usize {
            self.store(at.offset(slot), value);
        }
    }

    /// Sets every scalar to its least value and empties multisets.
    pub(crate) fn clear(&mut self, at: Location, ty: TypeId) {
        match self.types().get(ty) {
            &Type::Array { index, element } => {
                let stride = self.types().shape(element).n_slots as usize;
                for slot in 0..self.types().shape(index).cardinality() as usize {
                    self.clear(at.offset(slot * stride), element);
                }
            }
            Type::Record { fields } => {
                let mut at = at;
                for field in fields {
                    self.clear(at, field.ty);
                    at = at.offset(self.types().shape(field.ty).n_slots as usize);
                }
            }
            Type::Multiset { .. } => self.fill(at, ty, UNDEFINED),
            _ => self.store(at, self.types().shape(ty).lo),
        }
    }

    /// The name of the variable a place starts from, for messages.
    pub(crate) fn place_name(&self, place: &Place) -> String {
        let base = match &place.base {
            PlaceBase::Global(global) => &self.model().global(*global).name,
            PlaceBase::Local(local) => &self.frame.locals[local.index()].name,
            PlaceBase::Call(call) => &self.model().function(call.function).name,
        };
        let suffix = if place.path.is_empty() { "" } else { "…" };
        format!("{base}{suffix}")
    }
}
