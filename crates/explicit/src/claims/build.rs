//! Making the graph: every stored state is expanded once more, this time with names.
//!
//! The search itself keeps neither instances nor permutations. Going over its states again keeps it as fast and as small
//! as it is, and the graph does not depend on how many threads searched in which order, only on the states found.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use burnside_engine::{Breach, Shortfall, Takers, UnitKey, Units};
use burnside_interp::{Interpreter, Outcome, STACK_BYTES};
use burnside_ir::{Binder, Condition, Domain, Model, PropertyId, PropertyKind, RuleId, TypeId};
use burnside_step::Code;
use burnside_store::Codec;
use burnside_symmetry::Tracker;
use burnside_temporal::{RenamingId, Start, State, Unit};
use rustc_hash::FxHashMap;

use super::graph::{ENDED, Edge, Instance, OUTSIDE, Origin, StateGraph, States, TruthTable, UNCHANGED};
use super::points::Points;
use super::second::{self, Second};
use super::{Failure, Found, Stored};
use crate::partial::Chooser;

/// How many states a thread takes at a time.
const CHUNK: usize = 1 << 12;

/// What one thread has made of some states, with numbers of its own for renamings and instances.
#[derive(Default)]
struct Part {
    /// How many steps each state has.
    n_edges: Vec<u32>,
    /// The targets are still to be found.
    edges: Vec<Edge>,
    /// The representatives that the steps lead to, one after the other.
    targets: Vec<u64>,
    renamings: Vec<Box<[u32]>>,
    instances: Vec<(RuleId, Takers)>,
    /// For each condition the values of its instances, state by state: 1 where it holds.
    truth: Vec<Vec<u8>>,
    is_cut: bool,
    failure: Option<Failure>,
}

