//! Symmetry on transitions: permutations of threads and objects that map labels pointwise.
//!
//! The pruning rule is Definition 9 of `symmetry-on-transitions`: where two enabled transitions are images of each
//! other under a symmetry that leaves the state as it is, one of them is enough. That the state stays as it is follows
//! if the run so far and its image are the same Mazurkiewicz trace. A trace is determined by the labels and vector
//! clocks of its events, so two commutative hashes over those, one of the run and one of its image, are kept per
//! permutation and extended event by event ([`Images`]).
//!
//! SOUND: the members of a family are interchangeable by declaration or by the adapter's justification; `--sym check`
//! ([`crate::check_symmetry`]) is the way to refute a wrong one. Hashes of 64 bits stand for the sets they sum up; two
//! different traces agree with probability 2^-64.

use crate::history::History;
use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::trace::Birth;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// One interchangeable part of a program: threads and the objects that belong to them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Member {
    /// The threads of this part, in corresponding order in every member.
    pub threads: Vec<ThreadId>,
    /// The objects of this part, in corresponding order in every member. Objects created by a member's threads need
    /// not be listed: they follow their creator.
    pub objects: Vec<ObjId>,
}

/// Which permutations of the members are symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Any two members may be exchanged.
    Interchange,
    /// The members form a ring that may be rotated.
    Ring,
}

/// A family of symmetries over members of equal shape. Several families act independently: their product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// How the members may be permuted.
    pub shape: Shape,
    /// What is permuted.
    pub members: Vec<Member>,
}

impl Family {
    /// Threads any two of which may be exchanged.
    #[must_use]
    pub fn interchange(threads: &[ThreadId]) -> Self {
        let members = threads.iter().map(|thread| Member { threads: vec![*thread], objects: Vec::new() }).collect();
        Self { shape: Shape::Interchange, members }
    }

    /// Threads in a ring, the `i`-th with the `i`-th of the objects, which may be fewer or none.
    #[must_use]
    pub fn ring(threads: &[ThreadId], objects: &[ObjId]) -> Self {
        let member = |(i, thread): (usize, &ThreadId)| Member {
            threads: vec![*thread],
            objects: objects.get(i).copied().into_iter().collect(),
        };
        Self { shape: Shape::Ring, members: threads.iter().enumerate().map(member).collect() }
    }

    /// Why the members cannot be mapped onto each other, if so.
    #[must_use]
    pub fn defect(&self) -> Option<String> {
        let first = self.members.first()?;
        let odd = self.members.iter().position(|member| {
            member.threads.len() != first.threads.len() || member.objects.len() != first.objects.len()
        })?;
        Some(format!("member {odd} has another number of threads or objects than member 0"))
    }

    /// The permutations to try: all transpositions, or all rotations but the identity.
    #[must_use]
    pub fn permutations(&self) -> Vec<Permutation> {
        let n = self.members.len();
        match self.shape {
            Shape::Interchange => (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
                .map(|(i, j)| self.moving(&[(i, j), (j, i)]))
                .collect(),
            Shape::Ring => {
                (1..n).map(|by| self.moving(&(0..n).map(|i| (i, (i + by) % n)).collect::<Vec<_>>())).collect()
            }
        }
    }

    fn moving(&self, moves: &[(usize, usize)]) -> Permutation {
        let mut permutation = Permutation::default();
        for (from, to) in moves {
            let (from, to) = (&self.members[*from], &self.members[*to]);
            permutation.threads.extend(from.threads.iter().copied().zip(to.threads.iter().copied()));
            permutation.objects.extend(from.objects.iter().copied().zip(to.objects.iter().copied()));
        }
        permutation.threads.sort_unstable();
        permutation.objects.sort_unstable();
        permutation
    }
}

/// A permutation of threads and objects, given by what it moves. Children of moved threads and objects created by
/// moved threads move along.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Permutation {
    threads: Vec<(ThreadId, ThreadId)>,
    objects: Vec<(ObjId, ObjId)>,
}

impl Permutation {
    /// The image of a thread; `None` if it should be a thread that does not exist.
    #[must_use]
    pub fn thread(&self, thread: ThreadId, births: &[Birth]) -> Option<ThreadId> {
        if let Ok(at) = self.threads.binary_search_by_key(&thread, |(from, _)| *from) {
            return Some(self.threads[at].1);
        }
        let birth = births.get(thread.index())?;
        if birth.parent == thread {
            return Some(thread);
        }
        let parent = self.thread(birth.parent, births)?;
        if parent == birth.parent {
            return Some(thread);
        }
        let is_image = |other: &Birth| other.parent == parent && other.nth == birth.nth;
        births.iter().position(is_image).map(ThreadId::from)
    }

    /// The image of an object.
    #[must_use]
    pub fn object(&self, obj: ObjId, births: &[Birth]) -> Option<ObjId> {
        if let Ok(at) = self.objects.binary_search_by_key(&obj, |(from, _)| *from) {
            return Some(self.objects[at].1);
        }
        match obj.creator() {
            Some((creator, index)) => Some(ObjId::created(self.thread(creator, births)?, index)),
            None => Some(obj),
        }
    }

