//! Packed successors of states, collected in bulk: the form in which native code and search loops exchange them.

use std::ops::ControlFlow;

use burnside_ir::{Layout, RuleId};

use crate::Outcome;

/// How a fired rule instance ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// In the recorded state.
    Next,
    /// In a failed assumption: it counts as fired but leads nowhere.
    Pruned,
    /// In a fault; replaying the rule in the interpreter tells which.
    Fault,
}

/// One recorded step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedStep<'a> {
    /// The rule that fired.
    pub rule: RuleId,
    /// How it ended.
    pub end: StepEnd,
    /// How many equivalent steps it stands for.
    pub weight: u64,
    /// The state it leads to, in normal form; meaningless unless `end` is `Next`.
    pub state: &'a [u64],
}

impl RecordedStep<'_> {
    /// Whether the step leads nowhere else: back to the state it leaves, or into a failed assumption.
    #[inline]
    pub fn stays_in(&self, state: &[u64]) -> bool {
        match self.end {
            StepEnd::Next => self.state == state,
            StepEnd::Pruned => true,
            StepEnd::Fault => false,
        }
    }
}

/// A growing row of steps. Each record is the packed state followed by one word that holds the rule
/// (lower half), the end and the weight (see [`tag`](Self::tag)). The word behind the state also allows native code to
/// read 8 bytes at any bit of the state.
#[derive(Debug, Clone)]
pub struct StepBuffer {
    n_words: usize,
    n_steps: usize,
    /// Initialised throughout; the first `n_steps` records are in use.
    words: Vec<u64>,
}

impl StepBuffer {
    /// An empty buffer for states of `n_words` words.
    pub fn new(n_words: usize) -> Self {
        Self { n_words, n_steps: 0, words: Vec::new() }
    }

    /// Words per record.
    #[inline]
    pub fn stride(&self) -> usize {
        self.n_words + 1
    }

    /// Number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.n_steps
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_steps == 0
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.n_steps = 0;
    }

    /// Forgets all steps but the first `n`.
    pub fn truncate(&mut self, n: usize) {
        self.n_steps = self.n_steps.min(n);
    }

    /// A step by number.
    #[inline]
    pub fn get(&self, step: usize) -> RecordedStep<'_> {
        assert!(step < self.n_steps, "step {step} of {}", self.n_steps);
        let record = &self.words[step * self.stride()..(step + 1) * self.stride()];
        let tag = record[self.n_words];
        let weight = tag >> Self::WEIGHT_SHIFT;
        RecordedStep { rule: RuleId(tag as u32), end: Self::end(tag), weight, state: &record[..self.n_words] }
    }

    /// How a step ended, from the last word of its record.
    #[inline]
    pub fn end(tag: u64) -> StepEnd {
        match tag >> 32 & 3 {
            0 => StepEnd::Next,
            1 => StepEnd::Pruned,
            _ => StepEnd::Fault,
        }
    }

    /// The state of a step, to be replaced by an equivalent one.
    #[inline]
    pub fn state_mut(&mut self, step: usize) -> &mut [u64] {
        assert!(step < self.n_steps, "step {step} of {}", self.n_steps);
        let at = step * self.stride();
        &mut self.words[at..at + self.n_words]
    }

    /// Adds a step to a state, which stands for `weight` steps.
    pub fn push(&mut self, rule: RuleId, end: StepEnd, weight: u64, state: &[u64]) {
        let n_words = self.n_words;
        let record = &mut self.reserve(1)[..n_words + 1];
        record[..n_words].copy_from_slice(state);
        record[n_words] = Self::tag(rule, end) | weight << Self::WEIGHT_SHIFT;
        self.n_steps += 1;
    }

    /// Adds a step of another buffer.
    pub fn push_step(&mut self, step: &RecordedStep<'_>) {
        self.push(step.rule, step.end, step.weight, step.state);
    }

    /// Adds a step of the interpreter; breaks at a fault, which is the last step wanted.
    pub fn record(&mut self, layout: &Layout, rule: RuleId, weight: u64, outcome: &Outcome<'_>) -> ControlFlow<()> {
        let n_words = self.n_words;
        let record = &mut self.reserve(1)[..n_words + 1];
        let end = match outcome {
            Outcome::Next(values) => {
                layout.pack(values, &mut record[..n_words]);
                StepEnd::Next
            }
            Outcome::Pruned => StepEnd::Pruned,
            Outcome::Fault(..) => StepEnd::Fault,
        };
        record[n_words] = Self::tag(rule, end) | weight << Self::WEIGHT_SHIFT;
        self.n_steps += 1;
        if end == StepEnd::Fault { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Where the weight begins in the last word of a record.
    pub const WEIGHT_SHIFT: u32 = 34;

    /// The greatest weight.
    pub const MOST_WEIGHT: u64 = u64::MAX >> Self::WEIGHT_SHIFT;

    /// The last word of a record, but for the weight.
    pub fn tag(rule: RuleId, end: StepEnd) -> u64 {
        (end as u64) << 32 | u64::from(rule.0)
    }

    /// Room for at least `n` more records, which [`commit`](Self::commit) takes over once they are written.
    #[inline]
    pub fn reserve(&mut self, n: usize) -> &mut [u64] {
        let used = self.n_steps * self.stride();
        // One word more than the records, so that an 8-byte access at any bit of the last tag stays inside.
        let needed = used + n * self.stride() + 1;
        if self.words.len() < needed {
            // A fresh allocation of zeros costs nothing until it is touched; growing in place would write them.
            let mut grown = vec![0; needed.next_power_of_two()];
            grown[..used].copy_from_slice(&self.words[..used]);
            self.words = grown;
        }
        &mut self.words[used..]
    }

    /// Takes over `n` records written to what [`reserve`](Self::reserve) returned.
    #[inline]
    pub fn commit(&mut self, n: usize) {
        self.n_steps += n;
        assert!(self.n_steps * self.stride() <= self.words.len(), "more steps than were reserved");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back_as_they_were_recorded() {
        let mut buffer = StepBuffer::new(2);
        for number in 0..100_u64 {
            let end = [StepEnd::Next, StepEnd::Pruned, StepEnd::Fault][number as usize % 3];
            buffer.push(RuleId(number as u32), end, number + 1, &[number, !number]);
        }
        let step = buffer.get(41);
        assert_eq!((step.rule, step.end, step.weight, step.state), (RuleId(41), StepEnd::Fault, 42, &[41, !41][..]));
        buffer.clear();
        assert!(buffer.is_empty());
    }
}
