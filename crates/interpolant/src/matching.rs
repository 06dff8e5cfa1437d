//! Finding a renaming under which an explanation covers a state.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::control::Configuration;
use crate::eval::{Renaming, World};
use crate::names::Class;
use crate::products::Products;
use crate::runs::Repeats;
use crate::term::{Node, Term, Terms};

/// How many choices are tried before an explanation is taken not to cover a state.
const MOST_CHOICES: u32 = 1000;
/// How many choices are tried for a state with all explanations together.
pub(crate) const MOST_CHOICES_OF_ALL: u32 = 4000;

/// An explanation as the search for renamings sees it.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    facts: Rc<[Term]>,
    /// Its control, in short.
    control: Repeats,
    /// In which order names are chosen, made when it is first asked for.
    plan: Option<Plan>,
    /// The fact that failed last.
    suspect: Option<Term>,
}

/// In which order names are chosen.
#[derive(Debug, Clone, Default)]
struct Plan {
    /// The names that facts mention.
    choices: Vec<(u32, u32)>,
    /// By choice: the facts all of whose names are chosen then; first of all those without names.
    ripe: Vec<Vec<Term>>,
}

/// Which renamings are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// None but the one that changes nothing.
    Identity,
    /// The names of one colour in order.
    One,
    /// All that keep colours, up to a limit.
    All,
}

/// A state, with what is needed to evaluate facts in it.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) classes: &'a [Class],
    pub(crate) state: &'a [i64],
    pub(crate) configuration: &'a Configuration,
}

impl Pattern {
    pub(crate) fn new(facts: Rc<[Term]>, configuration: &Configuration) -> Self {
        Self { facts, control: configuration.sequence(), plan: None, suspect: None }
    }

    /// Memory in use.
    pub(crate) fn bytes(&self) -> u64 {
        (self.facts.len() * 8 + self.control.bytes() + 200) as u64
    }

    /// A renaming that makes the control the candidate's and all facts true in it. Choices tried are taken off `budget`.
    pub(crate) fn covers(&mut self, candidate: Candidate<'_>, effort: Effort, budget: &mut u32) -> Option<Renaming> {
        let mine = Configuration::of_sequence(candidate.classes, &self.control);
        let renaming = match effort {
            Effort::Identity => candidate.classes.iter().map(|class| (0..class.size).collect()).collect(),
            Effort::One | Effort::All => in_order(&mine, candidate.configuration),
        };
        if self.holds(candidate, &renaming) {
            return Some(renaming);
        }
        if effort == Effort::All && self.is_feasible(candidate, &mine, &renaming) {
            self.search(candidate, &mine, budget)
        } else {
            None
        }
    }

    fn holds(&mut self, candidate: Candidate<'_>, renaming: &Renaming) -> bool {
        let world = candidate.world(renaming);
        if self.suspect.is_some_and(|fact| !world.holds(fact)) {
            return false;
        }
        self.suspect = self.facts.iter().copied().find(|&fact| !world.holds(fact));
        self.suspect.is_none()
    }

    /// Whether each inequality by itself holds under some renaming: under the one that makes its sum least. There, of
    /// names of one colour, those with the greatest factors have the least images (the rearrangement inequality).
    fn is_feasible(&self, candidate: Candidate<'_>, mine: &Configuration, renaming: &Renaming) -> bool {
        let world = candidate.world(renaming);
        self.facts.iter().all(|&fact| match candidate.terms.node(fact) {
            Node::AtMost { products, bound } if !world.holds(fact) => {
                let least = least(candidate, mine, &world, products);
                least.is_none_or(|least| least <= i128::from(*bound))
            }
            _ => true,
        })
    }

    fn search(&mut self, candidate: Candidate<'_>, mine: &Configuration, budget: &mut u32) -> Option<Renaming> {
        let plan = self.plan.get_or_insert_with(|| Plan::new(candidate.terms, &self.facts));
        let sizes = mine.colours.iter().map(Vec::len);
        let images = sizes.clone().map(|size| vec![UNCHOSEN; size]).collect();
        let taken = sizes.map(|size| vec![false; size]).collect();
        let allowed = MOST_CHOICES.min(*budget);
        let mut search = Search { plan, mine, candidate, images, taken, budget: allowed };
        let first = plan.ripe.first()?;
        let world = candidate.world(&search.images);
        if !first.iter().all(|&fact| world.holds(fact)) {
            return None;
        }
        let found = search.choose(0);
        *budget -= allowed - search.budget;
        if !found {
            return None;
        }
        search.complete();
        Some(search.images)
    }
}

/// The k-th name of each colour becomes the k-th name of that colour.
fn in_order(mine: &Configuration, theirs: &Configuration) -> Renaming {
    let rename = |(mine, theirs): (&Vec<u32>, &Vec<u32>)| {
        let mut images = vec![0; mine.len()];
        mine.iter().zip(theirs).for_each(|(&from, &to)| images[from as usize] = to);
        images
    };
    mine.order.iter().zip(&theirs.order).map(rename).collect()
}

