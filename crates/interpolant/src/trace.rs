//! One step, or one condition, traced: what it computes as terms over the state it starts from, and the facts about
//! that state on which the way it took depends.
//!
//! A [`Tracer`] lives as long as one state is looked at. `expr` and `stmt` follow the model's text, `memory` keeps what
//! is written, `why` picks facts, `pull` takes facts about the state after a step back to the state before.

use burnside_ir::{Local, LocalId, LocalMode, TypeId};
use rustc_hash::FxHashMap;

use crate::eval::{Faulted, World};
use crate::memory::{Log, Spot};
use crate::setup::{Author, Setup};
use crate::term::{Root, Term, Terms};

/// Why tracing ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// There is no explanation in facts; the state explains itself.
    Lost,
    /// An assumption does not hold: the step leads nowhere.
    Pruned,
}

pub(crate) type Traced<T> = Result<T, Stop>;

/// The variables of a rule, property or function at work.
pub(crate) struct Frame<'m> {
    pub(crate) locals: &'m [Local],
    pub(crate) bound: Vec<Bound>,
    /// Where a function leaves its result.
    pub(crate) result: Option<(Root, TypeId)>,
}

/// What a local is.
#[derive(Clone)]
pub(crate) enum Bound {
    /// A variable of its own.
    Owned(Root),
    /// Another place; none yet.
    Reference(Option<Spot>),
}

/// Looks at one state.
pub(crate) struct Tracer<'a, 'm> {
    pub(crate) setup: &'a Setup<'m>,
    pub(crate) terms: &'a mut Terms,
    pub(crate) state: &'a [i64],
    pub(crate) author: Author,
    pub(crate) log: Log,
    /// What the way taken so far depends on.
    pub(crate) facts: Vec<Term>,
    pub(crate) frames: Vec<Frame<'m>>,
    /// Whether what is traced is not reached in this state, so that no fact can be had about it.
    pub(crate) speculative: bool,
    pub(crate) n_locals: u32,
    /// The values of the large parameters of the instance that is traced.
    pub(crate) params: Vec<i64>,
    /// What substitution puts in place of large parameters.
    pub(crate) fixed: Option<Vec<i64>>,
    pub(crate) whys: FxHashMap<(Term, bool), Box<[Term]>>,
    values: FxHashMap<Term, Result<i64, Faulted>>,
}

impl<'a, 'm> Tracer<'a, 'm> {
    pub(crate) fn new(setup: &'a Setup<'m>, terms: &'a mut Terms, state: &'a [i64], author: Author) -> Self {
        Self {
            setup,
            terms,
            state,
            author,
            log: Log::default(),
            facts: Vec::new(),
            frames: Vec::new(),
            speculative: false,
            n_locals: 0,
            params: Vec::new(),
            fixed: None,
            whys: FxHashMap::default(),
            values: FxHashMap::default(),
        }
    }

    /// Begins a rule or property: nothing written, all locals undefined.
    pub(crate) fn enter(&mut self, author: Author, locals: &'m [Local]) {
        self.author = author;
        self.log = Log::default();
        self.frames.clear();
        self.n_locals = 0;
        self.push_frame(locals, None);
    }

    pub(crate) fn push_frame(&mut self, locals: &'m [Local], result: Option<(Root, TypeId)>) {
        let bound = locals.iter().map(|local| match local.mode {
            LocalMode::Owned => Bound::Owned(self.fresh()),
            LocalMode::Reference | LocalMode::Slot => Bound::Reference(None),
        });
        let bound = bound.collect();
        self.frames.push(Frame { locals, bound, result });
    }

    /// A root that nothing was written to.
    pub(crate) fn fresh(&mut self) -> Root {
        self.n_locals += 1;
        Root::Local(self.n_locals - 1)
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("something is being traced")
    }

    /// Where a local lies.
    pub(crate) fn local_spot(&mut self, local: LocalId) -> Traced<Spot> {
        let frame = self.frame();
        let ty = frame.locals[local.index()].ty;
        match &frame.bound[local.index()] {
            Bound::Owned(root) => Ok(Spot { root: *root, offset: 0, indices: Vec::new(), ty }),
            Bound::Reference(Some(spot)) => Ok(spot.clone()),
            Bound::Reference(None) => Err(Stop::Lost),
        }
    }

    pub(crate) fn set_local(&mut self, local: LocalId, value: Term) -> Traced<()> {
        let spot = self.local_spot(local)?;
        self.write(spot, value);
        Ok(())
    }

    pub(crate) fn world(&self) -> World<'_> {
        World {
            terms: self.terms,
            classes: &self.setup.names.classes,
            state: self.state,
            renaming: &self.setup.identity,
            params: &self.params,
        }
    }

    /// The value of a term here and now.
    pub(crate) fn value(&mut self, term: Term) -> Result<i64, Faulted> {
        if let Some(value) = self.terms.as_const(term) {
            return Ok(value);
        }
        if let Some(&value) = self.values.get(&term) {
            return value;
        }
        let value = self.world().value(term);
        self.values.insert(term, value);
        value
    }

    /// A value of a type as a term: a name where it is one.
    pub(crate) fn word(&mut self, ty: TypeId, value: i64) -> Term {
        use crate::names::Wording;
        match self.setup.names.wording(&self.setup.model().types, ty, value) {
            Wording::Plain(value) => self.terms.constant(value),
            Wording::Name { class, index, offset } => {
                let name = self.terms.name(&self.setup.names.classes, class, index);
                if offset == 0 { name } else { self.terms.plus(name, offset) }
            }
        }
    }

    /// Makes it a condition that a truth value is what it is.
    pub(crate) fn rely(&mut self, condition: Term, value: bool) -> Traced<()> {
        if self.terms.as_const(condition) == Some(i64::from(value)) {
            return Ok(());
        }
        if self.speculative || self.value(condition) != Ok(i64::from(value)) {
            return Err(Stop::Lost);
        }
        let facts = self.why(condition, value)?;
        self.facts.extend_from_slice(&facts);
        Ok(())
    }

    /// Makes it a condition that a term evaluates without a fault.
    pub(crate) fn demand(&mut self, term: Term) -> Traced<()> {
        let evaluates = self.terms.evaluates(term);
        self.rely(evaluates, true)
    }
}
