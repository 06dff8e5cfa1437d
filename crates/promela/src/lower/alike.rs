//! Rules, and parts of conditions, that are written once for each member of a type: one rule with a parameter, one quantifier.
//!
//! `:: to = box[0] :: to = box[1]` names every box once. Taken one by one each option tells the boxes apart; taken together
//! they do not. So rules that are equal but for constants, where these run through exactly the members of a type, become
//! instances of one rule.
//!
// SOUND: an instance of the new rule for the member t is, constant for constant, the rule that it replaces for t, and every
// member has exactly one. For conditions likewise; they are brought together only if no part can fault, since a quantifier may
// look at parts that the text would not have come to.

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_expr};
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, Global, GlobalId, Local, LocalId, LocalMode, Place, PlaceBase,
    Projection, Quantifier, Rule, Type, TypeId, Types,
};

use super::build::{all, any, binary, denied, int};
use super::shapes::LENGTH;
use super::walk::{Walker, walk, walk_rule};

/// What is known about the state.
pub(super) struct State<'s> {
    pub(super) types: &'s Types,
    pub(super) globals: &'s [Global],
    /// The types whose members may be written down one by one.
    pub(super) members: Vec<TypeId>,
    /// For each type, one that stands for all between which values flow.
    pub(super) kinds: Vec<TypeId>,
    /// Variables all of whose parts always hold something.
    pub(super) kept: Vec<GlobalId>,
    /// Channels that are there from the start: their lengths always are, too.
    pub(super) channels: Vec<GlobalId>,
    /// Records of processes: what belongs to the process of a rule holds something.
    pub(super) records: Vec<GlobalId>,
}

/// Whether two conditions cannot both hold, since a part of one denies a part of the other.
pub(super) fn contradict(one: &Expr, other: &Expr) -> bool {
    let parts = |expr: &Expr| {
        let mut parts = Vec::new();
        flatten(BinaryOp::And, expr.clone(), &mut parts);
        parts.iter_mut().for_each(|part| walk(part, &mut Unplaced));
        parts
    };
    let (ones, others) = (parts(one), parts(other));
    ones.iter().any(|part| {
        let mut denied = denied(part.clone());
        walk(&mut denied, &mut Unplaced);
        others.contains(&denied)
    })
}

/// Takes the places in the text out.
struct Unplaced;

impl Walker for Unplaced {
    fn constant(&mut self, _expr: &mut Expr) {}

    fn span(&mut self, span: &mut Span) {
        *span = Span::NOWHERE;
    }
}

/// A rule, its constants and its number.
type Sample = (Rule, Vec<(TypeId, i64)>, usize);

/// Brings rules together that differ in constants alone. Each comes with the numbers of the rules that it was made of.
pub(super) fn merge_rules(rules: Vec<Rule>, state: &State<'_>) -> Vec<(Rule, Vec<usize>)> {
    let mut groups: Vec<(Rule, Vec<Sample>)> = Vec::new();
    for (number, rule) in rules.into_iter().enumerate() {
        let (skeleton, constants) = skeleton_of_rule(&rule);
        match groups.iter_mut().find(|(known, _)| *known == skeleton) {
            Some((_, group)) => group.push((rule, constants, number)),
            None => groups.push((skeleton, vec![(rule, constants, number)])),
        }
    }
    let merged = groups.into_iter().flat_map(|(_, group)| match merged_rule(&group, state) {
        Some(rule) => vec![(rule, group.iter().map(|(.., number)| *number).collect())],
        None => group.into_iter().map(|(rule, _, number)| (rule, vec![number])).collect(),
    });
    merged.collect()
}

fn merged_rule(group: &[Sample], state: &State<'_>) -> Option<Rule> {
    let rows: Vec<&[(TypeId, i64)]> = group.iter().map(|(_, constants, _)| constants.as_slice()).collect();
    let family = Family::of(&rows, state)?;
    let (first, ..) = &group[family.first];
    let mut rule = first.clone();
    let local = LocalId(rule.locals.len() as u32);
    let span = rule.span;
    rule.locals.push(Local { name: "which".to_owned(), ty: family.ty, mode: LocalMode::Owned, span });
    rule.binders.push(Binder::Param { local, domain: Domain::Type(family.ty) });
    let mut fill = Fill { family: &family, local, at: 0 };
    walk_rule(&mut rule, &mut fill);
    Some(rule)
}

/// Constants that run through the members of a type.
struct Family {
    ty: TypeId,
    /// For each constant: how far it is from the member, if it moves along.
    distances: Vec<Option<i64>>,
    /// The row of the first member.
    first: usize,
}

