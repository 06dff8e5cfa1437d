//! Variables of processes that nobody reads again are forgotten (`--slim`), so that states that differ in nothing else are one.
//!
//! What a process reads and assigns between its places is taken from its rules, and followed backwards (live variables).
//! Wherever a rule or the start says where a process stands, what is not read from there on becomes undefined.
//!
// SOUND: a field is forgotten only where on every way on from the place its process stands at it is assigned before it is
// read. Whatever else reads it, another process, a property or a claim, makes it one that is never forgotten. And what is
// forgotten is undefined: a read that was overlooked would be a fault, and not a value that the model does not have.

use std::collections::{BTreeMap, BTreeSet};

use burnside_ir::visit::{Visitor, walk_operand, walk_place, walk_stmt};
use burnside_ir::{
    BinaryOp, Block, Expr, ExprKind, GlobalId, Model, Operand, Owner, Part, Place, PlaceBase, Projection, Rule, Stmt,
    StmtKind, Type, TypeId, Types,
};

use super::build::{forget, part};
use super::shapes::{AT, Home, Processes};

/// Where a process stands that is not there.
const NOBODY: i64 = 0;

/// Fields of a record, by number.
type Fields = BTreeSet<u32>;

/// Makes the rules and start states of a model forget what is not read again.
pub(super) fn forget_dead(model: &mut Model, procs: &[Option<Processes>]) {
    let records = procs.iter().flatten().map(|it| (it.global, own_scalars(it, model))).collect();
    let mut lives = Lives::new(model, &records);
    lives.follow();
    for rule in &mut model.rules {
        let edges = lives.edges_of(rule);
        let stays = lives.dead_where_it_stays(&edges);
        Forgetful { lives: &lives, types: &model.types, edges }.block(&mut rule.action);
        rule.action.extend(stays.into_iter().map(forget));
    }
    for start in &mut model.starts {
        Forgetful { lives: &lives, types: &model.types, edges: Vec::new() }.block(&mut start.action);
    }
}

/// The type of a process.
fn record_of(global: GlobalId, model: &Model) -> TypeId {
    let ty = model.global(global).ty;
    match model.types.get(ty) {
        &Type::Array { element, .. } => element,
        _ => ty,
    }
}

/// The fields that hold scalar variables.
fn own_scalars(processes: &Processes, model: &Model) -> Fields {
    let types = &model.types;
    let Type::Record { fields } = types.get(record_of(processes.global, model)) else { return Fields::new() };
    let own = processes.vars.iter().filter_map(|home| match home {
        Home::Field(field) => Some(*field),
        Home::Global(..) | Home::Constant(..) => None,
    });
    own.filter(|&field| types.shape(fields[field as usize].ty).scalar).collect()
}

/// Whose record a place is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The only one, or that of the member a local names.
    Owner(Owner),
    /// That of the member with this number.
    Fixed(GlobalId, i64),
    /// Any.
    Any(GlobalId),
}

/// What of whose record a place is; no field if it is all of it.
struct Spot {
    whose: Whose,
    global: GlobalId,
    field: Option<u32>,
    /// Whether it is the field and not a part of it.
    is_whole: bool,
}

fn spot(place: &Place, records: &BTreeMap<GlobalId, Fields>) -> Option<Spot> {
    let PlaceBase::Global(global) = place.base else { return None };
    records.get(&global)?;
    let (whose, rest) = match &place.path[..] {
        [Projection::Index(index), rest @ ..] => match &index.kind {
            ExprKind::Const(number) => (Whose::Fixed(global, *number), rest),
            ExprKind::Read(named) => match named.base {
                PlaceBase::Local(local) if named.path.is_empty() => {
                    (Whose::Owner(Owner { global, member: Some(local) }), rest)
                }
                _ => (Whose::Any(global), rest),
            },
            _ => (Whose::Any(global), rest),
        },
        rest => (Whose::Owner(Owner { global, member: None }), rest),
    };
    let field = match rest.first() {
        Some(Projection::Field(field)) => Some(*field),
        _ => None,
    };
    Some(Spot { whose, global, field, is_whole: rest.len() == 1 })
}

