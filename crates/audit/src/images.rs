//! Whether permutations take steps to steps.
//!
//! Every generator is tried on every listed state that was met. Then the images found are gone through in the same way,
//! and their images, until there are no new ones or as many as the audit may look at: if none is left, every image of
//! every listed state was compared with a state that it is an image of, and nothing about the permutations is taken for
//! granted.

use burnside_interp::Condition;
use burnside_ir::{PropertyId, RuleId};
use rustc_hash::FxHashSet;

use crate::action::Action;
use crate::check::{Audit, Halt, Scope, Step};
use crate::finding::{Finding, Part};

/// What a state does: where each step ends, which cover points are reached, what properties say.
struct Behaviour {
    /// Sorted.
    ends: Vec<(RuleId, End)>,
    covered: Vec<PropertyId>,
    values: Vec<(PropertyId, Condition)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i64>),
    Pruned,
    /// Which fault comes first may depend on names; that there is one may not.
    Fault,
}

impl Behaviour {
    /// What differs first.
    fn difference(&self, other: &Self) -> Option<Part> {
        if self.ends != other.ends {
            let differs = self.ends.iter().zip(&other.ends).find(|(one, other)| one != other);
            let longer = if self.ends.len() > other.ends.len() { &self.ends } else { &other.ends };
            let shorter = self.ends.len().min(other.ends.len());
            let rule = differs.map_or_else(|| longer[shorter].0, |(one, other)| one.0.min(other.0));
            return Some(Part::Rule(rule));
        }
        let differs = self.values.iter().zip(&other.values).find(|(one, other)| one != other);
        let covers = (self.covered != other.covered).then_some(Part::Covers);
        differs.map(|(one, _)| Part::Property(one.0)).or(covers)
    }
}

impl Audit<'_, '_> {
    /// Compares listed states and their images with their images under each generator.
    pub(crate) fn compare_images(
        &mut self,
        met: &[u32],
        (action, generators): (&Action<'_>, &[Vec<u32>]),
        scope: Scope<'_>,
    ) -> Result<(), Halt> {
        self.account.all_images = true;
        if generators.is_empty() {
            return Ok(());
        }
        let members: Vec<Vec<i64>> = met.iter().map(|&member| self.members.values(member)).collect();
        let mut known: FxHashSet<Box<[u64]>> = members.iter().map(|state| self.members.packed(state)).collect();
        // The number of the listed state that a state is an image of, and the state.
        let mut pending: Vec<(u32, Vec<i64>)> = met.iter().copied().zip(members).collect();
        let n_members = pending.len();
        let mut next = 0;
        while next < pending.len() {
            if (scope.is_over)() {
                // Every listed state was looked at: what is missing is only what the account says is missing.
                self.account.all_images = false;
                return if next < n_members { Err(Halt::Over) } else { Ok(()) };
            }
            let (member, state) = (pending[next].0, std::mem::take(&mut pending[next].1));
            let own = self.behaviour(&state);
            for (number, images) in generators.iter().enumerate() {
                let image = action.rename(images, &state);
                let packed = self.members.packed(&image);
                let is_new = !known.contains(&packed);
                let fits = known.len() < n_members + scope.images;
                self.account.all_images &= fits || !is_new;
                if next >= n_members && !(is_new && fits) {
                    continue;
                }
                let expected = own.renamed(action, images);
                if let Some(part) = expected.difference(&self.behaviour(&image)) {
                    return Err(self.reject_image(
                        member,
                        &state,
                        Finding::Asymmetric { generator: number, part, image },
                    ));
                }
                self.account.images += u64::from(is_new);
                if is_new && fits {
                    known.insert(packed);
                    pending.push((member, image));
                }
            }
            next += 1;
        }
        Ok(())
    }

    fn behaviour(&mut self, state: &[i64]) -> Behaviour {
        let end = |step| match step {
            Step::Next(next) => End::State(next),
            Step::Pruned => End::Pruned,
            Step::Fault(_) => End::Fault,
        };
        self.interpreter.take_covered();
        let steps = self.steps(state);
        let mut covered = self.interpreter.take_covered();
        let mut ends: Vec<(RuleId, End)> = steps.into_iter().map(|(rule, _, step)| (rule, end(step))).collect();
        ends.sort_unstable();
        covered.sort_unstable();
        covered.dedup();
        Behaviour { ends, covered, values: self.values(state) }
    }

    /// The state in question may be an image of a listed one.
    fn reject_image(&mut self, member: u32, state: &[i64], finding: Finding) -> Halt {
        match self.reject(member, finding) {
            Halt::Found(mut rejection) if rejection.state.as_deref() != Some(state) => {
                rejection.state = Some(state.to_vec());
                rejection.way = None;
                Halt::Found(rejection)
            }
            other => other,
        }
    }
}

impl Behaviour {
    /// What the image of a state must do.
    fn renamed(&self, action: &Action<'_>, images: &[u32]) -> Self {
        let end = |end: &End| match end {
            End::State(next) => End::State(action.rename(images, next)),
            End::Pruned => End::Pruned,
            End::Fault => End::Fault,
        };
        let mut ends: Vec<(RuleId, End)> = self.ends.iter().map(|(rule, it)| (*rule, end(it))).collect();
        ends.sort_unstable();
        Self { ends, covered: self.covered.clone(), values: self.values.clone() }
    }
}
