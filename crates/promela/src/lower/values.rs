//! Which values each cell can hold, and which cells hold values of the same kind.
//!
//! A model that tells its instances apart by a number passes that number on and indexes with it, and does not compute with
//! it. So the values of a cell are followed through assignments, messages and parameters, as sets: a cell with few values
//! gets a type of its own, shared by all cells between which values flow. Everything else is a number of its declared width.
//!
// SOUND: sets only grow, from the constants, process numbers and channels that occur, along every flow of values, until
// nothing changes; what is computed is computed for all combinations. A set that grows too large counts as all values.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Cell, cell_of_slot, walk};
use crate::eval;
use crate::flow::Action;
use crate::load::Model;
use crate::reference::Created;
use crate::typed::{
    Basic, Builtin, ChanTypeId, Expr, ExprKind, InitValue, Pattern, Place, ProcId, Program, Run, Scalar, Target, Type,
};

/// Larger sets of values count as all values.
const MOST_VALUES: usize = 64;

/// Values; all, if there are too many to list.
pub(super) type Values = Option<BTreeSet<i32>>;

/// What is known about the cells of a model.
#[derive(Clone)]
pub(super) struct Cells {
    /// The values of a cell that is listed here; a cell that is not holds nothing but its first value.
    values: BTreeMap<Cell, Values>,
    /// The kinds of channels whose numbers a cell may hold.
    chans: BTreeMap<Cell, BTreeSet<ChanTypeId>>,
    /// Between which cells values flow, or are compared.
    links: BTreeSet<(Cell, Cell)>,
    /// Cells that something is stored in after their frame has come into being.
    pub(super) written: BTreeSet<Cell>,
    /// Whether somebody asks how many processes there are.
    pub(super) asks_count: bool,
    /// Whether somebody asks where another process stands, what it holds or whether it can move.
    pub(super) asks_others: bool,
}

impl Cells {
    pub(super) fn new(model: &Model, created: &Created) -> Self {
        let mut cells = Self {
            values: BTreeMap::new(),
            chans: BTreeMap::new(),
            links: BTreeSet::new(),
            written: BTreeSet::new(),
            asks_count: false,
            asks_others: false,
        };
        loop {
            let before = (cells.size(), cells.links.len());
            Scan { model, program: &model.program, created, cells: &mut cells }.all();
            if (cells.size(), cells.links.len()) == before {
                return cells;
            }
        }
    }

    /// Grows with every change.
    fn size(&self) -> usize {
        let values = self.values.values().map(|values| values.as_ref().map_or(MOST_VALUES + 2, |set| set.len() + 1));
        values.sum::<usize>() + self.chans.values().map(BTreeSet::len).sum::<usize>()
    }

    /// The values of a cell.
    pub(super) fn values(&self, cell: Cell) -> Values {
        self.values.get(&cell).cloned().unwrap_or_else(|| Some(BTreeSet::from([0])))
    }

    /// The kinds of channels that a cell may name.
    pub(super) fn chans(&self, cell: Cell) -> impl Iterator<Item = ChanTypeId> {
        self.chans.get(&cell).into_iter().flatten().copied()
    }

    /// The cells in groups: values flow within a group, and none of its cells holds too many values to list.
    pub(super) fn groups(&self, cells: impl Iterator<Item = Cell>) -> BTreeMap<Cell, Cell> {
        let mut leaders: BTreeMap<Cell, Cell> =
            cells.filter(|&cell| self.values(cell).is_some()).map(|cell| (cell, cell)).collect();
        fn leader(leaders: &BTreeMap<Cell, Cell>, mut cell: Cell) -> Option<Cell> {
            while let Some(&next) = leaders.get(&cell) {
                if next == cell {
                    return Some(cell);
                }
                cell = next;
            }
            None
        }
        for &(one, other) in &self.links {
            if let (Some(one), Some(other)) = (leader(&leaders, one), leader(&leaders, other)) {
                leaders.insert(one.max(other), one.min(other));
            }
        }
        leaders
            .keys()
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|cell| Some((cell, leader(&leaders, cell)?)))
            .collect()
    }

    fn add(&mut self, cell: Cell, values: &Values) {
        let known = self.values.entry(cell).or_insert_with(|| Some(BTreeSet::new()));
        match (known.as_mut(), values) {
            (Some(set), Some(more)) => {
                set.extend(more);
                if set.len() > MOST_VALUES {
                    *known = None;
                }
            }
            (Some(_), None) => *known = None,
            (None, _) => {}
        }
    }

    fn link(&mut self, one: Cell, other: Cell) {
        if one != other {
            self.links.insert((one.min(other), one.max(other)));
        }
    }
}