/// From one place of a process to another.
#[derive(Debug, Clone)]
struct Edge {
    owner: Owner,
    /// Nothing where a rule does not say so.
    from: Option<i64>,
    to: Option<i64>,
    /// What is read before it is assigned, and what is assigned in any case.
    reads: Fields,
    assigns: Fields,
    /// What may be assigned, be it in a branch.
    touches: BTreeMap<u32, Place>,
}

/// What is read later.
struct Lives {
    records: BTreeMap<GlobalId, Fields>,
    types: BTreeMap<GlobalId, TypeId>,
    /// Never to be forgotten.
    always: BTreeMap<GlobalId, Fields>,
    edges: Vec<Edge>,
    /// By process type and place.
    live: BTreeMap<(GlobalId, i64), Fields>,
}

impl Lives {
    fn new(model: &Model, records: &BTreeMap<GlobalId, Fields>) -> Self {
        let always = records.keys().map(|&global| (global, Fields::new())).collect();
        let types = records.keys().map(|&global| (global, record_of(global, model))).collect();
        let mut lives = Self { records: records.clone(), types, always, edges: Vec::new(), live: BTreeMap::new() };
        for rule in &model.rules {
            let edges = lives.edges_of(rule);
            lives.edges.extend(edges);
        }
        for rule in &model.rules {
            let mut reads = Reads::new(records);
            Part::rule(rule).walk(&mut reads);
            let strange = reads.found.iter().filter(|(whose, ..)| match whose {
                Whose::Owner(owner) => !rule.owners.contains(owner),
                Whose::Fixed(..) | Whose::Any(_) => true,
            });
            let strange: Vec<(GlobalId, Option<u32>)> = strange.map(|&(_, global, field)| (global, field)).collect();
            strange.into_iter().for_each(|(global, field)| lives.keep(global, field));
        }
        let mut reads = Reads::new(records);
        model.properties.iter().for_each(|property| Part::property(property).walk(&mut reads));
        model.functions.iter().for_each(|function| reads.block(&function.body));
        reads.found.into_iter().for_each(|(_, global, field)| lives.keep(global, field));
        lives
    }

    /// Never forgets a field, or any of a record.
    fn keep(&mut self, global: GlobalId, field: Option<u32>) {
        let kept = self.always.entry(global).or_default();
        match field {
            Some(field) => _ = kept.insert(field),
            None => kept.extend(&self.records[&global]),
        }
    }

    /// What a rule does to each of the processes that take it.
    fn edges_of(&self, rule: &Rule) -> Vec<Edge> {
        let owners = rule.owners.iter().filter(|owner| self.records.contains_key(&owner.global));
        owners.map(|&owner| self.edge(rule, owner)).collect()
    }