impl Family {
    fn of(rows: &[&[(TypeId, i64)]], state: &State<'_>) -> Option<Self> {
        let (types, members) = (state.types, &state.members);
        let (first, rest) = rows.split_first()?;
        if rest.is_empty() || rest.iter().any(|row| row.len() != first.len()) {
            return None;
        }
        let varies: Vec<bool> = (0..first.len()).map(|at| rest.iter().any(|row| row[at].1 != first[at].1)).collect();
        let base = varies.iter().position(|varies| *varies)?;
        let mut values: Vec<i64> = rows.iter().map(|row| row[base].1).collect();
        values.sort_unstable();
        let consecutive = values.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let affine = (0..first.len()).filter(|&at| varies[at]).all(|at| {
            let distance = first[at].1 - first[base].1;
            rows.iter().all(|row| row[at].1 - row[base].1 == distance)
        });
        if !consecutive || !affine {
            return None;
        }
        // A type whose members are those values, at the place of one of the constants.
        let n = values.len() as i64;
        let fits = |ty: TypeId, lo: i64| types.shape(ty).lo == lo && types.shape(ty).hi == lo + n - 1;
        let lowest = |at: usize| rows.iter().map(|row| row[at].1).min().unwrap_or(0);
        let moving = || (0..first.len()).filter(|&at| varies[at]);
        let own = moving().find_map(|at| {
            let ty = members.iter().copied().find(|&ty| ty == first[at].0 && fits(ty, lowest(at)))?;
            Some((ty, at))
        });
        let kind = |ty: TypeId| state.kinds[ty.index()];
        let (ty, anchor) = own.or_else(|| {
            let member = |at: usize, ty: TypeId| fits(ty, lowest(at)) && kind(ty) == kind(first[at].0);
            moving().find_map(|at| Some((members.iter().copied().find(|&ty| member(at, ty))?, at)))
        })?;
        let distance = |at: usize| varies[at].then(|| first[at].1 - first[anchor].1);
        let distances = (0..first.len()).map(distance).collect();
        let least = lowest(anchor);
        let first = rows.iter().position(|row| row[anchor].1 == least)?;
        Some(Self { ty, distances, first })
    }
}

/// Takes the constants out.
struct Empty(Vec<(TypeId, i64)>);

impl Walker for Empty {
    fn constant(&mut self, expr: &mut Expr) {
        if let ExprKind::Const(value) = &mut expr.kind
            && expr.ty != TypeId::BOOL
        {
            self.0.push((expr.ty, std::mem::take(value)));
        }
    }

    fn span(&mut self, span: &mut Span) {
        *span = Span::NOWHERE;
    }
}

/// Puts a parameter in their place.
struct Fill<'f> {
    family: &'f Family,
    local: LocalId,
    at: usize,
}

impl Walker for Fill<'_> {
    fn constant(&mut self, expr: &mut Expr) {
        if expr.ty == TypeId::BOOL {
            return;
        }
        let distance = self.family.distances[self.at];
        self.at += 1;
        if let Some(distance) = distance {
            let span = expr.span;
            let member = Expr::read(Place::local(self.local, self.family.ty, span));
            let moved = if distance == 0 { member } else { binary(BinaryOp::Add, member, int(distance, span)) };
            *expr = match moved.ty == expr.ty {
                true => moved,
                false => Expr { kind: ExprKind::Convert(Box::new(moved)), ty: expr.ty, span },
            };
        }
    }
}

fn skeleton_of_rule(rule: &Rule) -> (Rule, Vec<(TypeId, i64)>) {
    let mut skeleton = rule.clone();
    skeleton.name.clear();
    let mut empty = Empty(Vec::new());
    walk_rule(&mut skeleton, &mut empty);
    skeleton.span = Span::NOWHERE;
    skeleton.locals.iter_mut().for_each(|local| local.span = Span::NOWHERE);
    (skeleton, empty.0)
}

/// Brings the parts of conjunctions and disjunctions in a rule's guard together.
pub(super) fn merge_conditions(rule: &mut Rule, state: &State<'_>) {
    let guard = std::mem::replace(&mut rule.guard, Expr::boolean(true, rule.span));
    rule.guard = quantified(guard, state, &mut rule.locals);
}

