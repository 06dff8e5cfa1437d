//! Automata to IR.
//!
//! A state of the IR is a state of SPIN: processes are records of a place and their variables, channels are records of their
//! messages, and every step of an automaton is a rule. What is left out never changes. The pieces, in reading order:
//!
//! - `paths`: from a variable to one of its slots, and the cell that it belongs to;
//! - `values`: which values each cell can hold, and which kinds of channels it can name;
//! - `shapes`, `families`: the types and variables of the IR;
//! - `build`, `numbers`, `exprs`, `others`: expressions;
//! - `channels`, `receives`, `handshake`, `d_steps`, `lives`, `actions`: statements;
//! - `observe`: the `trace`, which moves along with messages;
//! - `promises`: `xr` and `xs`;
//! - `claims`, `automata`: claims about executions;
//! - `first`: the first step of a model whose `init` makes all processes at once;
//! - `rules`, `turns`: one rule for each step;
//! - `chains`, `quiet`, `alike` (with `kinds` and `walk`): fewer rules, with less that tells processes apart.
//!
//! An `atomic` that is not one rule is a chain of rules with states between them that are passed through: the variable `exclusive` says who may
//! move, a process that blocks loses the right by a rule of lower priority, and `timeout` is a rule of the lowest. What a
//! rule has to do with other options (`else`, `unless`) stands in its guard.

mod actions;
mod alike;
pub(crate) mod automata;
mod build;
mod chains;
mod channels;
pub(crate) mod claims;
mod d_steps;
mod exprs;
mod families;
mod first;
mod handshake;
mod kinds;
mod lives;
mod numbers;
mod observe;
mod others;
mod paths;
mod promises;
mod quiet;
mod receives;
mod rules;
mod shapes;
mod slim;
mod turns;
mod values;
mod walk;

use std::collections::{BTreeSet, HashSet};

use burnside_diag::Span;
use burnside_ir::{
    Expr, ExprKind, Function, FunctionId, GlobalId, Locals, Model, Place, Property, PropertyKind, Quantifier, RuleId,
    StmtKind, TypeId,
};

use self::build::{all, any};
use crate::flow::{Action, Automaton, Flow, Location};
use crate::reference::{Created, Limits, created};
use crate::typed::{ChanTypeId, ExprKind as Typed, InitValue, ProcId, Program, Visibility};
use exprs::Body;
use handshake::Site;
use rules::{Made, Piece};
use shapes::{Home, Needs, Shapes, shapes};
use values::Cells;

/// How long to look for what comes into being.
const LOOK: Limits = Limits { n_states: 4000, n_steps: 400_000 };
/// How many more processes and channels to allow for if that was not all.
const SPARE: usize = 4;

/// Everything that is known about a model that is lowered.
pub(crate) struct Lowering<'p> {
    model: &'p crate::load::Model,
    program: &'p Program,
    flow: &'p Flow,
    created: Created,
    cells: Cells,
    shapes: Shapes,
    /// Where handshakes can be completed.
    sites: Vec<Site>,
    exclusive_places: HashSet<(ProcId, Location)>,
    hidden: Vec<(GlobalId, TypeId)>,
    /// Whether statements that nobody else notices are part of the step before.
    joins: bool,
}

/// A statement of a model, and the rules that execute it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The process type it belongs to.
    pub unit: String,
    /// As it is written, in one line.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// The rules that execute it, alone or with others; none if no process comes there.
    pub rules: Vec<RuleId>,
}

/// The IR of a model, and what its rules execute.
pub(crate) fn lower(model: &crate::load::Model) -> (Model, Vec<Statement>) {
    let mut created = foresee(model);
    if model.checks_promises() {
        // Promises can be broken in the middle of a first step, so it is taken as it is written.
        created.first = None;
    }
    let cells = Cells::new(model, &created);
    let mut needs = needs(model, &created, &cells);
    // Where every `atomic` turns out to be one rule, nobody ever has the exclusive right.
    let lowered = build(model, created.clone(), cells.clone(), &needs);
    if lowered.1 == needs.exclusive {
        return lowered.0;
    }
    needs.exclusive = lowered.1;
    build(model, created, cells, &needs).0
}

/// A model, and what its rules execute.
type Lowered = (Model, Vec<Statement>);

