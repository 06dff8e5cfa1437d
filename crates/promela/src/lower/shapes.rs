//! The state: which variables of the IR hold what a model has.
//!
//! A process type is a record, or an array of records where several processes may be of that type, indexed by their
//! numbers; its first field says where the process stands, and the first value of that means that there is no such process.
//! A kind of channel is a record of a length and its messages, or an array of them. What never changes is no part of the state.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use burnside_diag::Span;
use burnside_ir::{Field, Global, GlobalId, Type, TypeId, Types};

use super::paths::{Cell, slots_of};
use super::values::{Cells, all_cells};
use crate::flow::{Action, Automaton, Location};
use crate::load::Model;
use crate::reference::Created;
use crate::typed::{self, Basic, Frame, InitValue, Pattern, ProcId, Program, Scalar, StructId, Target, Var, VarId};

/// The field of a process that says where it stands.
pub(super) const AT: u32 = 0;
/// The fields of a channel.
pub(super) const LENGTH: u32 = 0;
pub(super) const MESSAGES: u32 = 1;

/// Where a variable is.
#[derive(Debug, Clone)]
pub(super) enum Home {
    /// A global variable of the IR.
    Global(GlobalId, TypeId),
    /// A field of the process's record.
    Field(u32),
    /// It never changes: the values of its elements.
    Constant(Vec<i64>, TypeId),
}

/// The processes of one type.
#[derive(Debug, Clone)]
pub(super) struct Processes {
    pub(super) global: GlobalId,
    /// The type of process numbers, where there may be several.
    pub(super) index: Option<TypeId>,
    /// The numbers they may have.
    pub(super) pids: BTreeSet<i64>,
    /// The type of places to stand at.
    pub(super) at: TypeId,
    /// The places that can be reached.
    pub(super) places: HashMap<Location, i64>,
    pub(super) vars: Vec<Home>,
    /// The field of the priority, if it matters.
    pub(super) priority: Option<(u32, TypeId)>,
    /// The field of the number that the process takes itself to have, if it can receive another.
    pub(super) own_pid: Option<(u32, TypeId)>,
}

/// Where the `trace` stands.
pub(super) struct Trace {
    pub(super) global: GlobalId,
    pub(super) ty: TypeId,
    pub(super) places: HashMap<Location, i64>,
}

/// Channels that are treated alike.
#[derive(Debug, Clone)]
pub(super) struct Family {
    /// What a message consists of.
    pub(super) scalars: Vec<Scalar>,
    pub(super) fields: Vec<TypeId>,
    pub(super) capacity: i64,
    /// The numbers they may have, from 1 on.
    pub(super) numbers: BTreeSet<i64>,
    /// The type of their numbers, where there are several.
    pub(super) index: Option<TypeId>,
    /// Where they are; a rendezvous is nowhere.
    pub(super) store: Option<Store>,
    /// Whether other channels may have the same numbers at other times.
    pub(super) is_shared: bool,
}

/// Where channels are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Store {
    pub(super) global: GlobalId,
    /// The type of their numbers, where there are several.
    pub(super) index: Option<TypeId>,
    pub(super) message: TypeId,
    pub(super) position: TypeId,
}

/// The whole state.
pub(super) struct Shapes {
    pub(super) types: Types,
    pub(super) globals: Vec<Global>,
    pub(super) procs: Vec<Option<Processes>>,
    pub(super) vars: Vec<Home>,
    pub(super) families: Vec<Family>,
    /// The family of each kind of channel, if such channels are made.
    pub(super) family_of: Vec<Option<usize>>,
    /// The type of each cell.
    pub(super) cells: BTreeMap<Cell, TypeId>,
    /// How many processes there are, if anybody needs to know.
    pub(super) count: Option<(GlobalId, TypeId)>,
    /// How many channels there are, if that changes in unforeseen ways.
    pub(super) n_chans: Option<(GlobalId, TypeId)>,
    /// Who has the exclusive right to move.
    pub(super) exclusive: Option<(GlobalId, TypeId)>,
    /// Who moved last.
    pub(super) last: Option<(GlobalId, TypeId)>,
    pub(super) trace: Option<Trace>,
}