/// The conditions that properties speak of, each once: the propositions of formulas, and liveness properties themselves.
pub(crate) fn propositions(model: &Model, properties: &[PropertyId]) -> Vec<PropertyId> {
    let is_liveness = |property: &&PropertyId| model.property(**property).kind == PropertyKind::Liveness;
    let mut found: Vec<PropertyId> = properties.iter().filter(is_liveness).copied().collect();
    for claim in properties.iter().filter_map(|&property| model.claim(property)) {
        claim.for_each_condition(|applied| found.push(applied.condition));
    }
    for automaton in properties.iter().filter_map(|&property| model.automaton(property)) {
        automaton.for_each_condition(|condition| match condition {
            Condition::Property(property) => found.push(property),
            Condition::Ended => {}
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The types that the parameters of a condition go through.
pub(crate) fn parameter_types(model: &Model, property: PropertyId) -> Vec<TypeId> {
    let domains = model.property(property).binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => Some(*ty),
        _ => None,
    });
    domains.collect()
}

/// For each parameter of a condition, by point, how far its value is among the instances.
fn places(points: &Points, types: &[TypeId]) -> Vec<Vec<u32>> {
    let mut stride = 1;
    let mut places: Vec<Vec<u32>> = types
        .iter()
        .rev()
        .map(|&ty| {
            let mut of_type = vec![0; points.degree()];
            for (number, point) in points.domain(ty).into_iter().enumerate() {
                of_type[point as usize] = (number * stride) as u32;
            }
            stride *= points.n_values(ty);
            of_type
        })
        .collect();
    places.reverse();
    places
}

/// The types whose values are points.
fn point_types(found: &Stored<'_, impl Codec>, units: &[UnitKey], unit_types: &[Vec<TypeId>]) -> Vec<TypeId> {
    let model = found.task.model;
    let processes = units.iter().filter_map(|unit| match unit {
        UnitKey::Process(ty, _) | UnitKey::Owner(_, Some((ty, _))) => Some(*ty),
        _ => None,
    });
    let claims = found.properties.iter().filter_map(|&property| model.claim(property));
    let variables = claims.flat_map(|claim| claim.variables.iter().map(|variable| variable.ty));
    let conditions = propositions(model, found.properties).into_iter();
    let parameters = conditions.flat_map(|condition| parameter_types(model, condition));
    processes.chain(variables).chain(parameters).chain(unit_types.iter().flatten().copied()).collect()
}

/// The graph of everything that the search has found.
pub(crate) fn build<'a, C: Codec>(found: &'a Found<'a, C>) -> Result<StateGraph<'a>, Failure> {
    let stored = &found.stored;
    let task = stored.task;
    let rules = || (0..task.model.rules.len() as u32).map(RuleId);
    let units = Units::new(task.model, task.fairness.unit);
    let keys = units.all(task.model);
    let unit_types: Vec<Vec<TypeId>> = rules().map(|rule| units.types(rule).collect()).collect();
    let points = Points::new(task.model, stored.reduction, point_types(stored, &keys, &unit_types));
    let unit_numbers: HashMap<UnitKey, Unit> = keys.iter().cloned().zip(0..).collect();
    let truth = propositions(task.model, stored.properties).into_iter().map(|property| {
        let types = parameter_types(task.model, property);
        let n_instances = types.iter().map(|&ty| points.n_values(ty)).product();
        let places = places(&points, &types);
        TruthTable { property, places, n_instances, bits: vec![0; (stored.ids.len() * n_instances).div_ceil(64)] }
    });
    let truth = truth.collect();
    let identity: Vec<u32> = (0..stored.reduction.map_or(0, |it| it.n_vertices()) as u32).collect();
    let mut graph = StateGraph {
        n_words: task.layout.n_words(),
        n_states: stored.ids.len(),
        states: stored,
        tracker: stored.reduction.map(|reduction| reduction.tracker().into()),
        merges: Cell::new(false),
        starts: Vec::new(),
        origins: Vec::new(),
        first_edge: vec![0],
        edges: Vec::new(),
        renamings: vec![points.permutation(&identity)],
        instances: Vec::new(),
        units: keys,
        unit_numbers,
        unit_types,
        truth,
        is_cut: false,
        points,
    };
    let mut merger =
        Merger { renamings: FxHashMap::from_iter([(identity.into(), UNCHANGED)]), instances: HashMap::new() };
    let compiled = second::compile(task, stored.strict_types());
    expand_all(*stored, compiled.as_ref(), &mut |part| merger.add(&mut graph, part, found))?;
    add_starts(found, &mut graph);
    Ok(graph)
}

/// Expands all states, on as many threads as the task allows, and hands over what they make in order.
fn expand_all<C: Codec>(
    stored: Stored<'_, C>,
    compiled: Option<&Code>,
    merge: &mut dyn FnMut(Part) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let n_threads = stored.task.threads.get().min(64);
    let chunks: Vec<Range<usize>> =
        (0..stored.ids.len()).step_by(CHUNK).map(|at| at..(at + CHUNK).min(stored.ids.len())).collect();
    let stopped = AtomicBool::new(false);
    for round in chunks.chunks(n_threads) {
        let parts: Vec<Part> = thread::scope(|scope| {
            let work = |chunk: Range<usize>| Worker::new(stored, compiled).run(chunk, &stopped);
            let others: Vec<_> = round[1..]
                .iter()
                .map(|chunk| {
                    let chunk = chunk.clone();
                    let spawned = thread::Builder::new().stack_size(STACK_BYTES);
                    (chunk.clone(), spawned.spawn_scoped(scope, move || work(chunk)))
                })
                .collect();
            let mut parts = vec![work(round[0].clone())];
            parts.extend(others.into_iter().map(|(chunk, other)| match other {
                Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // No thread could be had: do it here.
                Err(_) => work(chunk),
            }));
            parts
        });
        parts.into_iter().try_for_each(&mut *merge)?;
    }
    Ok(())
}

/// Expands states on one thread.
struct Worker<'a, C: Codec> {
    stored: Stored<'a, C>,
    second: Second<'a>,
    chooser: Option<Chooser<'a>>,
    tracker: Option<Tracker<'a>>,
    renamings: FxHashMap<Box<[u32]>, RenamingId>,
    propositions: Vec<PropertyId>,
    part: Part,
}

impl<'a, C: Codec> Worker<'a, C> {
    fn new(stored: Stored<'a, C>, compiled: Option<&'a Code>) -> Self {
        let task = stored.task;
        let propositions = propositions(task.model, stored.properties);
        Self {
            stored,
            second: Second::new(task, stored.strict_types(), compiled),
            chooser: stored.partial.map(|(order, _)| Chooser::new(order)),
            tracker: stored.reduction.map(|reduction| reduction.tracker()),
            renamings: FxHashMap::default(),
            part: Part { truth: vec![Vec::new(); propositions.len()], ..Part::default() },
            propositions,
        }
    }

    fn run(mut self, chunk: Range<usize>, stopped: &AtomicBool) -> Part {
        let mut words = vec![0; self.stored.task.layout.n_words()];
        for at in chunk {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            self.stored.read(at as State, &mut words);
            self.second.look_at(&words);
            self.expand(at);
            if let Err(failure) = self.evaluate(at) {
                self.part.failure = Some(failure);
                stopped.store(true, Ordering::Relaxed);
                break;
            }
        }
        self.part.instances = self.second.into_instances();
        self.part
    }

    /// The values of all conditions in a state.
    fn evaluate(&mut self, at: usize) -> Result<(), Failure> {
        for (number, &property) in self.propositions.iter().enumerate() {
            let end = self.second.evaluate(property, &mut self.part.truth[number]);
            end.map_err(|fault| Failure::Broken(self.stored.ids[at], Breach::PropertyFault(property, fault)))?;
        }
        Ok(())
    }

    fn expand(&mut self, at: usize) {
        let Self { stored, second, chooser, tracker, renamings, part, .. } = self;
        let is_forced = stored.partial.is_some_and(|(_, forced)| forced.contains(&stored.ids[at]));
        let chooser = chooser.as_mut().filter(|_| !is_forced);
        let mut images = Vec::new();
        let begin = part.edges.len();
        let mut n_enabled = 0;
        second.expand(chooser, |instance, next| {
            n_enabled += 1;
            let Some(words) = next else {
                part.is_cut = true;
                return;
            };
            if let Some(tracker) = tracker {
                tracker.canonicalise(words, &mut images);
            }
            let renaming = match renamings.get(&images[..]) {
                Some(&known) => known,
                None => {
                    part.renamings.push(images.clone().into());
                    renamings.insert(images.clone().into(), part.renamings.len() as u32 - 1);
                    part.renamings.len() as u32 - 1
                }
            };
            part.targets.extend_from_slice(words);
            part.edges.push(Edge { target: 0, renaming, instance });
        });
        if n_enabled == 0 {
            // Nothing is enabled: the execution stays here. Without renaming there are no images to intern.
            part.edges.push(Edge { target: at as State, renaming: UNCHANGED, instance: ENDED });
        }
        part.n_edges.push((part.edges.len() - begin) as u32);
    }
}

/// Puts parts together, in order.
struct Merger {
    renamings: FxHashMap<Box<[u32]>, RenamingId>,
    instances: HashMap<(RuleId, Takers), u32>,
}

impl Merger {
    fn add<C: Codec>(&mut self, graph: &mut StateGraph<'_>, part: Part, found: &Found<'_, C>) -> Result<(), Failure> {
        if let Some(failure) = part.failure {
            return Err(failure);
        }
        let n_before = graph.first_edge.len() - 1;
        let renamings: Vec<RenamingId> =
            part.renamings.into_iter().map(|images| self.renaming(graph, images)).collect();
        let instances: Vec<u32> = part.instances.into_iter().map(|instance| self.instance(graph, instance)).collect();
        let reserved = graph.edges.try_reserve(part.edges.len());
        reserved.map_err(|_| Failure::Short(Shortfall::Memory))?;
        let mut edges = part.edges.into_iter();
        let mut targets = part.targets.chunks_exact(graph.n_words);
        for n_edges in part.n_edges {
            for edge in edges.by_ref().take(n_edges as usize) {
                if edge.instance == ENDED {
                    graph.edges.push(edge);
                    continue;
                }
                let words = targets.next().expect("every step that leads on has a target");
                let target = found.number(words).or(found.is_partial.then_some(OUTSIDE));
                let Some(target) = target else {
                    // An assumption has left the state out; nothing else may.
                    if !found.has_assumptions {
                        return Err(Failure::Lost);
                    }
                    graph.is_cut = true;
                    continue;
                };
                let (renaming, instance) = (renamings[edge.renaming as usize], instances[edge.instance as usize]);
                graph.edges.push(Edge { target, renaming, instance });
            }
            graph.first_edge.push(graph.edges.len() as u64);
        }
        for (table, truth) in graph.truth.iter_mut().zip(part.truth) {
            let begin = n_before * table.n_instances;
            for (at, _) in truth.into_iter().enumerate().filter(|(_, holds)| *holds == 1) {
                table.bits[(begin + at) / 64] |= 1 << ((begin + at) % 64);
            }
        }
        graph.is_cut |= part.is_cut;
        let bytes = graph.edges.capacity() * size_of::<Edge>() + graph.first_edge.capacity() * 8;
        (found.stop)(bytes as u64).map_or(Ok(()), |shortfall| Err(Failure::Short(shortfall)))
    }

    fn renaming(&mut self, graph: &mut StateGraph<'_>, images: Box<[u32]>) -> RenamingId {
        if let Some(&known) = self.renamings.get(&images) {
            return known;
        }
        graph.renamings.push(graph.points.permutation(&images));
        let id = graph.renamings.len() as RenamingId - 1;
        self.renamings.insert(images, id);
        id
    }

    fn instance(&mut self, graph: &mut StateGraph<'_>, (rule, takers): (RuleId, Takers)) -> u32 {
        let taken = takers.all.iter().map(|key| graph.unit_numbers[key]).collect();
        let mover = takers.mover.as_ref().map(|key| graph.unit_numbers[key]);
        *self.instances.entry((rule, takers)).or_insert_with(|| {
            graph.instances.push(Instance { rule, mover, taken });
            graph.instances.len() as u32 - 1
        })
    }
}

/// The start states that are stored, each with its frame.
fn add_starts<C: Codec>(found: &Found<'_, C>, graph: &mut StateGraph<'_>) {
    let task = found.stored.task;
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut tracker = found.stored.reduction.map(|reduction| reduction.tracker());
    interpreter.starts(|start, args, outcome| {
        let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
        let mut words = vec![0; task.layout.n_words()];
        task.layout.pack(values, &mut words);
        let state: Box<[u64]> = words.clone().into();
        let mut images = Vec::new();
        if let Some(tracker) = &mut tracker {
            tracker.canonicalise(&mut words, &mut images);
        }
        if let Some(number) = found.number(&words) {
            let frame = graph.points.permutation(&images).inverse();
            graph.starts.push(Start { state: number, frame });
            graph.origins.push(Origin { start, args: args.to_vec(), state });
        }
        ControlFlow::Continue(())
    });
}

/// Whether a model leaves states out.
pub(crate) fn has_assumptions(model: &Model) -> bool {
    model.properties_of(PropertyKind::Assumption).next().is_some()
}