/// What an expression may be.
struct Source {
    values: Values,
    /// Cells whose value it may be as it is.
    cells: Vec<Cell>,
    chans: BTreeSet<ChanTypeId>,
}

impl Source {
    fn plain(values: Values) -> Self {
        Self { values, cells: Vec::new(), chans: BTreeSet::new() }
    }
}

struct Scan<'a> {
    model: &'a Model,
    program: &'a Program,
    created: &'a Created,
    cells: &'a mut Cells,
}

impl Scan<'_> {
    fn all(&mut self) {
        self.frame(None);
        for index in 0..self.program.procs.len() {
            let proc = ProcId(index as u32);
            self.frame(Some(proc));
            let model = self.model;
            if let Some(provided) = &model.program.procs[index].provided {
                self.look(Some(proc), provided);
            }
            for step in &model.flow.procs[index].actions {
                if let Action::Basic(basic) = &step.action {
                    self.basic(proc, basic);
                }
            }
        }
    }

    /// What the variables of a frame start with.
    fn frame(&mut self, proc: Option<ProcId>) {
        let program = self.program;
        let (frame, n_params) = match proc {
            Some(proc) => (&program.procs[proc.index()].frame, program.procs[proc.index()].n_params),
            None => (&program.globals, 0),
        };
        for slot in 0..frame.slots.len() as u32 {
            let cell = cell_of_slot(program, proc, frame, slot);
            let given = proc.filter(|_| slot < n_params && self.created.complete);
            match given {
                Some(proc) => {
                    let values = self.created.args.get(&(proc, slot as usize)).cloned().unwrap_or_default();
                    self.cells.add(cell, &Some(values));
                }
                None if frame.inits.iter().any(|init| init.slot == slot) => {}
                None => self.cells.add(cell, &Some(BTreeSet::from([0]))),
            }
        }
        for init in &frame.inits {
            let cell = cell_of_slot(program, proc, frame, init.slot);
            let scalar = frame.slots[init.slot as usize].scalar;
            match &init.value {
                InitValue::Expr(expr) => {
                    let source = self.source(proc, expr);
                    self.flow(source, cell, scalar);
                }
                InitValue::NewChan(ty) => {
                    let made = self.created.made.get(&(proc, init.slot)).filter(|_| self.created.complete);
                    let numbers = made.map(|made| made.iter().map(|&index| index as i32 + 1).collect());
                    let source = Source { values: numbers, cells: Vec::new(), chans: BTreeSet::from([*ty]) };
                    self.flow(source, cell, scalar);
                }
            }
        }
    }

    fn basic(&mut self, proc: ProcId, basic: &Basic) {
        let me = Some(proc);
        match basic {
            Basic::Condition(expr) | Basic::Assert(expr) | Basic::Printm(expr) => self.look(me, expr),
            Basic::Assign(target, expr) => {
                let source = self.source(me, expr);
                self.store(me, source, target);
            }
            Basic::DeclareStruct(_) => {}
            Basic::Send { chan, args, .. } => {
                let sources: Vec<Source> = args.iter().map(|arg| self.source(me, arg)).collect();
                for ty in self.channels(me, chan) {
                    let fields = &self.program.chan_types[ty.index()].fields;
                    for (at, &scalar) in fields.iter().enumerate() {
                        let none = Source::plain(Some(BTreeSet::from([0])));
                        let source = sources.get(at).unwrap_or(&none);
                        let copy = Source {
                            values: source.values.clone(),
                            cells: source.cells.clone(),
                            chans: source.chans.clone(),
                        };
                        self.flow(copy, Cell::Message(ty, at), scalar);
                    }
                }
            }
            Basic::Receive { chan, pattern, .. } => self.pattern(me, chan, pattern),
            Basic::Printf { args, .. } => args.iter().for_each(|arg| self.look(me, arg)),
            Basic::SetPriority(pid, priority) => {
                self.look(me, pid);
                self.look(me, priority);
            }
        }
    }

    fn pattern(&mut self, me: Option<ProcId>, chan: &Place, pattern: &[Pattern]) {
        for ty in self.channels(me, chan) {
            let n_fields = self.program.chan_types[ty.index()].fields.len();
            for (at, field) in pattern.iter().enumerate() {
                let cell = Cell::Message(ty, at);
                match field {
                    Pattern::Match(expr) => {
                        let source = self.source(me, expr);
                        if at < n_fields {
                            source.cells.iter().for_each(|&other| self.cells.link(cell, other));
                        }
                    }
                    Pattern::Store(target) => {
                        let source = match at < n_fields {
                            true => self.of_cell(cell),
                            false => Source::plain(Some(BTreeSet::from([0]))),
                        };
                        self.store(me, source, target);
                    }
                }
            }
        }
    }

    /// The kinds of channels that a place may name.
    fn channels(&mut self, me: Option<ProcId>, chan: &Place) -> Vec<ChanTypeId> {
        let cell = walk(self.program, me, chan).1;
        chan.indices.iter().for_each(|index| self.look(me, &index.expr));
        self.cells.chans(cell).collect()
    }

    fn store(&mut self, me: Option<ProcId>, source: Source, target: &Target) {
        if let Target::Place(place) = target {
            let cell = walk(self.program, me, place).1;
            place.indices.iter().for_each(|index| self.look(me, &index.expr));
            self.cells.written.insert(cell);
            self.flow(source, cell, place.scalar);
        }
    }

    fn flow(&mut self, source: Source, cell: Cell, scalar: Scalar) {
        let stored = source.values.map(|set| set.iter().map(|&value| scalar.store(value)).collect());
        let full = |scalar: Scalar| match scalar {
            Scalar::Bit | Scalar::Bool => Some(BTreeSet::from([0, 1])),
            _ => None,
        };
        self.cells.add(cell, &stored.or_else(|| full(scalar)));
        for other in source.cells {
            self.cells.link(cell, other);
        }
        if !source.chans.is_empty() {
            self.cells.chans.entry(cell).or_default().extend(source.chans);
        }
    }

    fn of_cell(&self, cell: Cell) -> Source {
        let known = self.cells.values.get(&cell);
        Source {
            // Nothing has been stored there yet, as far as is known.
            values: known.cloned().unwrap_or_else(|| Some(BTreeSet::new())),
            cells: vec![cell],
            chans: self.cells.chans(cell).collect(),
        }
    }

    /// Looks at an expression for what is compared in it.
    fn look(&mut self, me: Option<ProcId>, expr: &Expr) {
        self.source(me, expr);
    }

    fn pids(&self, proc: ProcId) -> Values {
        let numbers = (0..).zip(&self.created.procs).filter(|(_, procs)| procs.contains(&proc)).map(|(pid, _)| pid);
        self.created.complete.then(|| numbers.collect())
    }

    fn source(&mut self, me: Option<ProcId>, expr: &Expr) -> Source {
        let truth = || Source::plain(Some(BTreeSet::from([0, 1])));
        match &expr.kind {
            ExprKind::Const(value) => Source::plain(Some(BTreeSet::from([*value]))),
            ExprKind::Read(place) => {
                place.indices.iter().for_each(|index| self.look(me, &index.expr));
                let cell = walk(self.program, me, place).1;
                self.of_cell(cell)
            }
            ExprKind::Builtin(Builtin::Pid) => Source::plain(me.and_then(|proc| self.pids(proc))),
            ExprKind::Builtin(builtin @ (Builtin::NrPr | Builtin::Last | Builtin::Priority)) => {
                self.cells.asks_count |= *builtin == Builtin::NrPr;
                Source::plain(None)
            }
            ExprKind::Unary(operator, inner) => {
                let inner = self.source(me, inner);
                let values = inner.values.map(|set| set.iter().map(|&value| eval::unary(*operator, value)).collect());
                Source::plain(values)
            }
            ExprKind::Binary(operator, left, right) => {
                use crate::ast::BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
                let (left, right) = (self.source(me, left), self.source(me, right));
                match operator {
                    Equal | NotEqual => {
                        for &one in &left.cells {
                            right.cells.iter().for_each(|&other| self.cells.link(one, other));
                        }
                        truth()
                    }
                    And | Or | Greater | GreaterEqual | Less | LessEqual => truth(),
                    _ => Source::plain(combine(*operator, &left.values, &right.values)),
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.look(me, condition);
                let (yes, no) = (self.source(me, yes), self.source(me, no));
                let values = yes.values.zip(no.values).map(|(yes, no)| yes.union(&no).copied().collect());
                let cells = yes.cells.into_iter().chain(no.cells).collect();
                Source { values, cells, chans: yes.chans.union(&no.chans).copied().collect() }
            }
            ExprKind::Run(run) => {
                self.run(me, run);
                Source::plain(self.pids(run.proc))
            }
            ExprKind::Chan(_, place) => {
                self.channels(me, place);
                Source::plain(None)
            }
            ExprKind::Poll { chan, pattern, .. } => {
                self.pattern_looked_at(me, chan, pattern);
                truth()
            }
            ExprKind::Timeout | ExprKind::NonProgress => truth(),
            ExprKind::RemoteLabel { .. } => {
                self.cells.asks_others = true;
                truth()
            }
            ExprKind::Enabled(inner) => {
                self.cells.asks_others = true;
                self.look(me, inner);
                truth()
            }
            ExprKind::PcValue(inner) | ExprKind::GetPriority(inner) => {
                self.cells.asks_others = true;
                self.look(me, inner);
                Source::plain(None)
            }
            ExprKind::RemoteVar { proc, place, .. } => {
                self.cells.asks_others = true;
                let cell = walk(self.program, Some(*proc), place).1;
                let source = self.of_cell(cell);
                // A process that is not there gives zero.
                let values = source.values.map(|mut set| {
                    set.insert(0);
                    set
                });
                Source { values, ..source }
            }
        }
    }

    fn pattern_looked_at(&mut self, me: Option<ProcId>, chan: &Place, pattern: &[Pattern]) {
        for ty in self.channels(me, chan) {
            for (at, field) in pattern.iter().enumerate() {
                if let Pattern::Match(expr) = field {
                    let source = self.source(me, expr);
                    source.cells.iter().for_each(|&other| self.cells.link(Cell::Message(ty, at), other));
                }
            }
        }
    }

    fn run(&mut self, me: Option<ProcId>, run: &Run) {
        let frame = &self.program.procs[run.proc.index()].frame;
        for (slot, arg) in (0..).zip(&run.args) {
            let source = self.source(me, arg);
            let Some(found) = frame.slots.get(slot as usize) else { continue };
            let cell = cell_of_slot(self.program, Some(run.proc), frame, slot);
            if self.created.complete {
                // The values are known from what comes into being; a counter that runs through them need not be.
                let narrow = source.cells.iter().filter(|&&other| self.cells.values(other).is_some());
                for other in narrow.copied().collect::<Vec<_>>() {
                    self.cells.link(cell, other);
                }
                if !source.chans.is_empty() {
                    self.cells.chans.entry(cell).or_default().extend(source.chans);
                }
            } else {
                self.flow(source, cell, found.scalar);
            }
        }
    }
}