    /// The image of a label.
    #[must_use]
    pub fn op(&self, op: &Op, births: &[Birth]) -> Option<Op> {
        let arg = match op.target() {
            Some(thread) => u64::from(self.thread(thread, births)?.0),
            None => op.arg,
        };
        Some(Op { kind: op.kind, obj: self.object(op.obj, births)?, obj2: self.object(op.obj2, births)?, arg })
    }

    /// The threads it moves, with their images.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (ThreadId, ThreadId)> + '_ {
        self.threads.iter().copied()
    }

    /// Whether waiting for this thread's end is waiting for a moved one.
    fn moves_target(&self, op: &Op, births: &[Birth]) -> bool {
        op.kind == Kind::Join && op.target().is_some_and(|thread| self.thread(thread, births) != Some(thread))
    }
}

/// The symmetries of a program as far as they are known, and for each the hashes of the current run and its image.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    families: Vec<Family>,
    images: Vec<Image>,
}

#[derive(Clone, Debug)]
struct Image {
    permutation: Permutation,
    /// Per place in the run, the hashes of what lies before it: of the run and of its image. `None` once the image of
    /// some event is not defined.
    sums: Vec<Option<(u64, u64)>>,
}

impl Images {
    pub(crate) fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    pub(crate) fn families(&self) -> &[Family] {
        &self.families
    }

    /// Takes in families not seen before.
    pub(crate) fn learn(&mut self, families: &[Family]) {
        for family in families.iter().filter(|family| family.defect().is_none()) {
            if !self.families.contains(family) {
                let new = family.permutations().into_iter();
                self.images.extend(new.map(|permutation| Image { permutation, sums: vec![Some((0, 0))] }));
                self.families.push(family.clone());
            }
        }
    }

    /// Forgets what lies after place `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        for image in &mut self.images {
            image.sums.truncate(len + 1);
        }
    }

    /// Whether some symmetry that leaves the state at place `at` as it is maps the first transition to the second.
    /// `labels` are the pending operations of the enabled threads there.
    pub(crate) fn maps(
        &mut self,
        history: &History,
        at: usize,
        from: (ThreadId, &Op),
        to: (ThreadId, &Op),
        labels: &[(ThreadId, Op)],
    ) -> bool {
        let births = history.births();
        self.images.iter_mut().any(|image| {
            image.permutation.thread(from.0, births) == Some(to.0)
                && image.permutation.op(from.1, births).as_ref() == Some(to.1)
                && image.fixes(history, at)
                && image.joins_are_even(history, at, labels)
        })
    }
}

impl Image {
    /// Whether the run up to `at` and its image are the same trace.
    fn fixes(&mut self, history: &History, at: usize) -> bool {
        while self.sums.len() <= at {
            let place = self.sums.len() - 1;
            let next = self.sums[place].and_then(|sums| self.extend(history, place, sums));
            self.sums.push(next);
        }
        self.sums[at].is_some_and(|(own, image)| own == image)
    }

    // SOUND: threads that wait for all of the moved threads, one after the other, do the same in whatever order they
    // do it: their joins are left out of both hashes, and `joins_are_even` sees that all or none are done.
    fn extend(&self, history: &History, place: usize, (own, image): (u64, u64)) -> Option<(u64, u64)> {
        let (births, event) = (history.births(), history.event(place));
        if self.permutation.moves_target(&event.op, births) {
            return Some((own, image));
        }
        let clock = history.clock(place);
        let mut of_clock = 0u64;
        let mut of_image = 0u64;
        for (thread, count) in clock.iter().enumerate().filter(|(_, count)| **count > 0) {
            let thread = ThreadId::from(thread);
            of_clock = of_clock.wrapping_add(hash((thread, count)));
            of_image = of_image.wrapping_add(hash((self.permutation.thread(thread, births)?, count)));
        }
        let (thread, op) = (self.permutation.thread(event.thread, births)?, self.permutation.op(&event.op, births)?);
        let own = own.wrapping_add(hash((event.thread, event.choice, event.op.in_trace(), of_clock)));
        Some((own, image.wrapping_add(hash((thread, event.choice, op.in_trace(), of_image)))))
    }

    /// Whether every thread that has waited for some moved threads has waited for all their images too, or is about to
    /// wait for another.
    fn joins_are_even(&self, history: &History, at: usize, labels: &[(ThreadId, Op)]) -> bool {
        let births = history.births();
        let joins = || {
            let moved = history.events()[..at].iter().filter(|event| self.permutation.moves_target(&event.op, births));
            moved.filter_map(|event| Some((event.thread, event.op.target()?)))
        };
        joins().all(|(joiner, target)| {
            let image = self.permutation.thread(target, births);
            let next = labels.iter().find(|(thread, _)| *thread == joiner);
            joins().any(|other| Some(other) == image.map(|image| (joiner, image)))
                || next.is_some_and(|(_, op)| self.permutation.moves_target(op, births))
        })
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    // FxHasher mixes upwards only; the sum needs good low bits as well.
    let mixed = hasher.finish();
    (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (mixed >> 29)
}
