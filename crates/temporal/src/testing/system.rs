//! Small symmetric systems of processes, and their graphs up to symmetry.

use std::collections::BTreeMap;

use burnside_group::Permutation;

use crate::graph::{Point, Quotient, RenamingId, Start, State, Step, Unit};

/// A state: shared values, references to processes (-1: none), and one local value for each process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Values {
    pub(crate) shared: Vec<i8>,
    pub(crate) references: Vec<i8>,
    pub(crate) locals: Vec<i8>,
}

impl Values {
    pub(crate) fn new(shared: &[i8], references: &[i8], locals: &[i8]) -> Self {
        Values { shared: shared.to_vec(), references: references.to_vec(), locals: locals.to_vec() }
    }

    pub(crate) fn renamed(&self, by: &Permutation) -> Self {
        let image = |&reference: &i8| if reference < 0 { reference } else { by.image(reference as usize) as i8 };
        Values {
            shared: self.shared.clone(),
            references: self.references.iter().map(image).collect(),
            locals: if self.locals.is_empty() { Vec::new() } else { by.permute(&self.locals) },
        }
    }

    /// The same with another local value.
    pub(crate) fn with(&self, process: usize, value: i8) -> Self {
        let mut changed = self.clone();
        changed.locals[process] = value;
        changed
    }
}

/// A step of a process by a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fired {
    pub(crate) process: usize,
    pub(crate) rule: u32,
    pub(crate) target: Values,
}

pub(crate) type Rules = Box<dyn Fn(&Values) -> Vec<Fired>>;
pub(crate) type Condition = Box<dyn Fn(&Values, &[Point]) -> bool>;

/// A system and a group of its automorphisms.
pub(crate) struct System {
    pub(crate) name: String,
    pub(crate) n: usize,
    pub(crate) group: Vec<Permutation>,
    pub(crate) starts: Vec<Values>,
    pub(crate) rules: Rules,
    pub(crate) conditions: Vec<(&'static str, Condition)>,
}

impl System {
    /// The number of a condition.
    pub(crate) fn condition(&self, name: &str) -> u32 {
        let found = self.conditions.iter().position(|(own, _)| *own == name);
        found.unwrap_or_else(|| panic!("{} has no condition {name}", self.name)) as u32
    }

    pub(crate) fn holds(&self, values: &Values, condition: u32, arguments: &[Point]) -> bool {
        self.conditions[condition as usize].1(values, arguments)
    }

    /// All reachable states, in the order of a breadth-first search.
    pub(crate) fn reachable(&self) -> Vec<Values> {
        let mut known: BTreeMap<Values, ()> = BTreeMap::new();
        let mut found = Vec::new();
        let mut add = |values: Values, found: &mut Vec<Values>| {
            if known.insert(values.clone(), ()).is_none() {
                found.push(values);
            }
        };
        self.starts.iter().for_each(|start| add(start.clone(), &mut found));
        let mut at = 0;
        while at < found.len() {
            for fired in (self.rules)(&found[at].clone()) {
                add(fired.target, &mut found);
            }
            at += 1;
        }
        found
    }
}

pub(crate) fn symmetric(n: usize) -> Vec<Permutation> {
    blocks(&[n])
}

/// All permutations that keep blocks of these sizes.
pub(crate) fn blocks(sizes: &[usize]) -> Vec<Permutation> {
    let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
    let mut base = 0;
    for &size in sizes {
        for _ in 0..size {
            lists = lists
                .iter()
                .flat_map(|list| {
                    let free = (base..base + size).filter(|image| !list.contains(image));
                    free.map(|image| list.iter().copied().chain([image]).collect()).collect::<Vec<_>>()
                })
                .collect();
        }
        base += size;
    }
    lists.iter().map(|images| Permutation::from_images(images).expect("a permutation")).collect()
}

pub(crate) fn rotations(n: usize) -> Vec<Permutation> {
    let rotation = |by: usize| (0..n).map(|point| (point + by) % n).collect::<Vec<_>>();
    (0..n).map(|by| Permutation::from_images(&rotation(by)).expect("a permutation")).collect()
}

pub(crate) fn dihedral(n: usize) -> Vec<Permutation> {
    let flip = |by: usize| (0..n).map(|point| (by + n - point) % n).collect::<Vec<_>>();
    let flips = (0..n).map(|by| Permutation::from_images(&flip(by)).expect("a permutation"));
    let mut all: Vec<_> = rotations(n).into_iter().chain(flips).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What executions are fair to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    Processes,
    Rules,
    Instances,
}

/// The number of rules that units leave room for.
pub(crate) const MAX_RULES: usize = 8;

impl Units {
    pub(crate) fn count(self, n: usize) -> usize {
        match self {
            Units::Processes => n,
            Units::Rules => MAX_RULES,
            Units::Instances => MAX_RULES * n,
        }
    }

    pub(crate) fn of(self, n: usize, rule: u32, process: usize) -> Unit {
        match self {
            Units::Processes => process as Unit,
            Units::Rules => rule,
            Units::Instances => rule * n as u32 + process as u32,
        }
    }

    pub(crate) fn image(self, n: usize, unit: Unit, by: &Permutation) -> Unit {
        let process = by.image(unit as usize % n) as Unit;
        match self {
            Units::Processes => process,
            Units::Rules => unit,
            Units::Instances => unit - unit % n as u32 + process,
        }
    }
}

/// How a graph is made from a system.
#[derive(Clone, Debug)]
pub(crate) struct Making {
    /// Representatives are least among the images under these; the identity alone gives the whole graph.
    pub(crate) images: Vec<Permutation>,
    /// Whether nodes of the product are merged by stabilisers.
    pub(crate) merge: bool,
    /// Whether one step is given for all that a stabiliser takes to one another.
    pub(crate) prune: bool,
    pub(crate) units: Units,
}

impl Making {
    pub(crate) fn whole(system: &System) -> Self {
        Making { images: vec![Permutation::identity(system.n)], merge: false, prune: false, units: Units::Processes }
    }