    fn edge(&self, rule: &Rule, owner: Owner) -> Edge {
        let from = stands_at(&rule.guard, owner, &self.records);
        let mut edge = Edge {
            owner,
            from,
            to: from,
            reads: Fields::new(),
            assigns: Fields::new(),
            touches: touched(rule, owner, &self.records),
        };
        let note = |reads: Reads<'_>, edge: &mut Edge| {
            for (whose, _, field) in reads.found {
                match field {
                    _ if whose != Whose::Owner(owner) => {}
                    Some(field) if edge.assigns.contains(&field) => {}
                    Some(field) => _ = edge.reads.insert(field),
                    None => edge.reads.extend(&self.records[&owner.global]),
                }
            }
        };
        let mut reads = Reads::new(&self.records);
        reads.expr(&rule.guard);
        note(reads, &mut edge);
        for stmt in &rule.action {
            let mut reads = Reads::new(&self.records);
            reads.stmt(stmt);
            note(reads, &mut edge);
            if let StmtKind::Assign { target, source } = &stmt.kind
                && let Some(Spot { whose, field: Some(field), is_whole: true, .. }) = spot(target, &self.records)
                && whose == Whose::Owner(owner)
            {
                edge.assigns.insert(field);
                if field == AT {
                    edge.to = constant(source);
                }
            }
        }
        if moves_inside(rule, owner, &self.records) {
            edge.to = None;
        }
        edge
    }

    /// Follows all edges backwards until nothing changes.
    fn follow(&mut self) {
        // A place that is not known may be any.
        for edge in self.edges.iter().filter(|edge| edge.from.is_none() || edge.to.is_none()) {
            let all = self.records[&edge.owner.global].clone();
            self.always.entry(edge.owner.global).or_default().extend(all);
        }
        loop {
            let mut has_grown = false;
            for edge in &self.edges {
                let (Some(from), Some(to)) = (edge.from, edge.to) else { continue };
                let after = self.live.get(&(edge.owner.global, to)).cloned().unwrap_or_default();
                let before = self.live.entry((edge.owner.global, from)).or_default();
                let n_before = before.len();
                before.extend(edge.reads.iter().copied().chain(after.difference(&edge.assigns).copied()));
                has_grown |= before.len() > n_before;
            }
            if !has_grown {
                return;
            }
        }
    }

    /// What a step assigns that leads its process to where it was, and that nobody reads there.
    fn dead_where_it_stays(&self, edges: &[Edge]) -> Vec<Place> {
        let mut found = Vec::new();
        for edge in edges.iter().filter(|edge| !edge.assigns.contains(&AT)) {
            let dead = edge.to.map_or_else(Fields::new, |to| self.dead(edge.owner.global, to));
            found.extend(edge.touches.iter().filter(|(field, _)| dead.contains(field)).map(|(_, place)| place.clone()));
        }
        found
    }

    /// What a process that stands at a place can forget.
    fn dead(&self, global: GlobalId, at: i64) -> Fields {
        let live = self.live.get(&(global, at));
        let is_dead =
            |field: &&u32| !self.always[&global].contains(*field) && live.is_none_or(|live| !live.contains(*field));
        self.records[&global].iter().filter(is_dead).copied().collect()
    }
}

fn constant(source: &Operand) -> Option<i64> {
    match source {
        Operand::Value(Expr { kind: ExprKind::Const(value), .. }) => Some(*value),
        _ => None,
    }
}

/// The fields of a process that a rule may assign, each with a place where it does.
fn touched(rule: &Rule, owner: Owner, records: &BTreeMap<GlobalId, Fields>) -> BTreeMap<u32, Place> {
    struct Writes<'r> {
        records: &'r BTreeMap<GlobalId, Fields>,
        owner: Owner,
        found: BTreeMap<u32, Place>,
    }
    impl Visitor for Writes<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign { target, .. } | StmtKind::Clear(target) = &stmt.kind
                && let Some(Spot { whose, field: Some(field), is_whole: true, .. }) = spot(target, self.records)
                && whose == Whose::Owner(self.owner)
            {
                self.found.insert(field, target.clone());
            }
            walk_stmt(self, stmt);
        }
    }
    let mut writes = Writes { records, owner, found: BTreeMap::new() };
    writes.block(&rule.action);
    writes.found
}

/// Whether a rule says where a process stands in a branch or a loop.
fn moves_inside(rule: &Rule, owner: Owner, records: &BTreeMap<GlobalId, Fields>) -> bool {
    struct Moves<'r> {
        records: &'r BTreeMap<GlobalId, Fields>,
        owner: Owner,
        found: bool,
    }
    impl Visitor for Moves<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign { target, .. } | StmtKind::Clear(target) = &stmt.kind
                && let Some(spot) = spot(target, self.records)
                && spot.global == self.owner.global
                && spot.field.is_none_or(|field| field == AT)
            {
                self.found = true;
            }
            walk_stmt(self, stmt);
        }
    }
    let mut moves = Moves { records, owner, found: false };
    for stmt in &rule.action {
        let is_plain = matches!(&stmt.kind, StmtKind::Assign { .. });
        if !is_plain {
            moves.stmt(stmt);
        }
    }
    moves.found
}