/// What the state must have room for.
pub(super) struct Needs {
    pub(super) exclusive: bool,
    pub(super) count: bool,
    /// Whether process numbers are known in advance.
    pub(super) steady: bool,
}

pub(super) fn shapes(model: &Model, created: &Created, cells: &Cells, needs: &Needs) -> Shapes {
    let mut maker = Maker {
        model,
        program: &model.program,
        created,
        cells,
        types: Types::default(),
        globals: Vec::new(),
        ranges: HashMap::new(),
        of_cell: BTreeMap::new(),
        structs: Vec::new(),
    };
    maker.cell_types();
    maker.struct_types();
    let vars = maker.frame(None, &model.program.globals, |maker, var, ty| {
        let global = maker.global(var.name.clone(), ty, var.span);
        Home::Global(global, ty)
    });
    let procs = (0..model.program.procs.len()).map(|index| maker.processes(ProcId(index as u32))).collect();
    let (families, family_of) = maker.families();
    let most = created.procs.len() as i64;
    let nowhere = Span::NOWHERE;
    let pid = |maker: &mut Maker<'_>, name: &str| {
        let ty = maker.types.add(Some("process".to_owned()), Type::Range { lo: 0, hi: (most - 1).max(0) }, nowhere);
        (maker.global(name.to_owned(), ty, nowhere), ty)
    };
    let exclusive = needs.exclusive.then(|| pid(&mut maker, "exclusive"));
    let last = model.program.uses_last.then(|| pid(&mut maker, "_last"));
    let count = needs.count.then(|| {
        let ty = maker.types.add(None, Type::Range { lo: 0, hi: most }, nowhere);
        (maker.global("_nr_pr".to_owned(), ty, nowhere), ty)
    });
    let n_chans = (!needs.steady && !created.chans.is_empty()).then(|| {
        let ty = maker.types.add(None, Type::Range { lo: 0, hi: created.chans.len() as i64 }, nowhere);
        (maker.global("channels".to_owned(), ty, nowhere), ty)
    });
    let trace = model.flow.trace.as_ref().map(|automaton| {
        let (ty, places) = maker.places(automaton, None);
        Trace { global: maker.global("trace".to_owned(), ty, nowhere), ty, places }
    });
    let Maker { types, globals, of_cell, .. } = maker;
    Shapes { types, globals, procs, vars, families, family_of, cells: of_cell, count, n_chans, exclusive, last, trace }
}

pub(super) struct Maker<'a> {
    model: &'a Model,
    pub(super) program: &'a Program,
    pub(super) created: &'a Created,
    pub(super) cells: &'a Cells,
    pub(super) types: Types,
    pub(super) globals: Vec<Global>,
    /// Types of numbers by their bounds.
    ranges: HashMap<(i64, i64), TypeId>,
    pub(super) of_cell: BTreeMap<Cell, TypeId>,
    structs: Vec<TypeId>,
}