fn combine(operator: crate::ast::BinaryOp, left: &Values, right: &Values) -> Values {
    let (left, right) = (left.as_ref()?, right.as_ref()?);
    let mut found = BTreeSet::new();
    for &one in left {
        for &other in right {
            found.extend(eval::binary(operator, one, other));
        }
    }
    (found.len() <= MOST_VALUES).then_some(found)
}

/// The cells of all variables and messages, with what they keep.
pub(super) fn all_cells(program: &Program) -> BTreeMap<Cell, Scalar> {
    let mut found = BTreeMap::new();
    let procs = program.procs.iter().enumerate().map(|(index, proc)| (Some(ProcId(index as u32)), &proc.frame));
    for (proc, frame) in procs.chain([(None, &program.globals)]) {
        for slot in 0..frame.slots.len() as u32 {
            found.insert(cell_of_slot(program, proc, frame, slot), frame.slots[slot as usize].scalar);
        }
    }
    for (index, ty) in program.chan_types.iter().enumerate() {
        for (at, &scalar) in ty.fields.iter().enumerate() {
            found.insert(Cell::Message(ChanTypeId(index as u32), at), scalar);
        }
    }
    for (index, structure) in program.structs.iter().enumerate() {
        for (at, field) in structure.fields.iter().enumerate() {
            if let Type::Scalar(scalar) = field.ty {
                let cell = Cell::Field(crate::typed::StructId(index as u32), at);
                let scalar = match (scalar, field.length) {
                    (Scalar::Bit | Scalar::Bool, Some(_)) => Scalar::Byte,
                    _ => scalar,
                };
                found.entry(cell).or_insert(scalar);
            }
        }
    }
    found
}