/// The IR of a model, and whether some state lies inside an `atomic`.
fn build(model: &crate::load::Model, created: Created, cells: Cells, needs: &Needs) -> (Lowered, bool) {
    let shapes = shapes(model, &created, &cells, needs);
    let hidden = hidden(&model.program, &shapes);
    let mut low = Lowering {
        model,
        program: &model.program,
        flow: &model.flow,
        created,
        cells,
        shapes,
        sites: Vec::new(),
        exclusive_places: HashSet::new(),
        hidden,
        joins: false,
    };
    low.joins = low.may_join();
    low.sites = rules::sites(&low);
    low.exclusive_places = rules::exclusive_places(&low);
    let Made { rules, pieces, exclusive } = rules::rules(&low);
    let statements = low.statements(&pieces);
    let starts = vec![Body::new(&low, false).start_state()];
    let mut properties = low.passing().into_iter().chain([low.ending()]).collect();
    let claims = claims::claims(&low, &mut properties);
    let automata = automata::automata(&low, &mut properties);
    let functions = vec![peeped()];
    let Shapes { types, globals, procs, .. } = low.shapes;
    let mut lowered = Model { types, globals, functions, starts, rules, properties, claims, automata };
    if model.is_slim() {
        slim::forget_dead(&mut lowered, &procs);
    }
    ((lowered, statements), exclusive)
}

impl Lowering<'_> {
    /// The greatest number of a process.
    fn most_processes(&self) -> i64 {
        self.created.procs.len() as i64 - 1
    }

    /// The statements of all process types, each with the rules that execute it. Jumps, `else` and the end are none.
    fn statements(&self, pieces: &[Vec<Piece>]) -> Vec<Statement> {
        let mut found: Vec<Statement> = Vec::new();
        for (index, automaton) in self.flow.procs.iter().enumerate() {
            let (proc, unit) = (ProcId(index as u32), &self.program.procs[index].name);
            let mut known = HashSet::new();
            for step in automaton.nodes.iter().flat_map(|node| &node.moves) {
                let action = &automaton.actions[step.action.index()];
                let text = match action.action {
                    Action::Basic(_) | Action::DStep(_) => self.model.text(action.span),
                    Action::Terminate | Action::Jump | Action::Else | Action::Structure => continue,
                };
                if !known.insert(action.span) {
                    continue;
                }
                let rules = (0..).map(RuleId).zip(pieces).filter(|(_, own)| own.contains(&(proc, action.span)));
                let rules = rules.map(|(rule, _)| rule).collect();
                found.push(Statement { unit: unit.clone(), text, span: action.span, rules });
            }
        }
        found
    }

    /// States inside an `atomic`.
    fn passing(&self) -> Option<Property> {
        let (exclusive, ty) = self.shapes.exclusive?;
        let span = Span::NOWHERE;
        let place = Place::global(exclusive, ty, span);
        let nobody = Expr { kind: ExprKind::IsUndefined(Box::new(place)), ty: TypeId::BOOL, span };
        Some(condition("inside atomic", PropertyKind::Passing, Vec::new(), build::not(nobody)))
    }

    /// States in which every process may rest for ever.
    fn ending(&self) -> Property {
        let span = Span::NOWHERE;
        let mut body = Body::new(self, false);
        let mut parts = Vec::new();
        for (index, processes) in self.shapes.procs.iter().enumerate() {
            let Some(processes) = processes else { continue };
            let automaton = &self.flow.procs[index];
            let mut rests: Vec<i64> = processes
                .places
                .iter()
                .filter(|(at, _)| automaton.nodes[at.index()].valid_end)
                .map(|(_, &place)| place)
                .chain([0])
                .collect();
            rests.sort_unstable();
            parts.push(body.some_process(ProcId(index as u32), span, Quantifier::Forall, |body, who| {
                any(rests.iter().map(|&place| body.stands(who, place, span)).collect::<Vec<_>>(), span)
            }));
        }
        let expr = all(parts, span);
        condition("valid end state", PropertyKind::Ending, body.locals, expr)
    }
}

/// The function that is called where a rendezvous channel is looked into.
const PEEPED: FunctionId = FunctionId(0);