fn quantified(expr: Expr, state: &State<'_>, locals: &mut Vec<Local>) -> Expr {
    let span = expr.span;
    match expr.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let mut parts = Vec::new();
            flatten(op, *left, &mut parts);
            flatten(op, *right, &mut parts);
            let parts: Vec<Expr> = parts.into_iter().map(|part| quantified(part, state, locals)).collect();
            let parts = merged_parts(op, parts, state, locals);
            match op {
                BinaryOp::And => all(parts, span),
                _ => any(parts, span),
            }
        }
        ExprKind::Unary(op, inner) => {
            let inner = Box::new(quantified(*inner, state, locals));
            Expr { kind: ExprKind::Unary(op, inner), ..expr }
        }
        kind => Expr { kind, ..expr },
    }
}

fn flatten(op: BinaryOp, expr: Expr, out: &mut Vec<Expr>) {
    match expr.kind {
        ExprKind::Binary(inner, left, right) if inner == op => {
            flatten(op, *left, out);
            flatten(op, *right, out);
        }
        kind => out.push(Expr { kind, ..expr }),
    }
}

fn merged_parts(op: BinaryOp, parts: Vec<Expr>, state: &State<'_>, locals: &mut Vec<Local>) -> Vec<Expr> {
    type Part = (Expr, Vec<(TypeId, i64)>);
    let mut groups: Vec<(Expr, Vec<Part>)> = Vec::new();
    for part in parts {
        let mut skeleton = part.clone();
        let mut empty = Empty(Vec::new());
        walk(&mut skeleton, &mut empty);
        match groups.iter_mut().find(|(known, _)| *known == skeleton) {
            Some((_, group)) => group.push((part, empty.0)),
            None => groups.push((skeleton, vec![(part, empty.0)])),
        }
    }
    let mut found = Vec::new();
    for (_, group) in groups {
        let safe = group.iter().all(|(part, _)| cannot_fault(part, state));
        let rows: Vec<&[(TypeId, i64)]> = group.iter().map(|(_, constants)| constants.as_slice()).collect();
        match Family::of(&rows, state).filter(|_| safe) {
            Some(family) => {
                let mut body = group[family.first].0.clone();
                let (local, span) = (LocalId(locals.len() as u32), body.span);
                locals.push(Local { name: "each".to_owned(), ty: family.ty, mode: LocalMode::Owned, span });
                walk(&mut body, &mut Fill { family: &family, local, at: 0 });
                let quantifier = if op == BinaryOp::And { Quantifier::Forall } else { Quantifier::Exists };
                let domain = Box::new(Domain::Type(family.ty));
                let kind = ExprKind::Quantified(quantifier, local, domain, Box::new(body));
                found.push(Expr { kind, ty: TypeId::BOOL, span });
            }
            None => found.extend(group.into_iter().map(|(part, _)| part)),
        }
    }
    found
}

/// Whether an expression has a value in every state: it divides by nothing, and what it reads is always there.
fn cannot_fault(expr: &Expr, state: &State<'_>) -> bool {
    struct Look<'a> {
        state: &'a State<'a>,
        safe: bool,
    }
    impl Visitor for Look<'_> {
        fn expr(&mut self, expr: &Expr) {
            let risky = matches!(
                expr.kind,
                ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) | ExprKind::Call(_) | ExprKind::Convert(_)
            );
            self.safe &= !risky;
            walk_expr(self, expr);
        }

        fn place(&mut self, place: &Place) {
            self.safe &= is_there(place, self.state);
            burnside_ir::visit::walk_place(self, place);
        }
    }
    let mut look = Look { state, safe: true };
    look.expr(expr);
    look.safe
}

/// Whether a place exists and holds something, whatever the state.
fn is_there(place: &Place, state: &State<'_>) -> bool {
    let PlaceBase::Global(global) = place.base else { return place.path.is_empty() };
    let of_process = state.records.contains(&global);
    let is_length = || place.path.contains(&Projection::Field(LENGTH));
    let of_channel = state.channels.contains(&global) && is_length();
    if !of_process && !of_channel && !state.kept.contains(&global) {
        return false;
    }
    let mut ty = state.globals[global.index()].ty;
    for step in &place.path {
        if let (Projection::Index(index), &Type::Array { index: wanted, .. }) = (step, state.types.get(ty)) {
            let (found, wanted) = (state.types.shape(index.ty), state.types.shape(wanted));
            let within = match index.as_const() {
                Some(value) => wanted.admits(value) && !of_process,
                None => found.lo >= wanted.lo && found.hi <= wanted.hi,
            };
            if !within {
                return false;
            }
        }
        match step.part_type(state.types, ty) {
            Some(part) => ty = part,
            None => return false,
        }
    }
    true
}