    pub(crate) fn quotient(system: &System) -> Self {
        Making { images: system.group.clone(), ..Self::whole(system) }
    }

    pub(crate) fn merged(system: &System) -> Self {
        Making { merge: true, ..Self::quotient(system) }
    }

    pub(crate) fn pruned(system: &System) -> Self {
        Making { prune: true, ..Self::merged(system) }
    }
}

struct StoredStep {
    target: State,
    renaming: RenamingId,
    rule: Option<u32>,
    actors: Vec<Point>,
    taken: Vec<Unit>,
    label: u32,
}

/// A system's graph up to symmetry.
pub(crate) struct TestGraph<'a> {
    pub(crate) system: &'a System,
    making: Making,
    pub(crate) states: Vec<Values>,
    numbers: BTreeMap<Values, State>,
    steps: Vec<Vec<StoredStep>>,
    starts: Vec<Start>,
}

impl<'a> TestGraph<'a> {
    pub(crate) fn new(system: &'a System, making: Making) -> Self {
        let (states, numbers, steps, starts) = (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
        let mut graph = TestGraph { system, making, states, numbers, steps, starts };
        for start in &system.starts {
            let (state, renaming) = graph.state(start);
            let frame = graph.making.images[renaming as usize].inverse();
            graph.starts.push(Start { state, frame });
        }
        while graph.steps.len() < graph.states.len() {
            let steps = graph.expand(graph.steps.len());
            graph.steps.push(steps);
        }
        graph
    }

    pub(crate) fn n_states(&self) -> usize {
        self.states.len()
    }

    fn state(&mut self, values: &Values) -> (State, RenamingId) {
        let images = self.making.images.iter().enumerate();
        let (least, renaming) = images.map(|(id, by)| (values.renamed(by), id)).min().expect("the identity is there");
        let next = self.states.len() as State;
        let state = *self.numbers.entry(least.clone()).or_insert(next);
        if state == next {
            self.states.push(least);
        }
        (state, renaming as RenamingId)
    }

    fn expand(&mut self, state: usize) -> Vec<StoredStep> {
        let values = self.states[state].clone();
        let stabiliser = if self.making.prune { self.stabiliser(&values) } else { Vec::new() };
        let mut covered: Vec<Fired> = Vec::new();
        let mut steps = Vec::new();
        for (label, fired) in (self.system.rules)(&values).into_iter().enumerate() {
            if covered.contains(&fired) {
                continue;
            }
            covered.extend(stabiliser.iter().map(|by| Fired {
                process: by.image(fired.process),
                rule: fired.rule,
                target: fired.target.renamed(by),
            }));
            let (target, renaming) = self.state(&fired.target);
            steps.push(StoredStep {
                target,
                renaming,
                rule: Some(fired.rule),
                actors: vec![fired.process as Point],
                taken: vec![self.making.units.of(self.system.n, fired.rule, fired.process)],
                label: label as u32,
            });
        }
        if steps.is_empty() {
            let identity = self.making.images.iter().position(Permutation::is_identity).expect("it is there");
            let renaming = identity as RenamingId;
            let (target, rule) = (state as State, None);
            steps.push(StoredStep { target, renaming, rule, actors: Vec::new(), taken: Vec::new(), label: u32::MAX });
        }
        steps
    }

    fn stabiliser(&self, values: &Values) -> Vec<Permutation> {
        self.system.group.iter().filter(|by| values.renamed(by) == *values).cloned().collect()
    }
}

impl Quotient for TestGraph<'_> {
    fn degree(&self) -> usize {
        self.system.n
    }

    fn starts(&self) -> Vec<Start> {
        self.starts.clone()
    }

    fn for_each_step(&self, state: State, mut visit: impl FnMut(Step<'_>)) {
        for step in &self.steps[state as usize] {
            visit(Step {
                target: step.target,
                renaming: step.renaming,
                rule: step.rule,
                actors: &step.actors,
                taken: &step.taken,
                label: step.label,
            });
        }
    }

    fn renaming(&self, id: RenamingId) -> Permutation {
        self.making.images[id as usize].clone()
    }

    fn holds(&self, state: State, proposition: u32, arguments: &[Point]) -> bool {
        self.system.holds(&self.states[state as usize], proposition, arguments)
    }

    fn n_units(&self) -> usize {
        self.making.units.count(self.system.n)
    }

    fn unit_image(&self, unit: Unit, by: &Permutation) -> Unit {
        self.making.units.image(self.system.n, unit, by)
    }

    fn enabled(&self, state: State, out: &mut Vec<Unit>) {
        let fired = (self.system.rules)(&self.states[state as usize]);
        out.extend(fired.iter().map(|fired| self.making.units.of(self.system.n, fired.rule, fired.process)));
        out.sort_unstable();
        out.dedup();
    }

    fn symmetries(&self, state: State) -> Vec<Permutation> {
        let wanted = self.making.merge || self.making.prune;
        if wanted { self.stabiliser(&self.states[state as usize]) } else { Vec::new() }
    }

    fn is_pruned(&self) -> bool {
        self.making.prune
    }

    fn fixes(&self, state: State, by: &Permutation) -> bool {
        let values = &self.states[state as usize];
        values.renamed(by) == *values
    }
}