/// The place that a guard asks a process to stand at.
fn stands_at(guard: &Expr, owner: Owner, records: &BTreeMap<GlobalId, Fields>) -> Option<i64> {
    match &guard.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            stands_at(left, owner, records).or_else(|| stands_at(right, owner, records))
        }
        ExprKind::Binary(BinaryOp::Eq, left, right) => match (&left.kind, &right.kind) {
            (ExprKind::Read(place), ExprKind::Const(value)) => {
                let spot = spot(place, records)?;
                (spot.whose == Whose::Owner(owner) && spot.field == Some(AT)).then_some(*value)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Everything that is read of records.
struct Reads<'r> {
    records: &'r BTreeMap<GlobalId, Fields>,
    found: Vec<(Whose, GlobalId, Option<u32>)>,
}

impl<'r> Reads<'r> {
    fn new(records: &'r BTreeMap<GlobalId, Fields>) -> Self {
        Self { records, found: Vec::new() }
    }
}

impl Visitor for Reads<'_> {
    fn place(&mut self, place: &Place) {
        self.found.extend(spot(place, self.records).map(|spot| (spot.whose, spot.global, spot.field)));
        walk_place(self, place);
    }

    /// What is assigned is not read, but the indices on the way there are.
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                walk_place(self, target);
                walk_operand(self, source);
            }
            StmtKind::Clear(target) => walk_place(self, target),
            _ => walk_stmt(self, stmt),
        }
    }
}

/// Adds what is to be forgotten to statements.
struct Forgetful<'l> {
    lives: &'l Lives,
    types: &'l Types,
    /// What the rule at hand does.
    edges: Vec<Edge>,
}

impl Forgetful<'_> {
    /// At the end of a block that says where processes stand, and of loops behind which no record is read.
    fn block(&self, block: &mut Block) {
        let (mut forgotten, mut placed) = (Vec::new(), Vec::new());
        let mut is_read = false;
        for stmt in block.iter_mut().rev() {
            let mut reads = Reads::new(&self.lives.records);
            reads.stmt(stmt);
            match &mut stmt.kind {
                StmtKind::For { body, .. } if !is_read => self.block(body),
                StmtKind::Assign { target, source: Operand::Value(Expr { kind: ExprKind::Const(to), .. }) } => {
                    // Where a process stands is what is said last.
                    let place = spot(target, &self.lives.records).filter(|it| it.field == Some(AT));
                    if place.is_some_and(|it| {
                        !placed.contains(&it.whose) && {
                            placed.push(it.whose);
                            *to != NOBODY
                        }
                    }) {
                        forgotten.extend(self.forgotten(target, *to));
                    }
                }
                _ => {}
            }
            is_read |= !reads.found.is_empty();
        }
        block.extend(forgotten);
    }

    /// Forgets what a process that now stands at a place does not need.
    fn forgotten(&self, target: &Place, to: i64) -> Vec<Stmt> {
        let Some(spot) = spot(target, &self.lives.records).filter(|spot| spot.field == Some(AT)) else {
            return Vec::new();
        };
        if matches!(spot.whose, Whose::Any(_)) {
            return Vec::new();
        }
        let dead = self.lives.dead(spot.global, to);
        let edge = self.edges.iter().find(|edge| Whose::Owner(edge.owner) == spot.whose);
        let before = edge.and_then(|edge| Some(self.lives.dead(spot.global, edge.from?))).unwrap_or_default();
        let is_forgotten =
            |field: &u32| before.contains(field) && edge.is_some_and(|edge| !edge.touches.contains_key(field));
        let mut record = target.clone();
        record.path.pop();
        record.ty = self.lives.types[&spot.global];
        dead.into_iter()
            .filter(|field| !is_forgotten(field))
            .map(|field| forget(part(self.types, record.clone(), Projection::Field(field))))
            .collect()
    }
}