fn peeped() -> Function {
    let error = StmtKind::Error("error to poll rendezvous channel".to_owned());
    let body = vec![build::stmt(error, Span::NOWHERE)];
    let (name, span) = ("poll".to_owned(), Span::NOWHERE);
    Function { name, locals: Vec::new(), n_params: 0, result: Some(TypeId::BOOL), body, span }
}

fn condition(name: &str, kind: PropertyKind, locals: Locals, condition: Expr) -> Property {
    Property { name: name.to_owned(), kind, binders: Vec::new(), locals, condition, span: Span::NOWHERE }
}

/// The processes and channels to make room for.
fn foresee(model: &crate::load::Model) -> Created {
    let mut found = created(model, LOOK);
    if found.complete {
        return found;
    }
    // Any process type that is started anywhere may have any number, and make its channels under any.
    let started: BTreeSet<ProcId> = model
        .flow
        .procs
        .iter()
        .flat_map(|automaton| {
            automaton.actions.iter().filter_map(|step| match &step.action {
                Action::Basic(crate::typed::Basic::Condition(expr) | crate::typed::Basic::Assign(_, expr)) => {
                    match &expr.kind {
                        Typed::Run(run) => Some(run.proc),
                        _ => None,
                    }
                }
                _ => None,
            })
        })
        .collect();
    let n_procs = (found.procs.len() + SPARE).min(255);
    found.procs.resize_with(n_procs.max(found.procs.len()), Default::default);
    found.procs.iter_mut().for_each(|procs| procs.extend(&started));
    let kinds: BTreeSet<ChanTypeId> = started
        .iter()
        .flat_map(|proc| &model.program.procs[proc.index()].frame.inits)
        .filter_map(|init| match init.value {
            InitValue::NewChan(kind) => Some(kind),
            InitValue::Expr(_) => None,
        })
        .collect();
    let n_global =
        model.program.globals.inits.iter().filter(|init| matches!(init.value, InitValue::NewChan(_))).count();
    if !kinds.is_empty() {
        found.chans.resize_with(found.chans.len() + SPARE, Default::default);
        found.chans.iter_mut().skip(n_global).for_each(|chans| chans.extend(&kinds));
    }
    found
}

fn needs(model: &crate::load::Model, created: &Created, cells: &Cells) -> Needs {
    let lives = |index: usize| created.procs.iter().any(|procs| procs.contains(&ProcId(index as u32)));
    let automata = || model.flow.procs.iter().enumerate().filter(|(index, _)| lives(*index));
    let first = created.first.as_ref().map(|first| first.before.procs[0].proc.index());
    let exclusive = automata().any(|(index, automaton)| {
        let start = match (&created.first, first == Some(index)) {
            (Some(first), true) => first.after.procs[0].at,
            _ => automaton.start,
        };
        reachable(automaton, start).into_iter().any(|at| automaton.moves(at).iter().any(|step| step.atomic))
    });
    let steady_numbers = created.complete
        && created.runs.values().all(|pids| pids.len() == 1)
        && created.made.values().all(|made| made.len() == 1);
    let ends = automata().any(|(_, automaton)| {
        let is_end = |at: &Location| {
            let mut moves = automaton.moves(*at).iter();
            moves.any(|step| matches!(automaton.action(step.action), Action::Terminate))
        };
        reachable(automaton, automaton.start).iter().any(is_end)
    });
    Needs { exclusive, count: ends || cells.asks_count || !steady_numbers, steady: steady_numbers }
}

/// The places that can be reached from one.
fn reachable(automaton: &Automaton, from: Location) -> BTreeSet<Location> {
    let mut reached = BTreeSet::from([from]);
    let mut pending = vec![from];
    while let Some(at) = pending.pop() {
        pending.extend(automaton.moves(at).iter().filter_map(|step| step.to).filter(|&to| reached.insert(to)));
    }
    reached
}

fn hidden(program: &Program, shapes: &Shapes) -> Vec<(GlobalId, TypeId)> {
    let vars = program.globals.vars.iter().zip(&shapes.vars);
    let hidden = vars.filter(|(var, _)| var.visibility == Some(Visibility::Hidden));
    hidden
        .filter_map(|(_, home)| match home {
            Home::Global(global, ty) => Some((*global, *ty)),
            Home::Field(_) | Home::Constant(..) => None,
        })
        .collect()
}