/// The least value of a sum under all renamings that keep colours; none if names occur inside of its products.
fn least(candidate: Candidate<'_>, mine: &Configuration, world: &World<'_>, products: &Products) -> Option<i128> {
    let mut total = 0;
    let mut factors: BTreeMap<(u32, u32), Vec<i128>> = BTreeMap::new();
    for (term, factor) in products.iter() {
        let factor = i128::from(factor);
        match candidate.terms.node(term) {
            Node::Name { class, index } => {
                let colour = mine.colours[*class as usize][*index as usize];
                factors.entry((*class, colour)).or_default().push(factor);
            }
            _ if !names_in(candidate.terms, term).is_empty() => return None,
            _ => total += factor * i128::from(world.value(term).ok()?),
        }
    }
    for ((class, colour), mut factors) in factors {
        let (order, colours) =
            (&candidate.configuration.order[class as usize], &candidate.configuration.colours[class as usize]);
        let alike = order.iter().filter(|&&name| colours[name as usize] == colour);
        let lo = candidate.classes[class as usize].lo;
        let values: Vec<i128> = alike.map(|&name| i128::from(lo) + i128::from(name)).collect();
        factors.resize(values.len(), 0);
        factors.sort_unstable_by_key(|&factor| std::cmp::Reverse(factor));
        total += factors.iter().zip(&values).map(|(factor, value)| factor * value).sum::<i128>();
    }
    Some(total)
}

impl Plan {
    /// Orders names so that facts with few of them can be evaluated early.
    fn new(terms: &Terms, facts: &[Term]) -> Self {
        let mut plan = Self { choices: Vec::new(), ripe: vec![Vec::new()] };
        let mut by_fact: Vec<(Vec<(u32, u32)>, Term)> =
            facts.iter().map(|&fact| (names_in(terms, fact), fact)).collect();
        by_fact.sort_by_key(|(names, _)| names.len());
        let mut chosen: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for (names, fact) in by_fact {
            let mut last = 0;
            for name in names {
                let at = *chosen.entry(name).or_insert_with(|| {
                    plan.choices.push(name);
                    plan.ripe.push(Vec::new());
                    plan.choices.len()
                });
                last = last.max(at);
            }
            plan.ripe[last].push(fact);
        }
        plan
    }
}

impl<'a> Candidate<'a> {
    fn world(self, renaming: &'a [Vec<u32>]) -> World<'a> {
        World { terms: self.terms, classes: self.classes, state: self.state, renaming, params: &[] }
    }
}

const UNCHOSEN: u32 = u32::MAX;

/// Backtracking over the images of names.
struct Search<'a> {
    plan: &'a Plan,
    mine: &'a Configuration,
    candidate: Candidate<'a>,
    images: Renaming,
    /// By class and name, whether it is an image already.
    taken: Vec<Vec<bool>>,
    budget: u32,
}

impl Search<'_> {
    fn choose(&mut self, depth: usize) -> bool {
        let Some(&(class, name)) = self.plan.choices.get(depth) else { return true };
        let (class, name) = (class as usize, name as usize);
        let colour = self.mine.colours[class][name];
        let theirs = self.candidate.configuration;
        let begin = theirs.order[class].partition_point(|&it| theirs.colours[class][it as usize] < colour);
        let alike = theirs.order[class][begin..].iter().take_while(|&&it| theirs.colours[class][it as usize] == colour);
        for &image in alike {
            if self.taken[class][image as usize] {
                continue;
            }
            if self.budget == 0 {
                return false;
            }
            self.budget -= 1;
            self.images[class][name] = image;
            self.taken[class][image as usize] = true;
            let world = self.candidate.world(&self.images);
            let fits = self.plan.ripe[depth + 1].iter().all(|&fact| world.holds(fact));
            if fits && self.choose(depth + 1) {
                return true;
            }
            self.taken[class][image as usize] = false;
        }
        self.images[class][name] = UNCHOSEN;
        false
    }

    /// Gives the names that no fact mentions the images that are left, colour by colour.
    fn complete(&mut self) {
        let (mine, theirs) = (self.mine, self.candidate.configuration);
        for class in 0..self.images.len() {
            let taken = &self.taken[class];
            let mut free = theirs.order[class].iter().filter(|&&name| !taken[name as usize]);
            for &name in &mine.order[class] {
                let image = &mut self.images[class][name as usize];
                if *image == UNCHOSEN {
                    *image = *free.next().expect("as many images as names");
                }
            }
        }
    }
}

/// The names that a term mentions, each once, in order.
fn names_in(terms: &Terms, term: Term) -> Vec<(u32, u32)> {
    let mut names = Vec::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        match terms.node(term) {
            Node::Name { class, index } => names.push((*class, *index)),
            _ => terms.children(term, &mut |child| pending.push(child)),
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}