impl Maker<'_> {
    fn range(&mut self, lo: i64, hi: i64) -> TypeId {
        let types = &mut self.types;
        *self.ranges.entry((lo, hi)).or_insert_with(|| types.add(None, Type::Range { lo, hi }, Span::NOWHERE))
    }

    pub(super) fn global(&mut self, name: String, ty: TypeId, span: Span) -> GlobalId {
        self.globals.push(Global { name, ty, span });
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// A type for each cell. Cells with few values share one with those that values flow from or to.
    fn cell_types(&mut self) {
        let all = all_cells(self.program);
        let groups = self.cells.groups(all.keys().copied());
        let mut members: BTreeMap<Cell, Vec<Cell>> = BTreeMap::new();
        for (&cell, &leader) in &groups {
            members.entry(leader).or_default().push(cell);
        }
        for members in members.values() {
            let ty = self.group_type(members, &all);
            members.iter().for_each(|&cell| _ = self.of_cell.insert(cell, ty));
        }
        for (cell, scalar) in all {
            if !self.of_cell.contains_key(&cell) {
                let (lo, hi) = bounds(scalar);
                let ty = self.range(lo, hi);
                self.of_cell.insert(cell, ty);
            }
        }
    }

    fn group_type(&mut self, members: &[Cell], scalars: &BTreeMap<Cell, Scalar>) -> TypeId {
        let values: BTreeSet<i32> = members.iter().filter_map(|&cell| self.cells.values(cell)).flatten().collect();
        let lo = values.first().copied().unwrap_or(0);
        let hi = values.last().copied().unwrap_or(0);
        let of_mtype = |cell: &Cell| match scalars.get(cell) {
            Some(Scalar::Mtype(id)) => Some(*id),
            _ => None,
        };
        let first = members.first().and_then(of_mtype);
        if let Some(mtype) = first.filter(|_| members.iter().all(|cell| of_mtype(cell) == first)) {
            let names = &self.program.mtypes[mtype.index()].names;
            if lo >= 0 && hi as usize <= names.len() {
                let name = self.program.mtypes[mtype.index()].name.clone().unwrap_or_else(|| "mtype".to_owned());
                let names = ["0".to_owned()].into_iter().chain(names.iter().cloned()).collect();
                return self.types.add(Some(name), Type::Enum { members: names }, Span::NOWHERE);
            }
        }
        let range = Type::Range { lo: i64::from(lo), hi: i64::from(hi) };
        self.types.add(None, range, Span::NOWHERE)
    }

    fn struct_types(&mut self) {
        for (index, structure) in self.program.structs.iter().enumerate() {
            let mut fields = Vec::new();
            for (at, field) in structure.fields.iter().enumerate() {
                let one = match field.ty {
                    typed::Type::Scalar(_) => self.of_cell[&Cell::Field(StructId(index as u32), at)],
                    typed::Type::Struct(inner) => self.structs[inner.index()],
                };
                let ty = self.array(field.length, one, field.span);
                fields.push(Field { name: field.name.clone(), ty });
            }
            let ty = self.types.add(Some(structure.name.clone()), Type::Record { fields }, Span::NOWHERE);
            self.structs.push(ty);
        }
    }

    fn array(&mut self, length: Option<u32>, element: TypeId, span: Span) -> TypeId {
        match length {
            Some(length) => {
                let index = self.types.add(None, Type::Range { lo: 0, hi: i64::from(length) - 1 }, span);
                self.types.add(None, Type::Array { index, element }, span)
            }
            None => element,
        }
    }

    /// The homes of a frame's variables.
    fn frame(
        &mut self,
        proc: Option<ProcId>,
        frame: &Frame,
        mut keep: impl FnMut(&mut Self, &Var, TypeId) -> Home,
    ) -> Vec<Home> {
        let mut homes = Vec::new();
        for (index, var) in frame.vars.iter().enumerate() {
            let id = VarId(index as u32);
            let one = match var.ty {
                typed::Type::Scalar(_) => self.of_cell[&Cell::Var(proc, id)],
                typed::Type::Struct(inner) => self.structs[inner.index()],
            };
            let home = match self.constant(proc, frame, id) {
                Some(values) => {
                    let hi = values.len() as i64 - 1;
                    Home::Constant(values, self.range(0, hi))
                }
                None => {
                    let ty = self.array(var.length, one, var.span);
                    keep(self, var, ty)
                }
            };
            homes.push(home);
        }
        homes
    }

    /// The values of a variable that never changes: a channel, or a number that is never assigned.
    fn constant(&self, proc: Option<ProcId>, frame: &Frame, id: VarId) -> Option<Vec<i64>> {
        let var = &frame.vars[id.index()];
        let typed::Type::Scalar(scalar) = var.ty else { return None };
        let is_param = proc.is_some_and(|proc| var.slot < self.program.procs[proc.index()].n_params);
        if is_param || self.cells.written.contains(&Cell::Var(proc, id)) {
            return None;
        }
        let value = |slot: u32| {
            let Some(init) = frame.inits.iter().find(|init| init.slot == slot) else { return Some(0) };
            match &init.value {
                InitValue::Expr(expr) => match expr.kind {
                    typed::ExprKind::Const(value) => Some(i64::from(scalar.store(value))),
                    _ => None,
                },
                InitValue::NewChan(_) => {
                    let made = self.created.made.get(&(proc, slot)).filter(|_| self.created.complete || proc.is_none());
                    made.filter(|made| made.len() == 1).and_then(|made| made.first()).map(|&index| index as i64 + 1)
                }
            }
        };
        (var.slot..var.slot + var.length.unwrap_or(1) * slots_of(self.program, var.ty)).map(value).collect()
    }

    fn processes(&mut self, proc: ProcId) -> Option<Processes> {
        let has = |(_, procs): &(i64, &BTreeSet<ProcId>)| procs.contains(&proc);
        let pids: BTreeSet<i64> = (0..).zip(&self.created.procs).filter(has).map(|(pid, _)| pid).collect();
        let (&lo, &hi) = (pids.first()?, pids.last()?);
        let definition = &self.program.procs[proc.index()];
        let (name, span) = (definition.name.clone(), definition.span);
        let shortcut = self.created.first.as_ref().filter(|first| first.before.procs[0].proc == proc);
        let shortcut = shortcut.map(|first| first.after.procs[0].at);
        let (at, places) = self.places(&self.model.flow.procs[proc.index()], shortcut);
        let mut fields = vec![Field { name: "at".to_owned(), ty: at }];
        let vars = self.frame(Some(proc), &definition.frame, |_, var, ty| {
            fields.push(Field { name: var.name.clone(), ty });
            Home::Field(fields.len() as u32 - 1)
        });
        make_unique(&mut fields);
        let priority = self.program.uses_priority.then(|| {
            let ty = self.range(0, 255);
            fields.push(Field { name: "_priority".to_owned(), ty });
            (fields.len() as u32 - 1, ty)
        });
        let own_pid = takes_pid(&self.model.flow.procs[proc.index()]).then(|| {
            let ty = self.range(0, 255);
            fields.push(Field { name: "_pid".to_owned(), ty });
            (fields.len() as u32 - 1, ty)
        });
        let record = self.types.add(None, Type::Record { fields }, span);
        let index = (pids.len() > 1).then(|| self.types.add(Some(name.clone()), Type::Range { lo, hi }, span));
        let ty = match index {
            Some(index) => self.types.add(None, Type::Array { index, element: record }, span),
            None => record,
        };
        let global = self.global(name, ty, span);
        Some(Processes { global, index, pids, at, places, vars, priority, own_pid })
    }

    /// The places that a process can reach, numbered from 1 on; with a shortcut, the first step leads there.
    fn places(&mut self, automaton: &Automaton, shortcut: Option<Location>) -> (TypeId, HashMap<Location, i64>) {
        let first = shortcut.unwrap_or(automaton.start);
        let mut reached = super::reachable(automaton, first);
        reached.insert(automaton.start);
        let mut names = vec!["-".to_owned()];
        for &at in &reached {
            names.push(self.place_name(automaton, at));
        }
        let places = reached.into_iter().zip(1..).collect();
        let ty = self.types.add(None, Type::Enum { members: names }, Span::NOWHERE);
        (ty, places)
    }

    fn place_name(&self, automaton: &Automaton, at: Location) -> String {
        let span = automaton.nodes[at.index()].span;
        let what = if at == automaton.end { "end".to_owned() } else { self.model.line(span) };
        format!("{what}#{}", at.0)
    }
}

/// Whether a process can receive another number for itself.
fn takes_pid(automaton: &Automaton) -> bool {
    let takes = |field: &Pattern| matches!(field, Pattern::Store(Target::Pid));
    automaton.actions.iter().any(|step| match &step.action {
        Action::Basic(Basic::Receive { pattern, .. }) => pattern.iter().any(takes),
        _ => false,
    })
}

/// Variables of different blocks may have one name.
fn make_unique(fields: &mut [Field]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for field in fields {
        let mut name = field.name.clone();
        let mut number = 2;
        while !known.insert(name.clone()) {
            name = format!("{}_{number}", field.name);
            number += 1;
        }
        field.name = name;
    }
}

/// The least and the greatest value that a scalar keeps.
pub(super) fn bounds(scalar: Scalar) -> (i64, i64) {
    match scalar {
        Scalar::Bit | Scalar::Bool => (0, 1),
        Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => (0, 255),
        Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Scalar::Unsigned(width) => (0, (1_i64 << width) - 1),
    }
}
